import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { conflictIds } from './conflicts.ts'
import { explanation, queryReading } from './explanation.ts'
import { asOf, filters } from './filters.ts'
import { memory } from './memory.ts'
import { route } from './route.ts'
import { fraction, id, limit, question, timestamp } from './values.ts'

const searchType = closedSet('SearchType')

const ranked = z.object({
  rank: z.int().describe('The rank of the memory in this search; 1 is the best.'),
  score: z.number().describe('The score of the memory in this search, 0 to 1.'),
})

const preference = (what: string) =>
  fraction.default(0).describe(`How much ${what} counts next to the match, which counts 1. 0 ignores it.`)

export const diversity = fraction.describe(
  'How much a result is moved down because it resembles those before it, 0 to 1 (maximal marginal relevance). It changes the order, not the scores.',
)

/** What else than the match decides the order. */
const preferences = {
  importance_weight: preference('the importance of a memory'),
  recency_weight: fraction
    .optional()
    .describe(
      'How much the age of a memory counts next to the match, which counts 1. 0 ignores it. The default is 0, and 0.15 for a query that asks for what is current, with a word such as "now" or "latest".',
    ),
  recency_half_life_days: z
    .number()
    .min(0.01)
    .max(36_500)
    .default(30)
    .describe('After so many days a memory counts half as new, for `recency_weight`.'),
  diversity: diversity.default(0),
  rerank: z
    .boolean()
    .default(false)
    .describe(
      'Whether a reranking model orders the best results again. It changes the order, not the scores. If the model does not answer, the order stays and `degraded` is true. The operator sets the model; without one the request is refused.',
    ),
}

const CUT =
  'a result stays if its relevance is at least 0.3, or else the most relevant one from 0.1; so does what has most words of the query, and what is near such a result in its session. With an embedding model that the service does not know, and without vectors, `auto` leaves out nothing.'

/** From which relevance on a result is returned: a number, or the rule of `auto`. */
export const relevanceCut = z.union([fraction, z.enum(['auto'])])
export const CUT_BY_DEFAULT = `The relevance, 0 to 1, that a memory needs; 0 leaves out nothing. With \`auto\`, the default, ${CUT}`

export const weakLeftOut = z
  .int()
  .describe('How many memories the search looked at and left out because of `min_relevance`.')

const turn = z
  .object({
    memory: memory.describe('The memory of the session.'),
    offset: z
      .int()
      .describe('Its place next to the result: −1 is the memory right before it, 1 the one right after it.'),
  })
  .meta({ id: 'TurnAround', description: 'A memory before or after a result in its session.' })

export type NearTurn = z.infer<typeof turn>

const searchResult = z
  .object({
    memory: memory.describe('The memory that was found.'),
    score: z.number().describe('How well the memory matches, 0 to 1. Compare scores of one response only.'),
    relevance: z
      .number()
      .describe(
        'How clearly the memory bears on the query, 0 to 1, by its cosine similarity and the words that it shares with the query. Comparable between queries.',
      ),
    sources: z
      .object({
        semantic: ranked.nullable().describe('The semantic search; null if it did not find the memory.'),
        keyword: ranked.nullable().describe('The keyword search; null if it did not find the memory.'),
      })
      .describe('Which searches found the memory.'),
    conflicts: conflictIds,
    highlight: z
      .object({
        text: z.string().describe('The sentence, at most 300 characters.'),
        start: z.int().describe('Where it begins in the content, in UTF-16 code units.'),
        end: z.int().describe('Where it ends, exclusive.'),
      })
      .nullable()
      .describe(
        'The sentence of the content that shares most words with the query, if you set `highlight`; otherwise null.',
      ),
    newer: z
      .array(id)
      .describe(
        'The ids of the results of the response that are newer and say nearly the same, by their words: the memory may be out of date.',
      ),
    around: z
      .array(turn)
      .describe(
        'The memories before and after the memory in its session, in order, if you set `around`; otherwise empty.',
      ),
    explain: explanation.nullable().describe('How the score was computed; null without `explain`.'),
  })
  .meta({ id: 'SearchResult', description: 'A memory that a search found, with its score.' })

export type SearchResult = z.infer<typeof searchResult>

