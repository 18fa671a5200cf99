import type { Context } from '../../context.ts'
import { int, read } from '../neo4j/statements.ts'
import { filterClause, hasKeys } from '../neo4j/tokens.ts'
import { filterParameters, insideIndex, type SearchFilter, timesPass } from './filter.ts'
import { foundColumns, type HitColumns, hitsOf, type MemoryHit } from './hits.ts'

/** How far a search for words looks: among the `candidates` best of the index, of which `looked` are read at first. */
export type KeywordReach = { candidates: number; looked: number }

/**
 * Memories that hold at least one of the terms, best first by Lucene's BM25, among the `candidates` best that the index
 * finds for the tenant with the filters that it holds. The terms hold letters, marks and digits only, so no text reaches
 * Lucene's parser as syntax. When the index had fewer, of all that match (`exhausted`), else of the `looked` best, those
 * that pass the other filters, at most `most`.
 */
export async function memoriesWithTerms(
  ctx: Context,
  terms: readonly string[],
  filter: SearchFilter,
  { most, ...reach }: KeywordReach & { most: number },
): Promise<{ hits: MemoryHit[]; exhausted: boolean }> {
  const [row] = await read<{ hits: HitColumns[]; seen: number }>(
    ctx,
    `CYPHER 25
    ${withTerms(filter)}
    WITH seen, m, score ORDER BY score DESC, m.id LIMIT $most
    RETURN seen, collect(CASE WHEN m IS NOT NULL THEN [${foundColumns('m')}, score] END) AS hits`,
    { ...filterParameters(ctx, filter), ...termParameters(ctx, terms, filter, reach), most: int(most) },
  )
  return { hits: hitsOf(ctx, row), exhausted: (row?.seen ?? 0) < reach.candidates }
}

/**
 * Rows of `seen`, `m` and `score`; one with nulls when nothing passes. Of a term in which Lucene finds no word only the
 * filters are left: what matches by them alone has no score.
 */
export const withTerms = (filter: SearchFilter) => `CALL () {
      CALL db.index.fulltext.queryNodes('memory_text', $lucene, {limit: $candidates}) YIELD node, score
      WHERE score > 0
      RETURN collect({m: node, score: score}) AS found
    }
    WITH found, size(found) AS seen
    OPTIONAL CALL (found, seen) {
      UNWIND found[0..CASE WHEN seen < $candidates THEN seen ELSE $looked END] AS hit
      WITH hit.m AS m, hit.score AS score WHERE ${insideIndex(filter)} AND ${timesPass(filter)}
      RETURN m, score
    }`

export const termParameters = (
  { tenant }: Context,
  terms: readonly string[],
  filter: SearchFilter,
  { candidates, looked }: KeywordReach,
) => ({
  lucene: luceneQuery(tenant, terms, filter),
  candidates: int(candidates),
  looked: int(looked),
})

/**
 * Both ways of writing it find the same with the same scores. A filter that may let most of the index pass is repeated for
 * each word: there Lucene takes half the time for three words in 89,000 memories. Tags and the like keep few, and are
 * written once.
 */
function luceneQuery(tenant: string, terms: readonly string[], filter: SearchFilter): string {
  const filters = filterClause(tenant, { ...filter, states: ['active'] })
  const words = terms.map(term => `content:"${term}"`)
  return hasKeys(filter)
    ? `${filters} +(${words.join(' ')})`
    : words.map(word => `(${filters} +${word})`).join(' ')
}
