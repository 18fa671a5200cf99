import type { Context } from '../../context.ts'
import { filterParameters, insideVectorIndex, isFound, type MemoryFilter } from '../memories/filter.ts'
import { spaceParameter } from '../neo4j/projections.ts'
import { int, read, readValues, vector } from '../neo4j/statements.ts'
import {
  type Candidate,
  type CandidateRow,
  candidateOf,
  candidateRow,
  cosineOf,
  measuredCosine,
} from './hits.ts'

export const nearest = ({ space }: Context, filter: MemoryFilter, limit: string) =>
  `SEARCH m IN (VECTOR INDEX ${space.index} FOR $query WHERE ${insideVectorIndex('m', filter)} LIMIT ${limit}) SCORE AS similarity`

/** The vector index counts towards its limit what is archived or removed in that moment: only if so many fewer are seen are there no others. */
export const SURE = 0.9

/** `seen` says how many the index had, of which the last has the cosine `farthest`. */
type Nearest = { hits: Candidate[]; seen: number; farthest: number }

/** The `count` nearest memories by cosine that pass the filters, among the `candidates` nearest: the vector index holds some of the filters. */
export async function nearestMemories(
  ctx: Context,
  query: Float32Array,
  filter: MemoryFilter,
  { candidates, count }: { candidates: number; count: number },
): Promise<Nearest> {
  const [row] = await read<{ hits: CandidateRow[]; seen: number; farthest: number | null }>(
    ctx,
    `MATCH (m:Memory)
    ${nearest(ctx, filter, '$candidates')}
    WITH m, ${cosineOf('similarity')} AS cosine, ${isFound('m')} AS passes ORDER BY cosine DESC, m.id
    RETURN collect(CASE WHEN passes THEN ${candidateRow('m', 'cosine')} END)[..$count] AS hits,
      1.0 * count(*) AS seen, min(cosine) AS farthest`,
    {
      tenant: ctx.tenant,
      ...filterParameters(filter),
      query: vector(query),
      candidates: int(candidates),
      count: int(count),
    },
  )
  const { hits, seen, farthest } = row ?? { hits: [], seen: 0, farthest: null }
  return { hits: hits.map(candidateOf), seen, farthest: farthest ?? -1 }
}

/** The nearest of a given set of memories, measured one by one. */
export async function nearestOf(
  ctx: Context,
  query: Float32Array,
  ids: readonly string[],
  filter: MemoryFilter,
  count: number,
): Promise<Candidate[]> {
  const hits = await readValues<CandidateRow>(
    ctx,
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id) WHERE ${isFound('m')}
      AND m[$space.property] IS NOT NULL
    WITH m, ${measuredCosine('m')} AS cosine ORDER BY cosine DESC, m.id LIMIT $count
    RETURN ${candidateRow('m', 'cosine')} AS hit`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ...filterParameters(filter),
      ids,
      query: vector(query),
      count: int(count),
    },
  )
  return hits.map(candidateOf)
}
