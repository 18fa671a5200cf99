import { z } from 'zod'
import { id } from './values.ts'

const weight = z
  .number()
  .describe('The weight of this search in a hybrid search; 1 if it was the only search.')

const part = z.number().describe('What this search contributes to the score.')

const preferencePart = z.object({
  value: z.number().describe('The value, 0 to 1.'),
  weight: z.number().describe('The weight of the value. All weights sum to 1.'),
  part: z.number().describe('What the value contributes to the score.'),
})

export const explanation = z
  .object({
    semantic: z
      .object({
        cosine: z
          .number()
          .describe('The cosine similarity of the memory and the mean of the vectors of the query.'),
        weight,
        part,
      })
      .nullable()
      .describe('The semantic part; null if semantic search did not find the memory.'),
    keyword: z
      .object({
        relevance: z.number().describe('The score of the memory by words (BM25).'),
        coverage: z
          .number()
          .describe(
            'In a hybrid search, the share of the words of the query that the memory contains, weighted by their rarity; .8 of them count as all. 1 if words alone were searched.',
          ),
        weight,
        part,
      })
      .nullable()
      .describe('The keyword part; null if keyword search did not find the memory.'),
    session: z
      .object({
        next_to: id.describe('The id of the strong result that is near the memory in its session.'),
        rank: z.int().describe('The rank of that result without sessions; 1 is the best.'),
        distance: z.int().describe('How many places the memory is before or after that result, 1 or 2.'),
        score: z.number().describe('The score of that result without sessions.'),
        weight: z.number().describe('The weight of the session in this search.'),
        part: z.number().describe('What the session contributes to the score.'),
      })
      .nullable()
      .describe(
        'The part of the session, in a hybrid search only; null if the memory is not near a strong result of its session.',
      ),
    time: z
      .object({
        rank: z
          .int()
          .describe('The rank of the memory by meaning among those of the time in the query; 1 is the best.'),
        weight: z.number().describe('The weight of the time in this search.'),
        part: z.number().describe('What the time contributes to the score.'),
      })
      .nullable()
      .describe(
        'The part of the time, in a hybrid search only; null if the query names no time, or the memory is not of that time.',
      ),
    formula: z.string().describe('How the score follows from the parts.'),
    relevance: z
      .object({
        cosine: z
          .number()
          .nullable()
          .describe('The cosine similarity of the memory and the query as it is; null without vectors.'),
        chance: z
          .number()
          .nullable()
          .describe(
            'The mean cosine similarity of the query with a sample of the memories; null without vectors.',
          ),
        crowding: z
          .number()
          .nullable()
          .describe(
            'The mean cosine similarity of two memories of the sample; 0 with fewer than ten. Null without vectors.',
          ),
        share: z
          .number()
          .describe(
            'The share of the words of the query that the memory contains, weighted by their rarity.',
          ),
      })
      .nullable()
      .describe(
        'What the relevance follows from. The cosines are on a scale that is the same for all models.',
      ),
    preferences: z
      .object({
        match: preferencePart.describe('The score without preferences.'),
        importance: preferencePart.describe('The importance of the memory.'),
        recency: preferencePart.describe(
          'How new the memory is: 1 if it is new, a half after one half-life.',
        ),
      })
      .nullable()
      .describe(
        'The parts of the score, if you set `importance_weight` or `recency_weight`: the score is their sum. Otherwise null.',
      ),
    rerank: z
      .number()
      .nullable()
      .describe('The score from the reranking model, if you set `rerank`; otherwise null.'),
    similarity: z
      .number()
      .nullable()
      .describe(
        'The cosine similarity to the most similar result before this one, if you set `diversity`; otherwise null.',
      ),
  })
  .describe('How the score was computed. You can recompute the score from these values.')

const leftOut = (why: string) =>
  z.array(z.string()).describe(`The words that the search ignored, because they ${why}.`)

export const queryReading = z
  .object({
    semantic: z
      .object({
        texts: z
          .array(z.string())
          .describe('The texts that were embedded. The search uses the mean of their vectors.'),
        left_out: leftOut('occur in more than a tenth of the memories'),
      })
      .nullable()
      .describe('The query of the semantic search; null if there was none.'),
    keyword: z
      .object({
        terms: z.array(z.string()).describe('The terms that were searched for.'),
        phrases: z
          .array(z.string())
          .describe(
            'The phrases in double quotes that were searched. Keyword search finds only memories with all of them. Empty if no memory has them: then their words are searched.',
          ),
        left_out: leftOut('are stop words'),
      })
      .nullable()
      .describe('The query of the keyword search; null if there was none.'),
    time: z
      .object({
        text: z.string().describe('The words that name the time, in lower case.'),
        from: z.string().nullable().describe('When it begins; null if it has no beginning.'),
        until: z.string().nullable().describe('When it ends, exclusive; null if it has no end.'),
      })
      .nullable()
      .describe(
        'The time that the query names. In a hybrid search, memories of that time are one more list. Null if it names none.',
      ),
    current: z.boolean().describe('Whether the query asks for what is current, so that recency counts.'),
  })
  .describe('How the service read the query.')

export type QueryReading = z.infer<typeof queryReading>
