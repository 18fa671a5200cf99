import neo4j from 'neo4j-driver'
import { relationshipTypes } from '../../src/contract/connections.ts'
import { scopeToken } from '../../src/store/neo4j/tokens.ts'
import type { CorpusMemory } from '../corpus.ts'
import { rowOf, run, space } from '../graph.ts'
import { embed } from '../http.ts'
import type { World } from '../world.ts'
import { type Contestant, DEPTH, LIMIT, ofEachRead, PAGE, RELATED, type Read } from './contestant.ts'
import { createRows, inGroups } from './group-commit.ts'
import { readable } from './service.ts'

/** What is answered of a memory: its fields, times as numbers. */
export const fields = `m.id AS id, m.content AS content, m.policy AS policy, m.ttlSeconds AS ttlSeconds, m.tags AS tags,
  m.importance AS importance, m.state AS state, m.health AS health, m.recallCount AS recallCount, m.version AS version,
  m.createdAt.epochMillis AS createdAt, m.updatedAt.epochMillis AS updatedAt`

export type Row = { id: string }
const int = neo4j.int
export const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)

/** The index looks at five times as many: with fewer it misses some of the nearest ten. */
const CANDIDATES = 20
/** Rows of one commit. */
export const GROUP = 128

type Database = Pick<World, 'corpus' | 'driver' | 'endpoint'>

/** The best known forms, with the driver alone and nothing between it and the caller. */
export async function createRawBest(
  world: Database,
  tenant: string,
  written: string,
  last: number,
): Promise<Contestant> {
  const { driver, corpus, endpoint } = world
  const store = inGroups<CorpusMemory>(GROUP, async memories => {
    const contents = memories.map(({ content }) => content)
    const vectors = await embed(endpoint, contents)
    const rows = memories.map((memory, at) => rowOf(memory, vectors[at] as Float32Array))
    await run(driver, createRows, { rows })
  })
  const rows = await bestRows(world, tenant, last)
  return {
    ...ofEachRead(name => async (at: number) => idsOf(await rows[name](at))),
    create: at => store({ ...corpus.memory(corpus.size + at), id: crypto.randomUUID(), tenant: written }),
  }
}

/** What these forms answer to the calls that read. */
export async function bestRows(
  { corpus, driver, endpoint }: Database,
  tenant: string,
  last: number,
): Promise<Record<Read, (call: number) => Promise<Row[]>>> {
  const read = (text: string, parameters: Record<string, unknown>) =>
    run<Row>(driver, text, { tenant, ...parameters }, 'READ')
  const vectorOfQuery = async (text: string) =>
    neo4j.vector((await embed(endpoint, [text]))[0] as Float32Array)
  const lucene = (words: string) => `+scope:${scopeToken(tenant, 'active')}^0 +words:(${words})`
  const end = await lastRow(read, last)
  return {
    async semantic(at) {
      const vector = await vectorOfQuery(corpus.query(at))
      return read(semantic, { vector, candidates: int(CANDIDATES), limit: int(LIMIT) })
    },
    async keyword(at) {
      return read(keyword, { lucene: lucene(corpus.words(at)), limit: int(LIMIT) })
    },
    async hybrid(at) {
      const query = corpus.query(at)
      const vector = await vectorOfQuery(query)
      return read(hybrid, {
        vector,
        candidates: int(CANDIDATES),
        lucene: lucene(query),
        limit: int(LIMIT),
      })
    },
    async get(at) {
      return read(get, { id: readable(corpus, at) })
    },
    async firstPage() {
      return read(firstPage, { limit: int(PAGE) })
    },
    async lastPage() {
      return read(nextPage, { ...end, limit: int(PAGE) })
    },
    async related(at) {
      return read(relatedWithin(DEPTH), { id: readable(corpus, at), limit: int(RELATED) })
    },
  }
}

const semantic = `CYPHER 25
  MATCH (m:Memory)
  SEARCH m IN (VECTOR INDEX ${space.index} FOR $vector WHERE m.tenant = $tenant AND m.state = 'active' LIMIT $candidates)
    SCORE AS score
  WITH m, score LIMIT $limit
  RETURN ${fields}, 2 * score - 1 AS score`

const keyword = `CYPHER 25
  CALL db.index.fulltext.queryNodes('memory_text', $lucene, {limit: $limit}) YIELD node AS m, score
  WHERE m.tenant = $tenant AND m.state = 'active'
  RETURN ${fields}, score`

const hybrid = `CYPHER 25
  CALL () {
    MATCH (m:Memory)
    SEARCH m IN (VECTOR INDEX ${space.index} FOR $vector WHERE m.tenant = $tenant AND m.state = 'active' LIMIT $candidates)
      SCORE AS score
    WITH m LIMIT $limit
    RETURN collect(m) AS near
  }
  CALL () {
    CALL db.index.fulltext.queryNodes('memory_text', $lucene, {limit: $limit}) YIELD node AS m
    WHERE m.tenant = $tenant AND m.state = 'active'
    RETURN collect(m) AS worded
  }
  UNWIND [at IN range(0, size(near) - 1) | {m: near[at], part: 1.0 / (61 + at)}] +
    [at IN range(0, size(worded) - 1) | {m: worded[at], part: 1.0 / (61 + at)}] AS hit
  WITH hit.m AS m, sum(hit.part) AS score ORDER BY score DESC LIMIT $limit
  RETURN ${fields}, score`

const get = `CYPHER 25 MATCH (m:Memory {id: $id}) WHERE m.tenant = $tenant RETURN ${fields}`

const firstPage = `CYPHER 25
  MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active' AND m.createdAt IS NOT NULL AND m.id IS NOT NULL
  WITH m ORDER BY m.tenant DESC, m.state DESC, m.createdAt DESC, m.id DESC LIMIT $limit
  RETURN ${fields}`

const nextPage = `CYPHER 25
  MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
    AND m.createdAt <= datetime({epochMillis: $at, timezone: 'Z'}) AND NOT (m.createdAt = datetime({epochMillis: $at, timezone: 'Z'}) AND m.id >= $id)
    AND m.id IS NOT NULL
  WITH m ORDER BY m.tenant DESC, m.state DESC, m.createdAt DESC, m.id DESC LIMIT $limit
  RETURN ${fields}`

/** The nearest first: no order by strength, which the walk of the service has. */
export const relatedWithin = (depth: number) => `CYPHER 25
  MATCH (s:Memory {id: $id}) WHERE s.tenant = $tenant
  MATCH p = ANY SHORTEST (s)
    ((a)-[:${relationshipTypes.map(type => type.toUpperCase()).join('|')}]->(b WHERE b.tenant = $tenant AND b.state = 'active')){1,${depth}}
    (m)
  WITH m, p LIMIT $limit
  WITH m, length(p) AS depth, last(relationships(p)) AS r
  RETURN ${fields}, depth, type(r) AS type, r.strength AS strength, r.createdAt.epochMillis AS connectedAt`

/** Where the last page begins: behind the memory that stands before so many last ones. */
async function lastRow(
  read: (text: string, parameters: Record<string, unknown>) => Promise<Row[]>,
  last: number,
) {
  const [row] = (await read(
    `CYPHER 25
    MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active' AND m.createdAt IS NOT NULL AND m.id IS NOT NULL
    WITH m ORDER BY m.tenant, m.state, m.createdAt, m.id SKIP $skip LIMIT 1
    RETURN m.id AS id, m.createdAt.epochMillis AS at`,
    { skip: int(last) },
  )) as (Row & { at: number })[]
  return { id: row?.id, at: int(row?.at ?? 0) }
}
