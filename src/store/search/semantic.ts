import type { Context, QueryVector } from '../../context.ts'
import { MARGIN } from '../embeddings/spaces.ts'
import { filterParameters, insideVectorIndex, isFound, type MemoryFilter } from '../memories/filter.ts'
import { spaceParameter } from '../neo4j/projections.ts'
import { int, read, vector } from '../neo4j/statements.ts'
import {
  type Conflicts,
  columnsUnlessReturned,
  conflictsAmong,
  cosineOf,
  type HitColumns,
  hitsOf,
  isReturned,
  type MemoryHit,
  plainCosine,
  plainParameter,
} from './hits.ts'

export const nearest = ({ space }: Context, filter: MemoryFilter, limit: string) =>
  `SEARCH m IN (VECTOR INDEX ${space.index} FOR $query WHERE ${insideVectorIndex('m', filter)} LIMIT ${limit}) SCORE AS similarity`

/** The vector index counts towards its limit what is archived or removed in that moment: only if so many fewer are seen are there no others. */
export const SURE = 0.9

type Row = { hits: HitColumns[]; conflicts: Conflicts }

/** Of the memories `m` of the list `found`. */
const hitsAndConflicts = (ctx: Context) => `COLLECT {
      UNWIND found AS hit
      WITH hit.m AS m, hit.cosine AS cosine
      RETURN [${columnsUnlessReturned(ctx, 'm')}, cosine, CASE WHEN NOT ${isReturned('m')} THEN ${plainCosine(ctx, 'm')} END]
    } AS hits, ${conflictsAmong(`[hit IN found WHERE NOT ${isReturned('hit.m')} | hit.m]`)} AS conflicts`

/** The vector that is searched for, and that of the plain query where it is another one: hits are compared with both. */
const vectorParameters = ({ mean, plain }: QueryVector) => ({
  query: vector(mean),
  ...plainParameter(plain === mean ? undefined : plain),
})

const comparedHits = (ctx: Context, { mean, plain }: QueryVector, row: Row | undefined): MemoryHit[] => {
  const hits = hitsOf(ctx, row)
  return plain === mean ? hits.map(hit => ({ ...hit, cosine: hit.score })) : hits
}

type Reach = { candidates: number; count: number; returned: readonly string[]; last: boolean }

/**
 * The nearest memories by cosine that pass the filters, without the `returned`, among the `candidates` nearest: the vector index holds some
 * of the filters. `complete` says that more candidates would change nothing: the index has no further ones, or they are all
 * farther than the last hit by `MARGIN`. The hits are read when they are complete, or in the `last` try.
 */
export async function nearestMemories(
  ctx: Context,
  query: QueryVector,
  filter: MemoryFilter,
  { candidates, count, returned, last }: Reach,
): Promise<{ hits: MemoryHit[]; full: boolean; complete: boolean }> {
  const [row] = await read<Row & { full: boolean; complete: boolean }>(
    ctx,
    `CYPHER 25
    CALL () {
      MATCH (m:Memory)
      ${nearest(ctx, filter, '$candidates')}
      RETURN collect({m: m, cosine: ${cosineOf('similarity')}}) AS found, min(2 * similarity - 1) AS farthest
    }
    CALL (found) {
      UNWIND found AS hit
      WITH hit.m AS m, hit.cosine AS cosine WHERE ${isFound('m')}
      WITH m, cosine ORDER BY cosine DESC, m.id LIMIT $count
      RETURN collect({m: m, cosine: cosine}) AS nearest
    }
    WITH nearest, size(nearest) = $count AS full, size(found) < $sure AS all, farthest
    WITH nearest, full, all OR (full AND nearest[-1].cosine > farthest + $margin) AS complete
    WITH full, complete, CASE WHEN complete OR $last THEN nearest ELSE [] END AS found
    RETURN full, complete, ${hitsAndConflicts(ctx)}`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ...filterParameters(filter),
      ...vectorParameters(query),
      candidates: int(candidates),
      count: int(count),
      returned,
      last,
      sure: SURE * candidates,
      margin: MARGIN,
    },
  )
  return {
    hits: comparedHits(ctx, query, row),
    full: row?.full ?? false,
    complete: row?.complete ?? true,
  }
}

/** The nearest of a given set of memories, measured one by one. */
export async function nearestOf(
  ctx: Context,
  query: QueryVector,
  ids: readonly string[],
  filter: MemoryFilter,
  { count, returned }: { count: number; returned: readonly string[] },
): Promise<MemoryHit[]> {
  const [row] = await read<Row>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id) WHERE ${isFound('m')}
      AND m[$property] IS NOT NULL
    WITH m, ${cosineOf('vector.similarity.cosine(m[$property], $query)')} AS cosine
    ORDER BY cosine DESC, m.id LIMIT $count
    WITH collect({m: m, cosine: cosine}) AS found
    RETURN ${hitsAndConflicts(ctx)}`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ...filterParameters(filter),
      ids,
      property: ctx.space.property,
      ...vectorParameters(query),
      count: int(count),
      returned,
    },
  )
  return comparedHits(ctx, query, row)
}
