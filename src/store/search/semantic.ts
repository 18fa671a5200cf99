import type { Context } from '../../context.ts'
import { MARGIN } from '../embeddings/spaces.ts'
import { filterParameters, insideVectorIndex, isFound, type MemoryFilter } from '../memories/filter.ts'
import { spaceParameter } from '../neo4j/projections.ts'
import { int, read, vector } from '../neo4j/statements.ts'
import { columnsUnlessReturned, cosineOf, type HitColumns, hitsOf, type MemoryHit } from './hits.ts'

export const nearest = ({ space }: Context, filter: MemoryFilter, limit: string) =>
  `SEARCH m IN (VECTOR INDEX ${space.index} FOR $query WHERE ${insideVectorIndex('m', filter)} LIMIT ${limit}) SCORE AS similarity`

/** The vector index counts towards its limit what is archived or removed in that moment: only if so many fewer are seen are there no others. */
export const SURE = 0.9

type Reach = { candidates: number; count: number; returned: readonly string[]; last: boolean }

/**
 * The nearest memories by cosine that pass the filters, without the `returned`, among the `candidates` nearest: the vector index holds some
 * of the filters. `complete` says that more candidates would change nothing: the index has no further ones, or they are all
 * farther than the last hit by `MARGIN`. The hits are read when they are complete, or in the `last` try.
 */
export async function nearestMemories(
  ctx: Context,
  query: Float32Array,
  filter: MemoryFilter,
  { candidates, count, returned, last }: Reach,
): Promise<{ hits: MemoryHit[]; full: boolean; complete: boolean }> {
  const [row] = await read<{ hits: HitColumns[]; full: boolean; complete: boolean }>(
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
      RETURN collect({m: m, cosine: cosine}) AS nearest
    }
    WITH nearest, size(nearest) = $count AS full, size(found) < $sure AS all, farthest
    WITH nearest, full, all OR (full AND nearest[-1].cosine > farthest + $margin) AS complete
    RETURN full, complete, COLLECT {
      UNWIND CASE WHEN complete OR $last THEN nearest ELSE [] END AS hit
      WITH hit.m AS m, hit.cosine AS cosine
      RETURN [${columnsUnlessReturned('m')}, cosine]
    } AS hits`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ...filterParameters(filter),
      query: vector(query),
      candidates: int(candidates),
      count: int(count),
      returned,
      last,
      sure: SURE * candidates,
      margin: MARGIN,
    },
  )
  return { hits: hitsOf(ctx, row), full: row?.full ?? false, complete: row?.complete ?? true }
}

/** The nearest of a given set of memories, measured one by one. */
export async function nearestOf(
  ctx: Context,
  query: Float32Array,
  ids: readonly string[],
  filter: MemoryFilter,
  { count, returned }: { count: number; returned: readonly string[] },
): Promise<MemoryHit[]> {
  const [row] = await read<{ hits: HitColumns[] }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id) WHERE ${isFound('m', filter)}
      AND m[$property] IS NOT NULL
    WITH m, ${cosineOf('vector.similarity.cosine(m[$property], $query)')} AS cosine
    ORDER BY cosine DESC, m.id LIMIT $count
    RETURN collect([${columnsUnlessReturned('m')}, cosine]) AS hits`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ...filterParameters(filter),
      ids,
      property: ctx.space.property,
      query: vector(query),
      count: int(count),
      returned,
    },
  )
  return hitsOf(ctx, row)
}
