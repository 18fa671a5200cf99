import type { Context } from '../../context.ts'
import { MARGIN } from '../embeddings/spaces.ts'
import { filterParameters, insideVectorIndex, isFound, type MemoryFilter } from '../memories/filter.ts'
import { spaceParameter } from '../neo4j/projections.ts'
import { int, read, vector } from '../neo4j/statements.ts'
import { cosineOf, foundColumns, type HitColumns, hitsOf, type MemoryHit } from './hits.ts'

export const nearest = ({ space }: Context, filter: MemoryFilter, limit: string) =>
  `SEARCH m IN (VECTOR INDEX ${space.index} FOR $query WHERE ${insideVectorIndex('m', filter)} LIMIT ${limit}) SCORE AS similarity`

/** The vector index counts towards its limit what is archived or removed in that moment: only if so many fewer are seen are there no others. */
export const SURE = 0.9

/**
 * The nearest memories by cosine that pass the filters, among the `candidates` nearest: the vector index holds some
 * of the filters. `complete` says that more candidates would change nothing: the index has no further ones, or they are all
 * farther than the last hit by `MARGIN`.
 */
export async function nearestMemories(
  ctx: Context,
  query: Float32Array,
  filter: MemoryFilter,
  { candidates, count }: { candidates: number; count: number },
): Promise<{ hits: MemoryHit[]; complete: boolean }> {
  const [row] = await read<{ hits: HitColumns[]; seen: number; farthest: number }>(
    ctx,
    `CYPHER 25
    CALL () {
      MATCH (m:Memory)
      ${nearest(ctx, filter, '$candidates')}
      RETURN collect({m: m, cosine: ${cosineOf('similarity')}}) AS found, min(2 * similarity - 1) AS farthest
    }
    CALL (found) {
      UNWIND found AS hit
      WITH hit.m AS m, hit.cosine AS cosine WHERE ${isFound('m', filter)}
      WITH m, cosine ORDER BY cosine DESC, m.id LIMIT $count
      RETURN collect([${foundColumns('m')}, cosine]) AS hits
    }
    RETURN hits, size(found) AS seen, farthest`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ...filterParameters(filter),
      query: vector(query),
      candidates: int(candidates),
      count: int(count),
    },
  )
  const { seen, farthest } = row ?? { seen: 0, farthest: 0 }
  const hits = hitsOf(ctx, row)
  const last = hits.length === count ? hits.at(-1) : undefined
  return {
    hits,
    complete: seen < SURE * candidates || (last !== undefined && last.score > farthest + MARGIN),
  }
}

/** The nearest of a given set of memories, measured one by one. */
export async function nearestOf(
  ctx: Context,
  query: Float32Array,
  ids: readonly string[],
  filter: MemoryFilter,
  count: number,
): Promise<MemoryHit[]> {
  const [row] = await read<{ hits: HitColumns[] }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id) WHERE ${isFound('m', filter)}
      AND m[$property] IS NOT NULL
    WITH m, ${cosineOf('vector.similarity.cosine(m[$property], $query)')} AS cosine
    ORDER BY cosine DESC, m.id LIMIT $count
    RETURN collect([${foundColumns('m')}, cosine]) AS hits`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ...filterParameters(filter),
      ids,
      property: ctx.space.property,
      query: vector(query),
      count: int(count),
    },
  )
  return hitsOf(ctx, row)
}
