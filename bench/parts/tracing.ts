import { createServer } from 'node:http'
import { onLoopback } from '../../tools/loopback.ts'
import { createService } from '../contestants/service.ts'
import type { Findings, Options } from '../report.ts'
import { interleave, type Operation, type OperationResult } from '../rounds.ts'
import { sizes, type World } from '../world.ts'

const ROUNDS = 15
const CALLS = 2_000

/** Requests to a service that sends all traces to a collector, in turns with one that sends none. */
export async function measureTracing(world: World, { rounds = ROUNDS }: Options): Promise<Findings> {
  await using started = new AsyncDisposableStack()
  const collector = started.use(await startCollector())
  const settings = { SERVICE_ROLE: 'api', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const traced = started.use(await world.another(settings))
  const tenant = `${world.corpus.name}-big`
  const [on, off] = await Promise.all(
    [traced, world.service].map(service => createService({ ...world, service }, tenant, tenant)),
  )
  if (!on || !off) throw new Error('There are two services')
  const operation = (name: string, what: 'get' | 'hybrid', callers: number, calls: number): Operation => ({
    name,
    callers,
    calls,
    contestants: { service: on[what], 'no traces': off[what] },
  })
  const operations = await interleave(
    [
      operation('fetch', 'get', 1, CALLS / 4),
      operation('fetch', 'get', 16, CALLS),
      operation('hybrid search', 'hybrid', 16, CALLS / 4),
    ],
    { rounds, warmUp: sizes[world.size].warmUp, say: world.say },
  )
  if (collector.requests() === 0) throw new Error('The collector received no traces')
  return { figures: figuresOf(operations), flags: `--rounds ${rounds}` }
}

const figuresOf = (operations: readonly OperationResult[]) =>
  Object.fromEntries(
    operations.map(({ name, callers, contestants, ratios }) => {
      const perSecond = (who: string) => (contestants[who]?.perSecond ?? 0).toFixed(0)
      const ratio = ratios['no traces']?.perSecond.toFixed(2)
      return [
        `${name}, ${callers} callers: a second with / without traces`,
        `${perSecond('service')} / ${perSecond('no traces')}, × ${ratio}`,
      ]
    }),
  )

async function startCollector() {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    request.resume().on('end', () => response.writeHead(200).end())
  })
  return { ...(await onLoopback(server)), requests: () => requests }
}
