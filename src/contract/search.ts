import { z } from 'zod'
import { memory } from './memories.ts'
import { route } from './route.ts'
import { fraction, limit, query, tags, timestamp } from './values.ts'

const ranked = z.object({ rank: z.int().describe('1 is best.'), score: z.number() })

const lead = z
  .number()
  .nullable()
  .describe(
    'In a hybrid search: how far the raw value stands above that of the 20th best of its kind, and at least above what is usual, as a share of how far the best one is above what is usual. TenantProfile are 0 for relevances and the usual cosine for cosines; where that is not known, it is the height of the cosine itself over that of the 20th, or over 0.',
  )

const explanation = z
  .object({
    semantic: z.object({ cosine: z.number().describe('To five digits.'), lead, part: z.number() }).nullable(),
    keyword: z.object({ relevance: z.number(), lead, part: z.number() }).nullable(),
    formula: z.string().describe('How the score follows from the parts.'),
  })
  .describe('The raw values and the parts of the fusion, which recompute to the score.')

const leftOut = (why: string) => z.array(z.string()).describe(`The words that were left out, as they ${why}.`)

const queryReading = z
  .object({
    semantic: z
      .object({
        texts: z.array(z.string()).describe('The texts whose vectors were searched with, as their mean.'),
        left_out: leftOut("stand in more than a tenth of the tenant's memories"),
        usual_cosine: z
          .number()
          .nullable()
          .describe(
            "In a hybrid search: the mean cosine with a sample of the tenant's memories; null where fewer than 50 of those have a vector.",
          ),
      })
      .nullable(),
    keyword: z
      .object({
        terms: z.array(z.string()).describe('What was looked for.'),
        left_out: leftOut('only hold the sentence together'),
      })
      .nullable(),
  })
  .describe('What was made of the query.')

export type QueryReading = z.infer<typeof queryReading>

const searchResult = z
  .object({
    memory,
    score: z.number().describe('0 to 1, comparable within this answer.'),
    sources: z.object({ semantic: ranked.nullable(), keyword: ranked.nullable() }),
    explain: explanation.nullable(),
  })
  .meta({ id: 'SearchResult' })

export type SearchResult = z.infer<typeof searchResult>

export const searchRoutes = {
  searchMemories: route({
    method: 'POST',
    path: '/memories/search',
    group: 'Memories',
    summary: 'Search by meaning, by words, or by both',
    description:
      'Filters narrow the candidates of every kind of search alike. Scores: semantic is the cosine (negative as 0, to five digits); keyword is the relevance over the best of the answer; hybrid is the fused value over the highest possible; it tells how far a hit stands out from others, by meaning and by words.',
    input: z.strictObject({
      query,
      search_type: z.enum(['semantic', 'keyword', 'hybrid']).describe('There is no default.'),
      limit: limit(20, 200),
      tags: tags.optional(),
      tags_match: z.enum(['all', 'any']).default('all'),
      policy: z.string().min(1).max(64).optional(),
      min_importance: fraction.optional(),
      max_importance: fraction.optional(),
      created_after: timestamp.optional().describe('Inclusive.'),
      created_before: timestamp.optional().describe('Exclusive.'),
      min_score: fraction.optional().describe('Leaves out what scores less.'),
      explain: z.boolean().default(false),
    }),
    output: z.object({
      results: z.array(searchResult).describe('Best first.'),
      search_type: z.enum(['semantic', 'keyword', 'hybrid']),
      query: queryReading
        .nullable()
        .describe('What was made of the query; null unless `explain` asks for it.'),
      has_more: z.boolean(),
      truncated: z
        .boolean()
        .describe('The bound on work was reached, as by a query of very many words: matches may be missing.'),
      degraded: z
        .boolean()
        .describe(
          'A hybrid search that had to do without its semantic half: the embedding provider gives no vector.',
        ),
    }),
    problems: ['embedding_unavailable'],
    scope: 'read',
  }),
}
