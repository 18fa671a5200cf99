import { setTimeout as pause } from 'node:timers/promises'
import { askOf, createService } from '../contestants/service.ts'
import { cosine, idOf, tenantAt, vectorOf } from '../corpus.ts'
import { forgetJobs, run, space } from '../graph.ts'
import type { Findings, Options } from '../report.ts'
import { median, percentiles, rotated } from '../rounds.ts'
import { searching } from '../while-searching.ts'
import type { World } from '../world.ts'

const NEW = 1_000
const BATCH = 256
const THRESHOLD = 0.7
const QUIET_SEARCHES = 500
const SETTLING_SEARCHES = 100
const ROUNDS = 9
const HOUR_MS = 3_600_000
/** Vectors are 32-bit floats: pairs so near to the threshold may be connected or not. */
const TOLERANCE = 1e-5

/**
 * New memories are connected by raw-best and by the service, each with nobody else there and while searches go on. What
 * the service connects is compared with an exact scan each time.
 */
export async function measureDiscovery(world: World, { rounds: count = ROUNDS }: Options): Promise<Findings> {
  const tenant = `${world.corpus.name}-big`
  const { semantic } = await createService(world, tenant, tenant)
  const added = await addMemories(world, tenant)
  await using worker = await world.another({
    SERVICE_ROLE: 'all',
    SERVICE_AUTO_DISCOVERY_THRESHOLD: String(THRESHOLD),
  })
  const askWorker = askOf(worker.url)
  const byRaw: Discovery = { prepare: async () => {}, work: () => rawDiscovery(world, tenant, added) }
  const byService: Discovery = {
    async prepare() {
      await askWorker(tenant, 'POST', '/admin/queue/pause', { until: new Date(Date.now() + HOUR_MS) })
      await queueAll(world, tenant, added)
    },
    async work() {
      // Wakes the worker, as the write does that queues a discovery.
      await askWorker(tenant, 'POST', '/admin/queue/resume', {})
      await untilEmpty(world, tenant)
    },
  }
  const made: Set<string>[] = []
  const service = async (isSearching: boolean) => {
    const took = await timed(world, byService, semantic, isSearching)
    made.push(await connected(world))
    return took
  }
  const works = {
    raw: () => timed(world, byRaw, semantic, false),
    service: () => service(false),
    rawMeanwhile: () => timed(world, byRaw, semantic, true),
    serviceMeanwhile: () => service(true),
  }
  const rounds: Round[] = []
  for (let round = 0; round <= count; round++) {
    const quiet = await searching(semantic, Promise.resolve(), QUIET_SEARCHES)
    const ofRound = {} as Record<Work, Timed>
    for (const name of rotated(Object.keys(works) as Work[], round)) ofRound[name] = await works[name]()
    rounds.push({ quiet, ...ofRound })
  }
  // The first round makes plans and warms what it runs on.
  const of = (value: (round: Round) => number) => median(rounds.slice(1).map(value))
  const ratio = (value: (round: Round) => number) => `× ${of(value).toFixed(2)}`
  const seconds = (work: Work) => of(round => round[work].seconds).toFixed(1)
  const times = (searches: (round: Round) => Percentiles) =>
    `${of(round => searches(round).p50).toFixed(1)} / ${of(round => searches(round).p99).toFixed(1)} ms`
  const judged = judge(world, added, made)
  const figures = {
    'new memories': NEW,
    rounds: count,
    'pairs at or above the threshold by an exact scan': judged.wanted,
    'of these connected by the service': judged.made,
    'connected below the threshold': judged.below,
    'seconds of raw-best, nobody else there': seconds('raw'),
    'seconds of the service, nobody else there': seconds('service'),
    'service over raw-best, nobody else there': ratio(({ raw, service }) => service.seconds / raw.seconds),
    'seconds of raw-best while searches go on': seconds('rawMeanwhile'),
    'seconds of the service while searches go on': seconds('serviceMeanwhile'),
    'service over raw-best while searches go on': ratio(
      ({ rawMeanwhile, serviceMeanwhile }) => serviceMeanwhile.seconds / rawMeanwhile.seconds,
    ),
    'searches while nobody connects, p50 / p99': times(({ quiet }) => quiet),
    'searches while raw-best connects, p50 / p99': times(({ rawMeanwhile }) => rawMeanwhile.searches),
    'searches while the service connects, p50 / p99': times(
      ({ serviceMeanwhile }) => serviceMeanwhile.searches,
    ),
    'their p99 over that while nobody connects, raw-best': ratio(
      ({ quiet, rawMeanwhile }) => rawMeanwhile.searches.p99 / quiet.p99,
    ),
    'their p99 over that while nobody connects, the service': ratio(
      ({ quiet, serviceMeanwhile }) => serviceMeanwhile.searches.p99 / quiet.p99,
    ),
  }
  world.say(JSON.stringify(figures, null, 2))
  return { figures, flags: `--rounds ${count}` }
}

type Discovery = { prepare: () => Promise<unknown>; work: () => Promise<unknown> }
type Percentiles = ReturnType<typeof percentiles>
type Timed = { seconds: number; searches: Percentiles }
type Work = 'raw' | 'service' | 'rawMeanwhile' | 'serviceMeanwhile'
type Round = Record<Work, Timed> & { quiet: Percentiles }

/** Connects all again, alone or during searches. It waits for the work that the clean-up leaves. */
async function timed(
  { driver }: World,
  { prepare, work }: Discovery,
  search: (call: number) => Promise<unknown>,
  isSearching: boolean,
): Promise<Timed> {
  await run(driver, `MATCH ()-[r:RELATED_TO]->() WHERE r.origin = 'discovered' DELETE r`)
  await prepare()
  await searching(search, Promise.resolve(), SETTLING_SEARCHES)
  const began = performance.now()
  const working = work().then(() => (performance.now() - began) / 1000)
  const searches = isSearching ? await searching(search, working, 0) : percentiles([])
  return { seconds: await working, searches }
}

