import { setTimeout as pause } from 'node:timers/promises'
import { askOf, createService, readable } from '../contestants/service.ts'
import { memoryOf } from '../processes.ts'
import type { Findings, Options } from '../report.ts'
import { median, percentiles } from '../rounds.ts'
import type { World } from '../world.ts'

const CALLERS = 8
const SAMPLE_MS = 5_000
/** What a process takes once in its life is taken by then. */
const WARM_MINUTES = 5

/** A service with its worker under mixed load: whether its memory grows, whether it becomes slower, whether it fails. */
export async function measureSoak(world: World, { minutes }: Options): Promise<Findings> {
  await using service = await world.another({ SERVICE_ROLE: 'all' })
  const tenant = `${world.corpus.name}-big`
  const contestant = await createService({ ...world, service }, tenant, tenant)
  const samples: { minute: number; megabytes: number }[] = []
  const began = performance.now()
  const minute = () => (performance.now() - began) / 60_000
  const requests = createTally(minute, world.say)
  const work = mixedWork(world, askOf(service.url), tenant, contestant, requests.timed)
  let calls = 0
  const caller = async () => {
    while (minute() < minutes) await work(calls++)
  }
  const watch = async () => {
    while (minute() < minutes) {
      samples.push({ minute: minute(), megabytes: memoryOf(service.pid).now })
      await pause(SAMPLE_MS)
    }
  }
  await Promise.all([watch(), ...Array.from({ length: CALLERS }, caller)])
  const warm = Math.min(WARM_MINUTES, minutes / 3)
  const between = (from: number, to: number) =>
    samples.filter(each => each.minute >= from && each.minute < to).map(({ megabytes }) => megabytes)
  const timesOf = (from: number, to: number) =>
    percentiles(requests.answered.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms))
  const formatTimes = ({ p50, p99 }: ReturnType<typeof timesOf>) => `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`
  const figures = {
    minutes,
    'callers without a pause': CALLERS,
    'requests answered': requests.answered.length,
    'requests failed': requests.failed(),
    'memory of the service, median of the minutes after the first': `${median(between(warm, 2 * warm))} MiB`,
    'memory of the service, median of the last minutes': `${median(between(minutes - warm, minutes))} MiB`,
    'memory of the service, highest': `${memoryOf(service.pid).highest} MiB`,
    'growth after the first minutes, least squares': `${slope(samples.filter(each => each.minute >= warm)).toFixed(2)} MiB a minute`,
    'time of a request after the first minutes, p50 / p99': formatTimes(timesOf(warm, 2 * warm)),
    'time of a request in the last minutes, p50 / p99': formatTimes(timesOf(minutes - warm, minutes)),
  }
  world.say(JSON.stringify(figures, null, 2))
  return { figures, flags: `--minutes ${minutes}` }
}

/** Times requests one by one; one that fails has no time and no answer, and is reported. */
function createTally(minute: () => number, say: (line: string) => void) {
  const answered: { at: number; ms: number }[] = []
  let failed = 0
  return {
    answered,
    failed: () => failed,
    async timed<Answer>(request: () => Promise<Answer>): Promise<Answer | undefined> {
      const asked = performance.now()
      try {
        const answer = await request()
        answered.push({ at: minute(), ms: performance.now() - asked })
        return answer
      } catch (error) {
        failed++
        say(String(error))
        return undefined
      }
    },
  }
}

/** What agents and people do, each call another one: mostly searches and fetches, every fourth call writes. */
function mixedWork(
  { corpus }: World,
  ask: ReturnType<typeof askOf>,
  tenant: string,
  { semantic, keyword, hybrid, firstPage, related, create }: Awaited<ReturnType<typeof createService>>,
  timed: ReturnType<typeof createTally>['timed'],
) {
  const path = (call: number) => `/memories/${readable(corpus, call)}`
  const fetchOne = (call: number) => ask(tenant, 'GET', path(call))
  const update = (call: number) => ask(tenant, 'PATCH', path(call), { importance: (call % 100) / 100 })
  const archive = async (call: number) => {
    const memory = (await timed(() => create(call))) as { id: string } | undefined
    if (!memory) return
    await timed(() => ask(tenant, 'DELETE', `/memories/${memory.id}`))
    await timed(() => ask(tenant, 'DELETE', `/memories/${memory.id}?hard=true`))
  }
  const singles = [
    semantic,
    fetchOne,
    hybrid,
    create,
    keyword,
    fetchOne,
    hybrid,
    firstPage,
    related,
    update,
    semantic,
  ]
  const works = [...singles.map(single => (call: number) => timed<unknown>(() => single(call))), archive]
  return (call: number) => (works[call % works.length] as (call: number) => Promise<unknown>)(call)
}

/** The slope of the line through the samples that fits best, in MiB a minute. */
function slope(samples: readonly { minute: number; megabytes: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(samples.map(each => each.minute)), mean(samples.map(each => each.megabytes))]
  const over = samples.reduce((sum, each) => sum + (each.minute - x) * (each.megabytes - y), 0)
  return over / samples.reduce((sum, each) => sum + (each.minute - x) ** 2, 0)
}
