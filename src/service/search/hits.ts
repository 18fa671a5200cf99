import type { Context, TenantProfile } from '../../context.ts'
import type { QueryReading } from '../../contract/explanation.ts'
import type { Parsed } from '../../contract/index.ts'
import type { SearchResult } from '../../contract/search.ts'
import type { Candidate } from '../../store/search/hits.ts'
import type { AskedTime } from './asked-time.ts'
import type { Coverage } from './coverage.ts'
import type { Reading } from './words.ts'

/** What a search looks for. */
export type Search = Omit<Parsed<'searchMemories'>, 'record_recall'>

/** What decides the order where a caller does not say. */
export const NO_PREFERENCES = {
  importance_weight: 0,
  recency_half_life_days: 30,
  diversity: 0,
  rerank: false,
} as const

/** The best hits of one kind of search, best first. `truncated`: the bound on work was reached before there were enough. */
export type Hits<Hit extends Candidate = Candidate> = { hits: Hit[]; truncated: boolean }

/** How a request reads its query. */
export type Asked = {
  readonly reading: Reading
  readonly profile: TenantProfile
  readonly coverage: Coverage
  readonly time: AskedTime
  /** In whose name the query is embedded: once, where shared and private memories are searched. */
  readonly asker: Context
  /** Whether its scores are compared with those of another part: then no statistics are of its matches alone. */
  readonly isPart: boolean
  /** The ids that earlier pages returned: these are not read again. */
  readonly returned: ReadonlySet<string>
  /** So many results are read at most. */
  readonly most: number
}

/** A result of which is not known yet how clearly it bears on the query. */
export type Result = Omit<SearchResult, 'relevance' | Shown> & Unshown & { cosine: number | null }

/** What one kind of search returns. `degraded`: a hybrid search had to do without vectors. */
export type SearchOutcome = {
  results: Result[]
  reading: Pick<QueryReading, 'semantic' | 'keyword'>
  truncated: boolean
  degraded: boolean
  /** The vector of the plain query; null without vectors. */
  plain: Float32Array | null
  /** Whether a memory has the words and the phrases of the query. */
  worded: boolean
}

/** What is made for the results that are returned alone. */
type Shown = 'highlight' | 'newer' | 'around'

/** The words of a result, cut as `cutWords` does it. No answer shows them. */
type Unshown = { words: string }

/** A result before it is shown. */
export type Found = Omit<SearchResult, Shown> & Unshown

/** What a search says about a memory that it found. */
export type Scoring = Omit<SearchResult, 'memory' | 'relevance' | 'conflicts' | Shown>

/** A hit of one kind of search. `raw` is its cosine or relevance; `relative` is `raw` divided by the best of its list. */
export type Ranked = { id: string; rank: number; raw: number; relative: number }

/** Adds to each hit its rank, and its score relative to the best. */
export function ranked(hits: readonly { id: string; score: number }[]): Ranked[] {
  const best = hits[0]?.score ?? 0
  return hits.map(({ id, score }, index) => ({
    id,
    rank: index + 1,
    raw: score,
    relative: best > 0 ? score / best : 1,
  }))
}

/** So many more are found than are read: some may be gone by then. */
export const SPARE = 2
