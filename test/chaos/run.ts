import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { spaceOf } from '../../src/store/embeddings/spaces.ts'
import { startEmbeddingEndpoint } from '../../tools/embedding-endpoint.ts'
import { seededRandom } from '../../tools/seeded-random.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { spawnService, startChildService } from '../support/child-service.ts'
import { DIMENSIONS, endpointSettings } from '../support/service.ts'
import type { Judgement } from './checker.ts'
import { type ChaosDatabase, startChaosDatabase } from './database.ts'
import { type History, openHistory } from './history.ts'
import { chaosVector } from './vector.ts'

export type Tier = 'small' | 'full'

/** What a scenario is given: the database and the provider of the run, its own history, and chance that follows from the seed. */
export type Run = {
  readonly tier: Tier
  readonly database: ChaosDatabase
  readonly embeddings: Awaited<ReturnType<typeof startEmbeddingEndpoint>>
  readonly history: History
  readonly random: () => number
  /** How often the scenario does its fault: as its tier has it, or as the command says. */
  readonly times: (small: number, full: number) => number
  /** The time that the command gives is over: no further fault starts, and the counters hold how many there were. */
  readonly isOver: () => boolean
  readonly tenant: (name: string) => string
  /** What happened, how often. One that is still zero at the end fails the run: then nothing was shown. */
  readonly count: (what: string, by?: number) => void
  /** How long something took; the longest and the median are reported. */
  readonly took: (what: string, ms: number) => void
  /** A promise that was not kept, in addition to what the checker sees. */
  readonly fail: (fault: string) => void
  readonly say: (line: string) => void
}

export type Scenario = { readonly expected: readonly string[]; run(run: Run): Promise<void> }

export type Result = {
  scenario: string
  tier: Tier
  seed: number
  /** Set when the command said another number of faults than the tier has. */
  times: number | null
  /** Set when the command said after which time no further fault starts. */
  minutes: number | null
  seconds: number
  counters: Record<string, number>
  durations: Record<string, number[]>
  seen: Record<string, number>
  faults: string[]
}

const THRESHOLD = 0.7
export const MODEL = 'embedding-of-the-tests'

/** The database, one of its own unless it is given, and the provider of a run, until it is disposed. */
export async function startWorld(given?: ChaosDatabase) {
  await using starting = new AsyncDisposableStack()
  const database = starting.use(given ?? (await startChaosDatabase()))
  const embeddings = starting.use(
    await startEmbeddingEndpoint({
      dimensions: DIMENSIONS,
      vector: chaosVector,
      lengths: { 'next-model': 48 },
    }),
  )
  const folder = temporaryFolder()
  const stack = starting.move()
  return { database, embeddings, folder, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

export type World = Awaited<ReturnType<typeof startWorld>>

type Settings = {
  tier: Tier
  seed: number
  times?: number | undefined
  minutes?: number | undefined
  say: (line: string) => void
}

/** Runs one scenario and lets the checker judge it. */
export async function runScenario(
  world: World,
  name: string,
  { expected, run }: Scenario,
  { tier, seed, times, minutes, say }: Settings,
): Promise<Result> {
  const history = openHistory(join(world.folder, `${name}-${seed}-${Date.now()}.jsonl`))
  const counters: Record<string, number> = Object.fromEntries(expected.map(what => [what, 0]))
  const durations: Record<string, number[]> = {}
  const failed: string[] = []
  const began = performance.now()
  await run({
    ...world,
    tier,
    history,
    random: seededRandom(seed),
    isOver: () => minutes !== undefined && performance.now() - began > minutes * 60_000,
    times: (small, full) => times ?? (tier === 'full' ? full : small),
    tenant: tenant => `chaos-${name}-${tenant}-${seed}-${Date.now().toString(36)}`,
    count(what, by = 1) {
      counters[what] = (counters[what] ?? 0) + by
    },
    took(what, ms) {
      const list = durations[what] ?? []
      durations[what] = list
      list.push(Math.round(ms))
    },
    fail: fault => void failed.push(fault),
    say: line => say(`${name}: ${line}`),
  })
  const seconds = Math.round((performance.now() - began) / 1000)
  const { faults, seen } = await judge(world, history)
  const idle = Object.entries(counters).filter(([, times]) => times === 0)
  return {
    scenario: name,
    tier,
    seed,
    times: times ?? null,
    minutes: minutes ?? null,
    seconds,
    counters,
    durations,
    seen,
    faults: [...failed, ...faults, ...idle.map(([what]) => `never happened: ${what}`)],
  }
}

async function judge({ database }: World, history: History): Promise<Judgement> {
  const checker = join(import.meta.dirname, 'checker.ts')
  const { property } = spaceOf({ provider: 'openai', model: MODEL, dimensions: DIMENSIONS })
  const args = [checker, history.file, database.uri, property, String(DIMENSIONS), String(THRESHOLD)]
  const env = { ...process.env, NEO4J_PASSWORD: database.password }
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 28, env })
  return JSON.parse(stdout) as Judgement
}

