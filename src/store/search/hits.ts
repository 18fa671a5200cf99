import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { filterParameters, isFound, type MemoryFilter } from '../memories/filter.ts'
import { type MemoryColumns, memoryOf, otherEnd, readAtOnce, spaceParameter } from '../neo4j/projections.ts'
import { read, vector } from '../neo4j/statements.ts'
import { holdsNow, live } from '../neo4j/tokens.ts'

/**
 * A memory that a search met, and what is asked of it before the best are read. `digest` is that of its text, null if
 * another tool made the memory without one; `score` is the cosine, -1 to 1 in steps of 1e-5, or what Lucene gave, which means something within one answer only.
 */
export type Candidate = {
  readonly id: string
  readonly digest: string | null
  readonly inSession: boolean
  readonly score: number
}

export type CandidateRow = [id: string, digest: string | null, inSession: boolean, score: number]

export const candidateRow = (m: string, score: string) =>
  `[${m}.id, ${m}.textDigest, ${m}.sessionId IS NOT NULL, ${score}]`

export const candidateOf = ([id, digest, inSession, score]: CandidateRow): Candidate => ({
  id,
  digest,
  inSession,
  score,
})

/** To so few digits that the bits which keep vectors apart hardly ever count: memories that are equally near are ordered by id. */
export const cosineOf = (similarity: string) => `round(2 * ${similarity} - 1, 5)`

/** The cosine of a memory with the vector `$query`, null if it has none in the space. */
export const measuredCosine = (m: string, query = '$query') =>
  cosineOf(`vector.similarity.cosine(${m}[$space.property], ${query})`)

/** A memory with the ids of the active ones that contradict it, or that it contradicts. */
type FoundMemory = {
  memory: Memory
  /** The same as of its candidate, unless it was changed since. */
  digest: string | null
  conflicts: string[]
  /** Null unless it was asked for, and there is a vector. */
  cosine: number | null
  /** Null unless they were asked for. */
  words: string | null
}

/** For which of the memories the cosine with the `plain` vector and the words are read too. */
type Asked = {
  readonly plain: Float32Array | undefined
  readonly cosine: readonly string[]
  readonly words: readonly string[]
}

/**
 * Those of some memories that a search finds, in no order. What contradicts them is read for all together: Neo4j takes a
 * tenth as long as for each alone.
 */
export async function readHits(
  ctx: Context,
  ids: readonly string[],
  filter: MemoryFilter,
  { plain, cosine = [], words = [] }: Partial<Asked> = {},
): Promise<FoundMemory[]> {
  if (ids.length === 0) return []
  const compared = plain && cosine.length > 0
  const [row] = await read<{ hits: HitColumns[]; conflicts: [id: string, other: string][] }>(
    ctx,
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id) WHERE ${isFound('m')}
    WITH collect(m) AS memories
    RETURN [m IN memories | [${readAtOnce(ctx, 'm')}, m.textDigest,
      CASE WHEN m.id IN $with.cosine THEN ${measuredCosine('m', '$with.query')} END,
      CASE WHEN m.id IN $with.words THEN coalesce(m.words, '') END]] AS hits,
    COLLECT {
      UNWIND memories AS m
      MATCH (m)-[r:CONTRADICTS]-${otherEnd('other')} WHERE other.tenant = $tenant AND ${live('other')} AND ${holdsNow('r')}
      RETURN [m.id, other.id]
    } AS conflicts`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ...filterParameters(filter),
      ids,
      with: { cosine: compared ? cosine : [], words, query: compared ? vector(plain) : null },
    },
  )
  const { hits, conflicts } = row ?? { hits: [], conflicts: [] }
  return hits.map(([columns, digest, cosine, words]) => {
    const others = conflicts.flatMap(([id, other]) => (id === columns[0] ? [other] : []))
    return { memory: memoryOf(ctx, columns), digest, conflicts: [...new Set(others)].sort(), cosine, words }
  })
}

type HitColumns = [columns: MemoryColumns, digest: string | null, cosine: number | null, words: string | null]

/** The words of memories, in no order. */
export const readWords = (
  ctx: Context,
  ids: readonly string[],
): Promise<{ id: string; digest: string | null; words: string }[]> =>
  read(
    ctx,
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    RETURN id, m.textDigest AS digest, coalesce(m.words, '') AS words`,
    { tenant: ctx.tenant, ids },
  )
