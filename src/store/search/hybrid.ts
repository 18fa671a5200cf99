import type { Context, QueryVector } from '../../context.ts'
import { filterParameters, isFound, type MemoryFilter } from '../memories/filter.ts'
import { spaceParameter } from '../neo4j/projections.ts'
import { int, read, vector } from '../neo4j/statements.ts'
import {
  type Conflicts,
  conflictsAmong,
  cosineOf,
  type FoundColumns,
  type FoundMemory,
  foundColumns,
  foundOf,
  isReturned,
  plainCosine,
  plainParameter,
  type WithCosine,
} from './hits.ts'
import {
  type KeywordReach,
  termParameters,
  type WordedHit,
  type WordedRow,
  type WordQuery,
  withTerms,
  wordedHitOf,
  wordedRows,
} from './keyword.ts'
import { nearest, SURE } from './semantic.ts'

/**
 * `lacksNear`: the index may have further ones of the near that pass the filter. `memories` are the `shown` best candidates of either kind, without the `returned`: most answers need no others.
 */
type Candidates = {
  near: WordedHit[]
  worded: WordedHit[]
  lacksNear: boolean
  exhausted: boolean
  memories: (FoundMemory & WithCosine)[]
}

type Wanted = { count: number; shown: number; scored: number; returned: readonly string[] }

/**
 * The candidates of both kinds of search, in one statement: `count` nearest ones, and what `memoriesWithTerms` finds,
 * of which the `scored` best come with their words.
 */
export async function candidatesOfBoth(
  ctx: Context,
  { vector: query, words }: { vector: QueryVector; words: WordQuery },
  filter: MemoryFilter,
  { count, shown, scored, returned, ...reach }: KeywordReach & Wanted,
): Promise<Candidates> {
  const [row] = await read<CandidatesRow>(
    ctx,
    `CYPHER 25
    CALL () {
      MATCH (m:Memory)
      ${nearest(ctx, filter, '$nearest')}
      WITH m, ${cosineOf('similarity')} AS score, ${isFound('m')} AS passes ORDER BY score DESC, m.id
      WITH collect(CASE WHEN passes THEN {m: m, score: score} END)[0..$count] AS hits, count(*) AS reached
      RETURN [hit IN hits | [hit.m.id, null, hit.score]] AS near, [hit IN hits[0..$shown] WHERE NOT ${isReturned('hit.m')} | hit.m] AS nearest, reached
    }
    CALL () {
      ${withTerms}
      RETURN seen, [hit IN hits[0..$shown] WHERE NOT ${isReturned('hit.m')} | hit.m] AS likeliest,
        ${wordedRows} AS worded
    }
    WITH near, reached, worded, seen, nearest + [m IN likeliest WHERE NOT m IN nearest] AS found
    RETURN near, reached, worded, seen, [m IN found | [${foundColumns(ctx, 'm')}, ${plainCosine(ctx, 'm')}]] AS memories, ${conflictsAmong('found')} AS conflicts`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ...filterParameters(filter),
      ...termParameters(ctx, words, filter, reach),
      query: vector(query.mean),
      ...plainParameter(query.plain),
      nearest: int(Math.max(ctx.breadth, count)),
      count: int(count),
      shown: int(shown),
      scored: int(scored),
      returned,
    },
  )
  const { near, reached, worded, seen, memories, conflicts } = row ?? nothing
  const wanted = Math.max(ctx.breadth, count)
  return {
    near: near.map(wordedHitOf),
    worded: worded.map(wordedHitOf),
    lacksNear: near.length < count && reached >= SURE * wanted,
    exhausted: seen < reach.candidates,
    memories: memories.map(([found, cosine]) => ({ ...foundOf(ctx, found, conflicts), cosine })),
  }
}

type CandidatesRow = {
  near: WordedRow[]
  reached: number
  worded: WordedRow[]
  seen: number
  memories: [found: FoundColumns, cosine: number | null][]
  conflicts: Conflicts
}

const nothing: CandidatesRow = { near: [], reached: 0, worded: [], seen: 0, memories: [], conflicts: [] }
