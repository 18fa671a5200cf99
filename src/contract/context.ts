import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { relationshipType } from './connections.ts'
import { filters } from './filters.ts'
import { route } from './route.ts'
import {
  CUT_BY_DEFAULT,
  diversity,
  referenceTime,
  relevanceCut,
  searchedParts,
  weakLeftOut,
} from './search.ts'
import { id, question } from './values.ts'

const contextSource = z
  .object({
    number: z.int().describe('The number by which the text cites the memory, for example `[1]`.'),
    memory_id: id.describe('The memory.'),
    source: z.string().nullable().describe('Where the memory comes from; null if it has no source.'),
    role: closedSet('ContextRole').describe(
      '`hit`: found for the question. `contradiction`: contradicts a hit. `older`: says nearly the same as a hit, and is older. `turn`: stands right before or after a hit in its session. `bridge`: is connected with two hits that are not connected with each other. `neighbour`: connected to a hit. `community`: central to the community of a hit. Without a question, the role says why the memory is in the text: `pinned`, `conflict` (of an open conflict), `used` (recalled often), or `recent`.',
    ),
    score: z.number().nullable().describe('The search score of a hit, 0 to 1; null for the others.'),
    relevance: z
      .number()
      .nullable()
      .describe('How clearly a hit stands above chance, 0 to 1; null for the others.'),
    beside_id: id.nullable().describe('The hit that the memory is listed under; null for a hit.'),
    joins: z
      .array(id)
      .nullable()
      .describe(
        'The two hits that a bridge joins, the one that it is listed under first; null for the others.',
      ),
    relationship_type: relationshipType
      .nullable()
      .describe(
        'The type of the connection with it; null for a hit and for a memory that is not connected with it.',
      ),
    excerpt: z.boolean().describe('Whether the text contains only the start of the content.'),
  })
  .meta({ id: 'ContextSource', description: 'A memory in the composed text.' })

export type ContextSource = z.infer<typeof contextSource>

export const contextRoutes = {
  composeContext: route({
    method: 'POST',
    path: '/context',
    summary: 'Compose a text of what is remembered about a question, within a token budget',
    description:
      'The text contains the relevant hits of a hybrid search, the memories that contradict them, the memories right before and after them in their sessions, the memories that join two of them, and their strongest neighbours. The token count is an estimate that errs on the high side and never exceeds the budget. The same question returns the same text until a memory changes. If no memory bears on the question, the text says that nothing is remembered, and `sources` is empty. Each memory in the text counts as recalled, unless `record_recall` is false. Without `query`, the text is an overview for the start of a session, and nothing counts as recalled.',
    input: z.strictObject({
      query: question
        .optional()
        .describe(
          'The question, or a whole prompt: a long text is searched by its parts. Without it, the text has what is pinned, open conflicts, what is recalled most, and what is newest.',
        ),
      max_tokens: z
        .int()
        .min(100)
        .max(32_000)
        .default(2_000)
        .describe('The token budget of the text; 32000 is the maximum.'),
      ...filters('now'),
      include_sensitive: z
        .boolean()
        .default(false)
        .describe('Whether the text may contain memories in which secrets were recognised.'),
      diversity: diversity.default(0.3),
      reference_time: referenceTime,
      min_relevance: relevanceCut.default('auto').describe(CUT_BY_DEFAULT),
      communities: z
        .boolean()
        .default(false)
        .describe(
          'Whether to fill what is left of the budget with the most central memories of the communities of the best hits. They pass the same filters.',
        ),
      record_recall: z
        .boolean()
        .default(true)
        .describe('Whether each memory in the text counts as recalled. This never changes the text.'),
    }),
    output: z.object({
      text: z
        .string()
        .describe('The text for a prompt: each memory with its number, id, date, policy, tags and source.'),
      tokens: z.int().describe('The estimated number of tokens in the text.'),
      sources: z.array(contextSource).describe('The memories in the text, in the same order.'),
      left_out: z.int().describe('How many hits and neighbours did not fit into the budget.'),
      weak_left_out: weakLeftOut,
      sensitive_left_out: z
        .int()
        .describe('How many hits and neighbours were left out because they contain secrets.'),
      truncated: z
        .boolean()
        .describe('Whether the search reached its limit of work, so that matches may be missing.'),
      degraded: z
        .boolean()
        .describe('Whether the search used keywords only, because the embedding provider failed.'),
      parts: searchedParts,
    }),
    scope: 'read',
  }),
}
