import { setTimeout as pause } from 'node:timers/promises'
import { askOf } from '../contestants/service.ts'
import type { Findings, Options } from '../report.ts'
import { median, rotated } from '../rounds.ts'
import type { World } from '../world.ts'

const CALLERS = 240
const MEMORIES = 400
const ROUNDS = 5
/** How long the loud tenant is loud before the quiet one is timed, and how often that asks. */
const LEAD_MS = 1_000
const QUIET_CALLS = 10

type Ask = ReturnType<typeof askOf>
/** What a tenant does over and over; each call is given a number of its own. */
type Calls = Record<string, (call: number) => Promise<unknown>>

/** A service that gives each tenant its share, and one whose shares are so large that hardly anybody meets their end. */
const services = { shares: {}, none: { SERVICE_TENANT_CONCURRENCY: '80' } }
type Kind = keyof typeof services

/** How long a quiet tenant waits next to one with very many callers, with the shares of tenants and without. */
export async function measureNeighbours(world: World, { rounds = ROUNDS }: Options): Promise<Findings> {
  await using started = new AsyncDisposableStack()
  const asks = {} as Record<Kind, Ask>
  for (const kind of Object.keys(services) as Kind[])
    asks[kind] = askOf(started.use(await world.another({ SERVICE_ROLE: 'api', ...services[kind] })).url)
  const [own] = (await remember(world, asks.shares, 'quiet', 1)) as [string]
  const ids = await remember(world, asks.shares, 'loud', MEMORIES)
  const loads = Object.keys(loudCalls(world, asks.shares, ids))
  const samples = new Map<string, Sample[]>()
  for (let round = 0; round <= rounds; round++)
    for (const kind of rotated(Object.keys(services) as Kind[], round))
      for (const load of [ALONE, ...loads]) {
        const loud = loudCalls(world, asks[kind], ids)[load]
        const sample = await nextTo(loud, () => timed(quietCalls(world, asks[kind], own)))
        // The first round makes plans and warms what it runs on.
        if (round > 0) samples.set(`${load} ${kind}`, [...(samples.get(`${load} ${kind}`) ?? []), sample])
      }
  return { figures: figuresOf(world, samples, [ALONE, ...loads]), flags: `--rounds ${rounds}` }
}

const ALONE = 'alone'

const loudCalls = ({ corpus }: World, ask: Ask, ids: readonly string[]): Calls => ({
  'that fetch': call => ask('loud', 'GET', `/memories/${ids[call % ids.length]}`),
  'that search': call =>
    ask('loud', 'POST', '/memories/search', { query: corpus.query(call), search_type: 'hybrid', limit: 10 }),
  'that create': call => ask('loud', 'POST', '/memories', created(corpus.memory(corpus.size + call))),
  'that change their memories': call =>
    ask('loud', 'PATCH', `/memories/${ids[call % ids.length]}`, { importance: (call % 100) / 100 }),
  'that change one memory': call =>
    ask('loud', 'PATCH', `/memories/${ids[0]}`, { importance: (call % 100) / 100 }),
})

const quietCalls = ({ corpus }: World, ask: Ask, own: string): Calls => ({
  fetch: () => ask('quiet', 'GET', `/memories/${own}?record_recall=false`),
  search: call =>
    ask('quiet', 'POST', '/memories/search', { query: corpus.query(call), search_type: 'hybrid', limit: 10 }),
  create: call => ask('quiet', 'POST', '/memories', created(corpus.memory(corpus.size + call))),
  change: call => ask('quiet', 'PATCH', `/memories/${own}`, { importance: (call % 100) / 100 }),
})

const created = ({ content, tags, importance }: { content: string; tags: string[]; importance: number }) => ({
  ...{ content, tags, importance },
  policy: 'long_term',
  ttl_seconds: 0,
})

/** Milliseconds of each call of the quiet tenant; what the loud one was answered in the meantime, and what was refused. */
type Sample = { times: Record<string, number[]>; perSecond: number; refused: number }

let nextCall = 1_000_000

async function nextTo(
  loud: ((call: number) => Promise<unknown>) | undefined,
  quiet: () => Promise<{ times: Sample['times']; refused: number }>,
): Promise<Sample> {
  let over = false
  let answered = 0
  const callers = Array.from({ length: loud ? CALLERS : 0 }, async () => {
    while (!over)
      await loud?.(nextCall++).then(
        () => answered++,
        () => {},
      )
  })
  await pause(loud ? LEAD_MS : 0)
  const [before, began] = [answered, performance.now()]
  const measured = await quiet()
  const perSecond = (1000 * (answered - before)) / (performance.now() - began)
  over = true
  await Promise.all(callers)
  return { ...measured, perSecond }
}

async function timed(calls: Calls): Promise<{ times: Sample['times']; refused: number }> {
  const times: Sample['times'] = Object.fromEntries(Object.keys(calls).map(name => [name, []]))
  let refused = 0
  for (let turn = 0; turn < QUIET_CALLS; turn++)
    for (const [name, run] of Object.entries(calls)) {
      const asked = performance.now()
      await run(nextCall++).catch(() => refused++)
      times[name]?.push(performance.now() - asked)
    }
  return { times, refused }
}

function figuresOf({ say }: World, samples: ReadonlyMap<string, Sample[]>, loads: readonly string[]) {
  const of = (load: string, kind: Kind) => samples.get(`${load} ${kind}`) ?? []
  const figures: Record<string, string> = {}
  for (const load of loads) {
    const where = load === ALONE ? 'nobody else there' : `next to ${CALLERS} callers ${load}`
    figures[`${where}: median`] = each(kind => of(load, kind), typical)
    figures[`${where}: longest`] = each(kind => of(load, kind), longest)
    if (load !== ALONE)
      figures[`answered to the ${CALLERS} callers ${load}`] = both(kind =>
        median(of(load, kind).map(({ perSecond }) => perSecond)),
      ).concat(' a second')
  }
  figures['requests of the quiet tenant that failed'] = both(kind =>
    loads.flatMap(load => of(load, kind)).reduce((sum, { refused }) => sum + refused, 0),
  )
  for (const [name, value] of Object.entries(figures)) say(`${name}: ${value}`)
  return figures
}

const both = (summarise: (kind: Kind) => number) =>
  `${summarise('shares').toFixed(0)} / ${summarise('none').toFixed(0)}`

/** A time of each call of the quiet tenant, with shares and without. */
function each(of: (kind: Kind) => readonly Sample[], summarise: (times: number[][]) => number): string {
  const names = Object.keys(of('shares')[0]?.times ?? {})
  const measured = names.map(
    name => `${name} ${both(kind => summarise(of(kind).map(({ times }) => times[name] ?? [])))}`,
  )
  return `${measured.join(', ')} ms`
}

/** The median of the rounds. */
const typical = (rounds: number[][]) => median(rounds.map(times => median(times)))

const longest = (rounds: number[][]) => Math.max(...rounds.flat())

async function remember({ corpus }: World, ask: Ask, tenant: string, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const left = Math.min(100, count - ids.length)
    const memories = Array.from({ length: left }, () => created(corpus.memory(corpus.size + nextCall++)))
    const answer = (await ask(tenant, 'POST', '/memories/batch', { memories })) as {
      memories: { id: string }[]
    }
    ids.push(...answer.memories.map(({ id }) => id))
  }
  return ids
}