export const searchedParts = z
  .array(z.string())
  .describe(
    'The parts of a question of more than 1,000 characters that were searched for: its first and last sentence, its beginning, its end, and its most telling words. Empty for a question that was searched as a whole.',
  )

export const referenceTime = timestamp
  .optional()
  .describe(
    'The time from which the query counts: "last week" is the week before it. It is also the present for `recency_weight`. The default is now. Weeks begin on Monday, and days at midnight in UTC.',
  )

/** APIs have defaults of their own. */
export const recordRecall = z
  .boolean()
  .describe(
    'Whether each result counts as a recall of its memory, which keeps the memory alive. Set it if the results are used, not only shown in a list.',
  )

export const searchRoutes = {
  searchMemories: route({
    method: 'POST',
    path: '/memories/search',
    summary: 'Search memories by meaning, by keywords, or by both',
    description:
      'Filters apply before ranking, to every kind of search. The score of a semantic search is the cosine similarity, with negative values as 0. The score of a keyword search is the BM25 score divided by the best one of the response. A hybrid search combines both lists by rank (reciprocal rank fusion); its score is the fused value divided by the highest possible one. In a session, the memories near a strong result count as a third list. A score ranks the results of one response; `relevance` says how clearly a result stands above chance. Put words in double quotes to find exactly these words in this order by keyword. To read more results, pass `next_cursor` as `cursor`: no memory is returned twice. With `as_of`, use `search_type` `keyword`: it finds what texts said then, among the last 10,000 memories created before it; no recall counts, and `conflicts` are empty.',
    input: z.strictObject({
      query: question.describe(
        'The text to search for. No character has a special meaning. At most 10,000 characters, or 100,000 with `by_parts`.',
      ),
      by_parts: z
        .boolean()
        .default(false)
        .describe(
          'Whether a query of more than 1,000 characters, such as a whole prompt, is searched by its parts. Then the score of a result is its highest relevance to any part.',
        ),
      search_type: searchType.describe(
        '`semantic` finds similar meaning, `keyword` finds words, `hybrid` combines both. There is no default.',
      ),
      limit: limit(20, 200),
      cursor: z
        .string()
        .max(40_000)
        .optional()
        .describe('The `next_cursor` of the previous page. Repeat the other fields unchanged.'),
      ...filters('now'),
      ...preferences,
      min_score: fraction.optional().describe('Only memories with at least this score, 0 to 1.'),
      min_relevance: relevanceCut
        .default(0)
        .describe(
          `Only memories with at least this relevance, 0 to 1; 0 leaves out nothing. With \`auto\`, ${CUT} A keyword search with \`auto\` leaves out nothing.`,
        ),
      highlight: z
        .boolean()
        .default(false)
        .describe('Whether to return the sentence of each memory that matches best.'),
      reference_time: referenceTime,
      around: z
        .int()
        .min(1)
        .max(5)
        .optional()
        .describe(
          'So many memories before and after each result in its session are returned with it, 1 to 5. They pass the same filters, and do not count as recalled.',
        ),
      explain: z
        .boolean()
        .default(false)
        .describe('Whether to return how each score was computed, and how the query was read.'),
      record_recall: recordRecall.default(false),
      as_of: asOf,
    }),
    output: z.object({
      results: z.array(searchResult).describe('The memories found, best first.'),
      search_type: searchType.describe('The `search_type` of the request.'),
      query: queryReading
        .nullable()
        .describe('How the service read the query; null without `explain`, or if it was searched by parts.'),
      has_more: z.boolean().describe('Whether more memories match than `limit` allows.'),
      next_cursor: z
        .string()
        .nullable()
        .describe('The `cursor` of the next page; null on the last one, and after 1,000 results.'),
      truncated: z
        .boolean()
        .describe(
          'Whether the search reached a limit: of work, of 64 terms, or of 8 phrases. Matches may be missing, or lack one of the other phrases. With `as_of` also: whether there are more memories than are looked through, or a version of that time is no longer kept. `explain` names the terms and phrases that were used.',
        ),
      weak_left_out: weakLeftOut,
      degraded: z
        .boolean()
        .describe(
          'Whether a hybrid search used keywords only because the embedding provider failed, or `rerank` had no effect because the reranking model failed.',
        ),
      parts: searchedParts,
    }),
    problems: ['embedding_unavailable', 'invalid_cursor'],
    scope: 'read',
  }),
}