/** Memories of stories that are there already, past the end of the corpus; the worker knows nothing of them yet. */
async function addMemories({ corpus, service, driver }: World, tenant: string): Promise<string[]> {
  const ask = askOf(service.url)
  const ids: string[] = []
  for (let from = 0; from < NEW; from += 500) {
    const memories = Array.from({ length: Math.min(500, NEW - from) }, (_, at) => {
      const { content, tags, importance } = corpus.memory(corpus.size + from + at)
      return { content, tags, importance, policy: 'long_term', ttl_seconds: 0 }
    })
    const answer = (await ask(tenant, 'POST', '/memories/batch', { memories })) as {
      memories: { id: string }[]
    }
    ids.push(...answer.memories.map(({ id }) => id))
  }
  await forgetJobs(driver, tenant)
  return ids
}

/** The best known form: a few candidates for all, many only for those whose candidates were all near enough. */
async function rawDiscovery({ driver }: World, tenant: string, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += BATCH)
    await run(driver, connect, {
      tenant,
      ids: ids.slice(from, from + BATCH),
      least: (1 + THRESHOLD) / 2,
      threshold: THRESHOLD,
    })
}

const nearest = (limit: number) => `MATCH (b:Memory)
    SEARCH b IN (VECTOR INDEX ${space.index} FOR a.${space.property}
      WHERE b.tenant = a.tenant AND b.state = 'active' LIMIT ${limit}) SCORE AS score
    WITH b, score WHERE score >= $least AND b <> a
    RETURN collect({b: b, score: score})`

const connect = `CYPHER 25
  UNWIND $ids AS id
  MATCH (a:Memory {tenant: $tenant, id: id})
  CALL (a) { ${nearest(20)} AS few }
  CALL (a, few) {
    WITH a, few WHERE size(few) < 19
    RETURN few AS found
    UNION ALL
    WITH a, few WHERE size(few) >= 19
    CALL (a) { ${nearest(400)} AS many }
    RETURN many AS found
  }
  UNWIND found AS hit
  WITH a, hit.b AS b, 2 * hit.score - 1 AS cosine
  WITH CASE WHEN a.createdAt > b.createdAt OR (a.createdAt = b.createdAt AND a.id > b.id) THEN a ELSE b END AS newer,
    CASE WHEN a.createdAt > b.createdAt OR (a.createdAt = b.createdAt AND a.id > b.id) THEN b ELSE a END AS older, cosine
  WITH DISTINCT newer, older, cosine WHERE NOT EXISTS { (newer)-[:RELATED_TO]-(older) }
  MERGE (newer)-[r:RELATED_TO {key: newer.tenant + ':' + newer.id + ':' + older.id}]->(older)
  ON CREATE SET r.tenant = newer.tenant, r.origin = 'discovered', r.strength = cosine, r.threshold = $threshold,
    r.createdAt = datetime.truncate('millisecond', datetime.realtime('Z'))
  FINISH`

const queueAll = ({ driver }: World, tenant: string, ids: readonly string[]) =>
  run(
    driver,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id})
    CREATE (:Job {id: 'discover:' + m.tenant + ':' + m.id + ':' + toString(m.revision), kind: 'discover', tenant: m.tenant, memoryId: m.id,
      revision: m.revision, attempt: 0, state: 'queued', createdAt: datetime.realtime('Z'), runAt: datetime.realtime('Z')})`,
    { tenant, ids },
  )

async function untilEmpty({ driver }: World, tenant: string): Promise<void> {
  const count = 'MATCH (j:Job) WHERE j.tenant = $tenant RETURN count(j) AS left'
  for (;;) {
    const [row] = await run<{ left: number }>(driver, count, { tenant }, 'READ')
    if (row?.left === 0) return
    await pause(20)
  }
}

/** The pairs that are connected now, each by its ids in order. */
async function connected({ driver }: World): Promise<Set<string>> {
  const rows = await run<{ pair: string[] }>(
    driver,
    `MATCH (a)-[r:RELATED_TO]->(b) WHERE r.origin = 'discovered' RETURN [a.id, b.id] AS pair`,
  )
  return new Set(rows.map(({ pair }) => pair.toSorted().join()))
}

/** Every new memory against all others of its tenant, one by one; what was made each time is judged by its worst. */
function judge({ corpus }: World, added: readonly string[], made: readonly Set<string>[]) {
  const olds = Array.from({ length: corpus.size }, (_, at) => at).filter(at => tenantAt(at) === 'big')
  const vectors = new Map(olds.map(at => [idOf(corpus.name, at), vectorOf(corpus.memory(at).content)]))
  for (const [at, id] of added.entries()) vectors.set(id, vectorOf(corpus.memory(corpus.size + at).content))
  const wanted = new Set<string>()
  const allowed = new Set<string>()
  for (const id of added)
    for (const [other, vector] of vectors) {
      if (other === id) continue
      const nearness = cosine(vectors.get(id) as Float32Array, vector)
      if (nearness >= THRESHOLD + TOLERANCE) wanted.add([id, other].sort().join())
      if (nearness >= THRESHOLD - TOLERANCE) allowed.add([id, other].sort().join())
    }
  return {
    wanted: wanted.size,
    made: Math.min(...made.map(pairs => [...wanted].filter(pair => pairs.has(pair)).length)),
    below: Math.max(...made.map(pairs => [...pairs].filter(pair => !allowed.has(pair)).length)),
  }
}
