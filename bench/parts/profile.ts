import { freePort } from '../../src/platform/neo4j/ports.ts'
import { operations, titles } from '../contestants/contestant.ts'
import { createService } from '../contestants/service.ts'
import { connectProfiler, type Profile } from '../inspector.ts'
import type { Findings } from '../report.ts'
import { measure } from '../rounds.ts'
import type { World } from '../world.ts'

const CALLERS = 16
const CALLS = 1_500
/** Smaller shares are not reported. */
const LEAST = 0.02

/** Where the processor time of the service goes in each operation, and how much a request takes. */
export async function measureProfile(world: World): Promise<Findings> {
  const port = await freePort()
  await using service = await world.another({ SERVICE_ROLE: 'api' }, [`--inspect=127.0.0.1:${port}`])
  const contestant = await createService({ ...world, service }, `${world.corpus.name}-big`, 'written-profile')
  using profiler = await connectProfiler(port)
  const figures: Record<string, string> = {}
  for (const name of operations) {
    const run = (calls: number) => measure(contestant[name], { callers: CALLERS, calls })
    await run(CALLS / 5)
    const profile = await profiler.during(() => run(CALLS))
    const title = titles[name]
    figures[title] = formatProfile(profile)
    world.say(`${title}: ${figures[title]}`)
  }
  return { figures }
}

function formatProfile(profile: Profile): string {
  const places = Map.groupBy(timesOf(profile), ({ place }) => place)
  const sums = [...places].map(([place, times]) => ({
    place,
    time: times.reduce((sum, { time }) => sum + time, 0),
  }))
  const busy = sums.filter(({ place }) => place !== IDLE).sort((a, b) => b.time - a.time)
  const all = busy.reduce((sum, { time }) => sum + time, 0)
  const shares = busy
    .filter(({ time }) => time >= LEAST * all)
    .map(({ place, time }) => `${place} ${Math.round((100 * time) / all)} %`)
  return `${(all / 1000 / CALLS).toFixed(2)} ms: ${shares.join(', ')}`
}

const IDLE = 'idle'

function timesOf({ nodes, samples, timeDeltas }: Profile) {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]))
  return samples.map((id, at) => ({ place: places.get(id) ?? IDLE, time: timeDeltas[at] ?? 0 }))
}

/** The package that a function is from; what V8 and Node.js do themselves has no address. */
function placeOf({ functionName, url }: Profile['nodes'][number]['callFrame']): string {
  if (functionName === '(idle)') return IDLE
  if (functionName === '(garbage collector)') return 'garbage collection'
  const [library] = /(?<=\/node_modules\/)(?!.*\/node_modules\/)(@[^/]+\/)?[^/]+/.exec(url) ?? []
  if (library) return library
  return url.startsWith('file:') ? 'the service itself' : 'Node.js'
}
