import { z } from 'zod'
import { limit } from './values.ts'

/** The page that a list with `cursor` and `offset` returns. */
export const pageInput = (things: string, sizes: { usual: number; most: number; furthest?: number }) => ({
  limit: limit(sizes.usual, sizes.most),
  cursor: z
    .string()
    .meta({ examples: ['eyJhdCI6MTc5NjAwMH0.4f8Q1m'] })
    .optional()
    .describe('The `next_cursor` of the previous page. Use it with the same filters, and without `offset`.'),
  offset: z
    .int()
    .min(0)
    .max(sizes.furthest ?? Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe(`How many ${things} to skip. To read all of a list that changes, use \`cursor\`.`),
})

export const pageOutput = (things: string) => ({
  next_cursor: z
    .string()
    .nullable()
    .describe('The `cursor` of the next page; null on the last one, and on one that `offset` names.'),
  has_more: z.boolean().describe(`Whether there are more ${things}.`),
  limit: z.int().describe('The `limit` of the request.'),
  offset: z.int().describe('The `offset` of the request.'),
})

/** What pages by cursor promise. */
export const exactlyOnce = (thing: string) =>
  `To read all pages, pass \`next_cursor\` as the \`cursor\` of the next call until it is null. They contain ${thing} exactly once if it is there the whole time, whatever else is added or removed.`
