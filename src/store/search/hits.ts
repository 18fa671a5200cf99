import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import {
  type MemoryColumns,
  memoryColumns,
  memoryOf,
  otherEnd,
  spaceParameter,
} from '../neo4j/projections.ts'
import { read, vector } from '../neo4j/statements.ts'
import { holdsNow, live } from '../neo4j/tokens.ts'

/** A memory with the ids of the active ones that contradict it, or that it contradicts. */
export type FoundMemory = { memory: Memory; conflicts: string[] }

/** `score` is the cosine, -1 to 1 in steps of 1e-5, or what Lucene gave, which means something within one answer only. */
export type MemoryHit = FoundMemory & {
  score: number
  /** Where it stands in its list. */
  rank: number
  /** The best score of that list. */
  best: number
}

export type FoundColumns = [memory: MemoryColumns, conflicts: string[]]
/** A memory that an earlier page returned counts in the order, and is not read. */
export type HitColumns = [found: FoundColumns | null, score: number]

/** The same as a list of columns. Where nothing contradicts a memory, this looks at the types of its connections alone. */
export const foundColumns = (m: string) => `${memoryColumns(m)},
      [(${m})-[r:CONTRADICTS]-${otherEnd('other')} WHERE other.tenant = $tenant AND ${live('other')} AND ${holdsNow('r')} | other.id]`

export const foundOf = (ctx: Context, [memory, conflicts]: FoundColumns): FoundMemory => ({
  memory: memoryOf(ctx, memory),
  conflicts: [...new Set(conflicts)].sort(),
})

const MARK_LENGTH = 12

/** The random end of an id: a cursor that held whole ids would be three times as long. */
export const markOf = ({ id }: { id: string }) => id.slice(-MARK_LENGTH)

/** Whether an earlier page returned a memory, by the marks of those. */
export const isReturned = (m: string) => `right(${m}.id, ${MARK_LENGTH}) IN $returned`

/** The columns of a memory, null if an earlier page returned it. */
export const columnsUnlessReturned = (m: string) =>
  `CASE WHEN ${isReturned(m)} THEN null ELSE [${foundColumns(m)}] END`

/** All hits are one row's: rows of their own would cost the driver more. */
export const hitsOf = (ctx: Context, row: { hits: HitColumns[] } | undefined): MemoryHit[] =>
  unreturned(
    ctx,
    (row?.hits ?? []).map(([found, score]) => ({ found, score })),
  )

/** The hits of a list, best first, that no earlier page returned, with their places in it. */
export const unreturned = (
  ctx: Context,
  hits: readonly { found: FoundColumns | null; score: number }[],
): MemoryHit[] =>
  hits.flatMap(({ found, score }, at) =>
    found ? [{ ...foundOf(ctx, found), score, rank: at + 1, best: hits[0]?.score ?? 0 }] : [],
  )

/** To so few digits that the bits which keep vectors apart hardly ever count: memories that are equally near are ordered by id. */
export const cosineOf = (similarity: string) => `round(2 * ${similarity} - 1, 5)`

/** Memories by id, in no order, with their cosines with a query, if they have a vector and there is one. */
export async function readHits(
  ctx: Context,
  ids: readonly string[],
  query: Float32Array | undefined,
): Promise<(FoundMemory & { cosine: number | null })[]> {
  if (ids.length === 0) return []
  const cosine = query ? cosineOf(`vector.similarity.cosine(m.${ctx.space.property}, $query)`) : 'null'
  const rows = await read<{ found: FoundColumns; cosine: number | null }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    RETURN [${foundColumns('m')}] AS found, ${cosine} AS cosine`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ids,
      ...(query ? { query: vector(query) } : {}),
    },
  )
  return rows.map(({ found, cosine }) => ({ ...foundOf(ctx, found), cosine }))
}
