import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import {
  type MemoryColumns,
  memoryColumns,
  memoryOf,
  otherEnd,
  readAtOnce,
  spaceParameter,
} from '../neo4j/projections.ts'
import { read, vector } from '../neo4j/statements.ts'
import { holdsNow, live } from '../neo4j/tokens.ts'
import { comparedWords } from '../neo4j/words.ts'

/** A memory with the ids of the active ones that contradict it, or that it contradicts, and its words (`comparedWords`). */
export type FoundMemory = { memory: Memory; conflicts: string[]; words: string }

/** The cosine of a memory with the query as it is asked; null if there is no vector of either. */
export type WithCosine = { cosine: number | null }

/** `score` is the cosine, -1 to 1 in steps of 1e-5, or what Lucene gave, which means something within one answer only. */
export type MemoryHit = FoundMemory &
  WithCosine & {
    score: number
    /** Where it stands in its list. */
    rank: number
    /** The best score of that list. */
    best: number
  }

export type FoundColumns = [memory: MemoryColumns, words: string]
/** A memory that an earlier page returned counts in the order, and is not read. */
export type HitColumns = [found: FoundColumns | null, score: number, cosine: number | null]
/** Two memories that contradict each other, by their ids. */
export type Conflicts = readonly (readonly [id: string, other: string])[]

/** `conflictsAmong` says the rest of such a memory: Neo4j takes a tenth as long for all of a list as for each alone. */
export const foundColumns = (ctx: Context, m: string) =>
  readAtOnce(ctx, m, each => `[${memoryColumns(each)}, ${comparedWords(each)}]`)

/** What contradicts the memories of a list. */
export const conflictsAmong = (memories: string) => `COLLECT {
      UNWIND ${memories} AS m
      MATCH (m)-[r:CONTRADICTS]-${otherEnd('other')} WHERE other.tenant = $tenant AND ${live('other')} AND ${holdsNow('r')}
      RETURN [m.id, other.id]
    }`

export function foundOf(ctx: Context, [columns, words]: FoundColumns, conflicts: Conflicts): FoundMemory {
  const memory = memoryOf(ctx, columns)
  const others = conflicts.flatMap(([id, other]) => (id === memory.id ? [other] : []))
  return { memory, conflicts: [...new Set(others)].sort(), words }
}

/** Whether an earlier page returned a memory. */
export const isReturned = (m: string) => `${m}.id IN $returned`

/** The columns of a memory, null if an earlier page returned it. */
export const columnsUnlessReturned = (ctx: Context, m: string) =>
  `CASE WHEN ${isReturned(m)} THEN null ELSE ${foundColumns(ctx, m)} END`

/** The hits of a list, best first, that no earlier page returned, with their places in it. */
export function hitsOf(
  ctx: Context,
  row: { hits: HitColumns[]; conflicts: Conflicts } | undefined,
): MemoryHit[] {
  const { hits, conflicts } = row ?? { hits: [], conflicts: [] }
  const best = hits[0]?.[1] ?? 0
  return hits.flatMap(([found, score, cosine], at) =>
    found ? [{ ...foundOf(ctx, found, conflicts), score, cosine, rank: at + 1, best }] : [],
  )
}

/** To so few digits that the bits which keep vectors apart hardly ever count: memories that are equally near are ordered by id. */
export const cosineOf = (similarity: string) => `round(2 * ${similarity} - 1, 5)`

/** The cosine of a memory with `$plain`, null if there is no vector of either. */
export const plainCosine = ({ space }: Context, m: string) =>
  `CASE WHEN $plain IS NOT NULL AND ${m}.${space.property} IS NOT NULL
      THEN ${cosineOf(`vector.similarity.cosine(${m}.${space.property}, $plain)`)} END`

export const plainParameter = (plain: Float32Array | undefined) => ({
  plain: plain ? vector(plain) : null,
})

/** Memories by id, in no order, with their cosines with the query as it is asked. */
export async function readHits(
  ctx: Context,
  ids: readonly string[],
  plain: Float32Array | undefined,
): Promise<(FoundMemory & WithCosine)[]> {
  if (ids.length === 0) return []
  const [row] = await read<{ hits: [found: FoundColumns, cosine: number | null][]; conflicts: Conflicts }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    WITH collect(m) AS memories
    RETURN [m IN memories | [${foundColumns(ctx, 'm')}, ${plainCosine(ctx, 'm')}]] AS hits, ${conflictsAmong('memories')} AS conflicts`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ids,
      ...plainParameter(plain),
    },
  )
  const { hits, conflicts } = row ?? { hits: [], conflicts: [] }
  return hits.map(([found, cosine]) => ({ ...foundOf(ctx, found, conflicts), cosine }))
}
