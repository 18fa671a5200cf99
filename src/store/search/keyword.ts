import type { Context } from '../../context.ts'
import {
  filterClause,
  filterParameters,
  isFound,
  isIndexed,
  type MemoryFilter,
  statesAt,
} from '../memories/filter.ts'
import { int, read } from '../neo4j/statements.ts'
import { type Candidate, type CandidateRow, candidateOf, candidateRow } from './hits.ts'

/** A memory holds at least one of the terms, and all of the phrases, each in one of its forms. */
export type WordQuery = { terms: readonly (readonly string[])[]; phrases: readonly (readonly string[])[] }

/**
 * The `most` best memories that hold at least one of the terms and pass the filters, by Lucene's BM25, among the
 * `candidates` best that the index finds for the tenant with the filters that it holds; `seen` says how many it found. Terms and
 * phrases hold no quote or backslash, so no text reaches Lucene's parser as syntax. Of a term in which Lucene finds no
 * word only the filters are left: what matches by them alone has no score. The rows are sorted before they are a list:
 * Neo4j counts the memory of a list again for each row that is sorted next to it.
 */
export async function memoriesWithTerms(
  ctx: Context,
  query: WordQuery,
  filter: MemoryFilter,
  { candidates, most }: { candidates: number; most: number },
): Promise<{ hits: Candidate[]; seen: number }> {
  const [row] = await read<{ hits: CandidateRow[]; seen: number }>(
    ctx,
    `CALL db.index.fulltext.queryNodes('memory_text', $lucene, {limit: $candidates}) YIELD node AS m, score
    WHERE score > 0
    WITH m, score, m.tenant = $tenant AND ${isFound('m')} AS passes ORDER BY score DESC, m.id
    RETURN collect(CASE WHEN passes THEN ${candidateRow('m', 'score')} END)[..$most] AS hits, 1.0 * count(*) AS seen`,
    {
      tenant: ctx.tenant,
      ...filterParameters(filter),
      lucene: luceneQuery(ctx.tenant, query, filter),
      candidates: int(candidates),
      most: int(most),
    },
  )
  const { hits, seen } = row ?? { hits: [], seen: 0 }
  return { hits: hits.map(candidateOf), seen }
}

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
