import type { Context } from '../../context.ts'
import {
  filterClause,
  filterParameters,
  isFound,
  isIndexed,
  type MemoryFilter,
  statesAt,
} from '../memories/filter.ts'
import { spaceParameter } from '../neo4j/projections.ts'
import { int, read } from '../neo4j/statements.ts'
import {
  type Conflicts,
  conflictsAmong,
  type FoundColumns,
  type FoundMemory,
  foundColumns,
  foundOf,
  isReturned,
} from './hits.ts'

/** A memory holds at least one of the terms, and all of the phrases, each in one of its forms. */
export type WordQuery = { terms: readonly (readonly string[])[]; phrases: readonly (readonly string[])[] }

/** A match; the best ones have their words. */
export type WordedHit = { id: string; words: string | null; score: number }

/** `most` hits are returned, the `scored` best with their words, and the memories of the `shown` best that are not `returned`. */
type Wanted = { most: number; scored: number; shown: number; returned: readonly string[] }

export type WordedRow = [id: string, words: string | null, score: number]

/** How far a search for words looks: among the `candidates` best of the index, of which `looked` are read at first. */
export type KeywordReach = { candidates: number; looked: number }

/**
 * Memories that hold at least one of the terms, best first by Lucene's BM25, among the `candidates` best that the index
 * finds for the tenant with the filters that it holds. Terms and phrases hold no quote or backslash, so no text reaches
 * Lucene's parser as syntax. When the index had fewer, of all that match (`exhausted`), else of the `looked` best, those
 * that pass the other filters, at most `most`.
 */
export async function memoriesWithTerms(
  ctx: Context,
  query: WordQuery,
  filter: MemoryFilter,
  { most, scored, shown, returned, ...reach }: KeywordReach & Wanted,
): Promise<{ hits: WordedHit[]; memories: FoundMemory[]; exhausted: boolean }> {
  const [row] = await read<Row>(
    ctx,
    `CYPHER 25
    ${withTerms}
    WITH seen, hits[0..$most] AS hits, [hit IN hits[0..$shown] WHERE NOT ${isReturned('hit.m')} | hit.m] AS best
    RETURN seen, ${wordedRows} AS hits,
      [m IN best | ${foundColumns(ctx, 'm')}] AS memories, ${conflictsAmong('best')} AS conflicts`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ...filterParameters(filter),
      ...termParameters(ctx, query, filter, reach),
      most: int(most),
      scored: int(scored),
      shown: int(shown),
      returned,
    },
  )
  const { hits, memories, conflicts, seen } = row ?? nothing
  return {
    hits: hits.map(wordedHitOf),
    memories: memories.map(columns => foundOf(ctx, columns, conflicts)),
    exhausted: seen < reach.candidates,
  }
}

type Row = { hits: WordedRow[]; memories: FoundColumns[]; conflicts: Conflicts; seen: number }

const nothing: Row = { hits: [], memories: [], conflicts: [], seen: 0 }

/** The `hits` of such a search, the `$scored` best with their words. */
export const wordedRows = `[hit IN hits[0..$scored] | [hit.m.id, hit.m.words, hit.score]] +
        [hit IN hits[$scored..] | [hit.m.id, null, hit.score]]`

export const wordedHitOf = ([id, words, score]: WordedRow): WordedHit => ({ id, words, score })

/**
 * One row: how many the index found (`seen`), and those of them that pass (`hits`: `m` and `score`), best first; of the
 * `looked` best where the index may have more. Of a term in which Lucene finds no word only the filters are left: what
 * matches by them alone has no score. The rows are sorted before they are a list: Neo4j counts the memory of a list
 * again for each row that is sorted next to it.
 */
export const withTerms = `CALL () {
      CALL db.index.fulltext.queryNodes('memory_text', $lucene, {limit: $candidates}) YIELD node AS m, score
      WHERE score > 0
      WITH m, score, m.tenant = $tenant AND ${isFound('m')} AS passes ORDER BY score DESC, m.id
      RETURN count(*) AS seen, collect(CASE WHEN passes THEN {m: m, score: score} END) AS passing
    }
    WITH seen, passing[0..CASE WHEN seen < $candidates THEN seen ELSE $looked END] AS hits`

export const termParameters = (
  { tenant }: Context,
  query: WordQuery,
  filter: MemoryFilter,
  { candidates, looked }: KeywordReach,
) => ({
  lucene: luceneQuery(tenant, query, filter),
  candidates: int(candidates),
  looked: int(looked),
})

/**
 * Both ways of writing it find the same with the same scores. A filter that may let most of the index pass is repeated for
 * each word: there Lucene takes half the time for three words in 89,000 memories. Tags and the like keep few, and are
 * written once.
 */
function luceneQuery(tenant: string, { terms, phrases }: WordQuery, filter: MemoryFilter): string {
  const required = phrases.map(forms => `+${contains(forms)}`)
  const filters = [filterClause(tenant, statesAt(filter), filter), ...required].join(' ')
  const words = terms.map(contains)
  return isIndexed(filter) || phrases.length > 0
    ? `${filters} +(${words.join(' ')})`
    : words.map(word => `(${filters} +${word})`).join(' ')
}

const contains = (forms: readonly string[]) => `(${forms.map(form => `words:"${form}"`).join(' ')})`
