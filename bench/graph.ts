import neo4j, { type Driver } from 'neo4j-driver'
import { relationshipTypes } from '../src/contract/connections.ts'
import { spaceOf } from '../src/store/embeddings/spaces.ts'
import { ownVector } from '../src/store/embeddings/vectors.ts'
import { FOREVER, keyProperties, scopeToken } from '../src/store/neo4j/tokens.ts'
import { seededRandom } from '../tools/seeded-random.ts'
import { type Corpus, type CorpusMemory, DIMENSIONS, idOf, tenantAt, tenants, vectorOf } from './corpus.ts'

export const MODEL = 'embedding-of-the-bench'
export const space = spaceOf({ provider: 'openai', model: MODEL, dimensions: DIMENSIONS })

const ROWS = 1_000
const INDEXED_SECONDS = 3_600
const EDGES_A_MEMORY = 4

/** A memory as the service stores it, for a statement that sets it as it is. */
export const rowOf = (
  { id, tenant, content, tags, importance, createdAt }: CorpusMemory,
  vector: Float32Array,
) => ({
  at: neo4j.int(createdAt),
  vector: ownVector(tenant, id, vector),
  properties: {
    id,
    tenant,
    content,
    importance,
    tags,
    scope: scopeToken(tenant, 'active'),
    policy: 'long_term',
    ...keyProperties({ content, tags, policy: 'long_term' }),
    ttlSeconds: neo4j.int(0),
    state: 'active',
    health: 100,
    recallCount: neo4j.int(0),
    recallOrder: neo4j.int(0),
    version: neo4j.int(1),
    revision: neo4j.int(1),
    metadata: '{}',
    liveUntil: FOREVER,
    [space.truncated]: false,
  },
})

/** Waits until every index can be used, without the limit of time that other transactions have. */
export async function untilIndexed(driver: Driver): Promise<void> {
  const seconds = neo4j.int(INDEXED_SECONDS)
  await run(driver, 'CALL db.awaitIndexes($seconds)', { seconds }, 'READ', { timeout: 0 })
}

/** Stores a corpus with its connections, in the way that is quickest. Answers how many memories a second. */
export async function load(driver: Driver, corpus: Corpus): Promise<number> {
  const began = performance.now()
  await inBlocks(corpus.size, 2, at => storeBlock(driver, corpus, at))
  const perSecond = (1000 * corpus.size) / (performance.now() - began)
  await inBlocks(corpus.size, 1, at => connectBlock(driver, corpus, at))
  await untilIndexed(driver)
  // Without it nobody's plans know yet how many memories there are.
  await driver.executeQuery('CALL db.prepareForReplanning(600)')
  return perSecond
}

const storeBlock = (driver: Driver, corpus: Corpus, from: number) =>
  run(
    driver,
    `CYPHER 25
    UNWIND $rows AS row
    WITH row, datetime({epochMillis: row.at, timezone: 'Z'}) AS at
    CREATE (m:Memory) SET m = row.properties, m.createdAt = at, m.updatedAt = at
    WITH m, row
    CALL db.create.setNodeVectorProperty(m, '${space.property}', row.vector)`,
    {
      rows: Array.from({ length: Math.min(ROWS, corpus.size - from) }, (_, at) => {
        const memory = corpus.memory(from + at)
        return rowOf(memory, vectorOf(memory.content))
      }),
    },
  )

/** Most connections end in few memories of the tenant. */
async function connectBlock(driver: Driver, corpus: Corpus, from: number) {
  const random = seededRandom(from + 1)
  const edges = Array.from({ length: Math.min(ROWS, corpus.size - from) * EDGES_A_MEMORY }, (_, at) => {
    const source = from + Math.floor(at / EDGES_A_MEMORY)
    return { source, target: partner(corpus, source, random), strength: Math.round(random() * 100) / 100 }
  }).filter(({ source, target }) => source !== target)
  const byType = Map.groupBy(
    edges,
    ({ source, target }) => relationshipTypes[(source + target) % relationshipTypes.length],
  )
  for (const [type, ofType] of byType) {
    const rows = ofType.map(({ source, target, strength }) => ({
      source: idOf(corpus.name, source),
      target: idOf(corpus.name, target),
      tenant: `${corpus.name}-${tenantAt(source)}`,
      strength,
    }))
    await run(
      driver,
      `CYPHER 25
      UNWIND $rows AS row
      MATCH (a:Memory {tenant: row.tenant, id: row.source})
      MATCH (b:Memory {tenant: row.tenant, id: row.target})
      MERGE (a)-[r:${type?.toUpperCase()} {key: row.tenant + ':' + row.source + ':' + row.target}]->(b)
      ON CREATE SET r.tenant = row.tenant, r.strength = row.strength, r.origin = 'asserted',
        r.createdAt = datetime.truncate('millisecond', datetime.realtime('Z'))`,
      { rows },
    )
  }
}

function partner({ size }: Corpus, source: number, random: () => number): number {
  const own = tenantAt(source)
  const start = { small: 0, mid: tenants.small, big: tenants.small + tenants.mid }[own]
  const count = Math.max(1, Math.floor((size / 100) * tenants[own]))
  const chosen = Math.floor(count * random() ** 3)
  return Math.min(size - 1, Math.floor(chosen / tenants[own]) * 100 + start + (chosen % tenants[own]))
}

async function inBlocks(size: number, concurrency: number, work: (from: number) => Promise<unknown>) {
  let next = 0
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let from = next; from < size; from = next) {
        next = from + ROWS
        await work(from)
      }
    }),
  )
}

/** Forgets queued work, however much there is. */
export const forgetJobs = (driver: Driver, tenantPrefix: string) =>
  run(
    driver,
    `CYPHER 25
    MATCH (j:Job) WHERE j.tenant STARTS WITH $tenantPrefix
    CALL (j) { DETACH DELETE j } IN TRANSACTIONS OF 10000 ROWS`,
    { tenantPrefix },
  )

/** One statement on its own, its rows as objects. */
export async function run<T>(
  driver: Driver,
  text: string,
  parameters: Record<string, unknown> = {},
  mode: 'READ' | 'WRITE' = 'WRITE',
  limits: { timeout?: number } = {},
): Promise<T[]> {
  const session = driver.session({ database: 'neo4j', defaultAccessMode: mode })
  try {
    const { records } = await session.run(text, parameters, limits)
    return records.map(record => record.toObject() as T)
  } finally {
    // Not awaited: the answer is there, and what follows concerns the connection alone.
    void session.close()
  }
}
