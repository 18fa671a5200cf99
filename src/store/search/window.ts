import type { Context } from '../../context.ts'
import { filterParameters, isFound, type MemoryFilter, statesAt } from '../memories/filter.ts'
import { spaceParameter } from '../neo4j/projections.ts'
import { int, readValues, time, vector } from '../neo4j/statements.ts'
import { type Candidate, type CandidateRow, candidateOf, candidateRow, measuredCosine } from './hits.ts'
import { nearest } from './semantic.ts'

/** Bounds the work: so many of the newest memories of a span, and so many of the nearest ones, are looked at. */
const LOOKED = 500

/**
 * The memories of a span of time that are nearest to a query: those whose validity meets the span, and of those without
 * a validity those created in it.
 */
export async function nearestInSpan(
  ctx: Context,
  query: Float32Array,
  { from, until }: { from: number | null; until: number | null },
  filter: MemoryFilter,
  count: number,
): Promise<Candidate[]> {
  const hits = await readValues<CandidateRow>(
    ctx,
    `CALL () {
      MATCH (m:Memory) ${nearest(ctx, filter, '$looked')}
      RETURN m
      UNION
      UNWIND $states AS state
      MATCH (m:Memory) USING INDEX SEEK m:Memory(tenant, state, createdAt, id)
      WHERE m.tenant = $tenant AND m.state = state AND m.createdAt >= $from AND m.createdAt < $until AND m.id IS NOT NULL
      WITH m ORDER BY m.tenant DESC, m.state DESC, m.createdAt DESC, m.id DESC LIMIT $looked
      RETURN m
    }
    WITH m WHERE m.tenant = $tenant AND m[$space.property] IS NOT NULL AND ${isFound('m')} AND
      CASE WHEN m.validFrom IS NULL AND m.validUntil IS NULL THEN m.createdAt >= $from AND m.createdAt < $until
        ELSE coalesce(m.validFrom < $until, true) AND coalesce(m.validUntil > $from, true) END
    WITH m, ${measuredCosine('m')} AS cosine ORDER BY cosine DESC, m.id LIMIT $count
    RETURN ${candidateRow('m', 'cosine')} AS hit`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ...filterParameters(filter),
      states: statesAt(filter),
      query: vector(query),
      from: time(from ?? EARLIEST),
      until: time(until ?? LATEST),
      looked: int(LOOKED),
      count: int(count),
    },
  )
  return hits.map(candidateOf)
}

/** The first and the last day that the graph and the contract can name. */
const EARLIEST = Date.UTC(1, 0, 1)
const LATEST = Date.UTC(9999, 11, 31)