type Parts = Pick<Run, 'database' | 'embeddings'>

/** A service of the run as a process of its own. */
export const startRunService = async (parts: Parts, settings: Record<string, string> = {}) =>
  endingWithUs(await startChildService(settingsOf(parts, settings)))

/** The same without an API: it works on the queue alone. */
export async function startRunWorker(parts: Parts, settings: Record<string, string> = {}) {
  const child = endingWithUs(spawnService(settingsOf(parts, { ...settings, SERVICE_ROLE: 'worker' })))
  await until('the worker works', async () => child.said().includes('Working on the queue'), 60_000)
  return child
}

/** Each child leaves one listener. */
process.setMaxListeners(1000)

/** A run that is broken off leaves no process behind. */
function endingWithUs<T extends { signal(name: NodeJS.Signals): void }>(child: T): T {
  process.once('exit', () => child.signal('SIGKILL'))
  return child
}

const settingsOf = ({ database, embeddings }: Parts, settings: Record<string, string>) => ({
  NEO4J_URI: database.uri,
  NEO4J_PASSWORD: database.password,
  SERVICE_AUTO_DISCOVERY_THRESHOLD: String(THRESHOLD),
  SERVICE_REQUEST_TIMEOUT_MS: '5000',
  ...endpointSettings(embeddings.url),
  ...settings,
})

/** Polls until something is so. @throws when it is not within the time */
export async function until(what: string, isSo: () => Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs / 1000} s: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

/** How long a queue may stand still: a lease, and the look for it. */
const STANDSTILL_MS = 60_000

/** Waits until the queued work of tenants is done or given up on. One that stands still fails the run. */
export async function drained(
  { database, fail }: Pick<Run, 'database' | 'fail'>,
  tenants: readonly string[],
) {
  let least = Number.POSITIVE_INFINITY
  let since = performance.now()
  while (least > 0) {
    const jobs = await database.query<{ job: object }>(
      `MATCH (j:Job) WHERE j.tenant IN $tenants AND NOT j.state IN ['done', 'failed'] RETURN properties(j) AS job`,
      { tenants },
    )
    const left = jobs.length
    if (left < least) since = performance.now()
    least = Math.min(least, left)
    if (performance.now() - since > STANDSTILL_MS)
      return fail(`The queue stands still with ${left} jobs: ${JSON.stringify(jobs)}`)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

/** Waits until so many more operations have been acknowledged, in the midst of the next ones. */
export async function moreAcked({ history, fail }: Pick<Run, 'history' | 'fail'>, more: number) {
  const enough = history.acked() + more
  const isEnough = async () => history.acked() >= enough
  await until(`${more} more acknowledged`, isEnough, 60_000).catch(error => fail(String(error)))
}
