import { z } from 'zod'
import { memory } from './memories.ts'
import { route } from './route.ts'
import { fraction, limit, query, tags, timestamp } from './values.ts'

const ranked = z.object({ rank: z.int().describe('1 is best.'), score: z.number() })

const explanation = z
  .object({
    semantic: z.object({ cosine: z.number(), part: z.number() }).nullable(),
    keyword: z.object({ relevance: z.number(), part: z.number() }).nullable(),
    formula: z.string().describe('How the score follows from the parts.'),
  })
  .describe('The raw values and the parts of the fusion, which recompute to the score.')

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
      'Filters narrow the candidates of every kind of search alike. Scores: semantic is the cosine (negative as 0); keyword is the relevance over the best of the answer; hybrid is the fused rank value over the highest possible.',
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
      has_more: z.boolean(),
      truncated: z.boolean().describe('The bound on work was reached: matches may be missing.'),
      degraded: z
        .boolean()
        .describe(
          'A hybrid search that had to do without its semantic half: the embedding provider does not answer.',
        ),
    }),
    problems: ['embedding_unavailable'],
    scope: 'read',
  }),
}
