import neo4j from 'neo4j-driver'
import { rowOf, run, space } from '../graph.ts'
import { embed } from '../http.ts'
import type { World } from '../world.ts'
import { type Contestant, DEPTH, LIMIT, PAGE, RELATED } from './contestant.ts'
import { createRows } from './group-commit.ts'
import { fields } from './raw-best.ts'
import { readable } from './service.ts'

type Row = { id: string }
const int = neo4j.int
const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)
const CANDIDATES = 100

/** Plain queries, as one writes them first: filters behind the index, pages by SKIP, a transaction for each write. */
export function createRawNaive(
  { corpus, driver, endpoint }: Pick<World, 'corpus' | 'driver' | 'endpoint'>,
  tenant: string,
  written: string,
  before: number,
): Contestant {
  const read = async (text: string, parameters: Record<string, unknown>) =>
    idsOf(await run<Row>(driver, text, { tenant, ...parameters }, 'READ'))
  const near = async (query: string) =>
    read(semantic, {
      vector: (await embed(endpoint, [query]))[0],
      limit: int(LIMIT),
      candidates: int(CANDIDATES),
    })
  const worded = (words: string) => read(keyword, { words, limit: int(LIMIT) })
  const page = (skip: number) => read(list, { skip: int(skip), limit: int(PAGE) })
  return {
    semantic: at => near(corpus.query(at)),
    keyword: at => worded(corpus.words(at)),
    async hybrid(at) {
      const lists = await Promise.all([near(corpus.query(at)), worded(corpus.query(at))])
      const scores = new Map<string, number>()
      for (const ids of lists)
        for (const [rank, id] of ids.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (61 + rank))
      const best = [...scores].sort(([, a], [, b]) => b - a).slice(0, LIMIT)
      return best.map(([id]) => id)
    },
    get: at => read(get, { id: readable(corpus, at) }),
    firstPage: () => page(0),
    lastPage: () => page(before),
    related: at => read(related, { id: readable(corpus, at), limit: int(RELATED) }),
    async create(at) {
      const memory = { ...corpus.memory(corpus.size + at), id: crypto.randomUUID(), tenant: written }
      const [vector] = await embed(endpoint, [memory.content])
      const session = driver.session({ database: 'neo4j' })
      try {
        await session.executeWrite(transaction =>
          transaction.run(createRows, { rows: [rowOf(memory, vector as Float32Array)] }),
        )
      } finally {
        await session.close()
      }
    },
  }
}

const semantic = `CYPHER 25
  CALL db.index.vector.queryNodes('${space.index}', $candidates, $vector) YIELD node AS m, score
  WHERE m.tenant = $tenant AND m.state = 'active'
  RETURN ${fields}, score LIMIT $limit`

const keyword = `CYPHER 25
  CALL db.index.fulltext.queryNodes('memory_text', $words) YIELD node AS m, score
  WHERE m.tenant = $tenant AND m.state = 'active'
  RETURN ${fields}, score LIMIT $limit`

const get = `CYPHER 25 MATCH (m:Memory) WHERE m.id = $id AND m.tenant = $tenant RETURN ${fields}`

const list = `CYPHER 25
  MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
  RETURN ${fields} ORDER BY m.createdAt DESC, m.id DESC SKIP $skip LIMIT $limit`

const related = `CYPHER 25
  MATCH (s:Memory {tenant: $tenant, id: $id})-[*1..${DEPTH}]->(m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
  RETURN DISTINCT ${fields} LIMIT $limit`
