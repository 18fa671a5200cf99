import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '../../tools/seeded-random.ts'
import { askOf } from '../contestants/service.ts'
import { rowOf, untilIndexed } from '../graph.ts'
import type { Findings } from '../report.ts'
import { percentiles } from '../rounds.ts'
import type { World } from '../world.ts'

const MEMORIES = 100_000
const CONNECTIONS = 400_000
const GROUP = 100
/** Of the connections, those that end in the group of their beginning. */
const INSIDE = 0.9
const ROWS = 2_000
const TENANT = 'groups'
const FETCHES = 500
const BETWEEN_MS = 10
/** So many fetches lie between two looks whether the analysis is over. */
const POLLED_AFTER = 10

/** How long the communities of a large graph take, and what fetches of the same tenant notice of it. */
export async function measureCommunities(world: World): Promise<Findings> {
  const ids = await store(world)
  const fetchOne = async (at: number) => {
    const began = performance.now()
    await askOf(world.service.url)(
      TENANT,
      'GET',
      `/memories/${ids[(at * 7_919) % MEMORIES]}?record_recall=false`,
    )
    const took = performance.now() - began
    await pause(BETWEEN_MS)
    return took
  }
  const before: number[] = []
  for (let at = 0; at < 2 * FETCHES; at++) {
    const took = await fetchOne(at)
    if (at >= FETCHES) before.push(took)
  }
  const began = performance.now()
  const starting = world.another({
    SERVICE_ROLE: 'worker',
    SERVICE_COMMUNITIES_INTERVAL_SECONDS: '1',
    SERVICE_MAINTENANCE_INTERVAL_SECONDS: '0',
    SERVICE_WARM_UP: 'off',
  })
  const during: number[] = []
  while (!(await isAnalysed(world)))
    for (let at = 0; at < POLLED_AFTER; at++) during.push(await fetchOne(at + during.length))
  const took = performance.now() - began
  await using _worker = await starting
  const { records } = await world.driver.executeQuery(
    'MATCH (g:GraphAnalysis {tenant: $tenant}) RETURN size(g.communities) AS communities',
    { tenant: TENANT },
  )
  const timesOf = (times: readonly number[]) => {
    const { p50, p99 } = percentiles(times)
    return `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`
  }
  const figures = {
    memories: MEMORIES,
    connections: CONNECTIONS,
    'groups of which the graph is made': MEMORIES / GROUP,
    'communities found': records[0]?.get('communities') as number,
    'from the start of the worker to the last write': `${(took / 1000).toFixed(1)} s`,
    'fetch before, median / p99': timesOf(before),
    'fetch in the meantime, median / p99': timesOf(during),
  }
  for (const [name, value] of Object.entries(figures)) world.say(`${name}: ${value}`)
  return { figures }
}

async function isAnalysed({ driver }: World): Promise<boolean> {
  const { records } = await driver.executeQuery(
    'MATCH (g:GraphAnalysis {tenant: $tenant}) RETURN g.at IS NOT NULL AS holds',
    { tenant: TENANT },
  )
  return records[0]?.get('holds') === true
}

/** Stored as the service does, but without changes; the feed says that there were some. Answers the ids. */
async function store({ driver, corpus, say }: World): Promise<string[]> {
  const ids = Array.from({ length: MEMORIES }, () => crypto.randomUUID())
  for (let from = 0; from < MEMORIES; from += ROWS) {
    const rows = ids.slice(from, from + ROWS).map((id, at) => {
      const { properties, at: createdAt } = rowOf(
        {
          ...corpus.memory(at),
          tenant: TENANT,
          id,
          content: `memory ${from + at} of group ${Math.floor((from + at) / GROUP)}`,
        },
        new Float32Array(1),
      )
      return { properties, at: createdAt }
    })
    await driver.executeQuery(
      `CYPHER 25
      UNWIND $rows AS row
      WITH row, datetime({epochMillis: row.at, timezone: 'Z'}) AS at
      CREATE (m:Memory) SET m = row.properties, m.createdAt = at, m.updatedAt = at, m.discoveredRevision = 1`,
      { rows },
    )
  }
  await untilIndexed(driver)
  say(`${MEMORIES} memories stored`)
  const random = seededRandom(1)
  for (let from = 0; from < CONNECTIONS; from += ROWS) {
    const rows = Array.from({ length: ROWS }, (_, at) => {
      const source = (from + at) % MEMORIES
      const start = random() < INSIDE ? source - (source % GROUP) : Math.floor(random() * (MEMORIES - GROUP))
      const target = start + Math.floor(random() * GROUP)
      return {
        source: ids[source],
        target: ids[target === source ? (source + 1) % MEMORIES : target],
        key: `${from + at}`,
      }
    })
    await driver.executeQuery(
      `CYPHER 25
      UNWIND $rows AS row
      MATCH (a:Memory {tenant: $tenant, id: row.source})
      MATCH (b:Memory {tenant: $tenant, id: row.target})
      CREATE (a)-[r:RELATED_TO {key: $tenant + ':' + row.key, tenant: $tenant, strength: 0.8, origin: 'asserted'}]->(b)
      SET r.createdAt = datetime.truncate('millisecond', datetime.realtime('Z'))`,
      { rows, tenant: TENANT },
    )
  }
  await driver.executeQuery(
    'MERGE (f:Feed {tenant: $tenant}) SET f.last = toInteger($memories), f.forgotten = 0',
    {
      tenant: TENANT,
      memories: MEMORIES,
    },
  )
  say(`${CONNECTIONS} connections stored`)
  await driver.executeQuery('CALL db.prepareForReplanning(600)')
  return ids
}
