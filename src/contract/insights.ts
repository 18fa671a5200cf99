import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { memory } from './memory.ts'
import { route } from './route.ts'
import { id, limit } from './values.ts'

/** The cosine from which two memories are near duplicates. */
export const NEAR_DUPLICATE = 0.97

const day = z
  .object({
    date: z.iso.date().describe('The day, in UTC.'),
    created: z.int().describe('How many memories were created on this day and still exist.'),
    archived: z.int().describe('How many memories were archived on this day and are still archived.'),
  })
  .meta({ id: 'DayOfMemories', description: 'What happened to memories on one day.' })

const connectedMemory = z
  .object({
    memory_id: id.describe('The memory.'),
    connections: z.int().describe('How many connections it has.'),
  })
  .meta({ id: 'ConnectedMemory', description: 'A memory and how connected it is.' })

const tenths = (what: string) =>
  z.array(z.int()).describe(`The number of active memories in ten equal ranges of ${what}, lowest first.`)

const figure = closedSet('Figure')

const boundedCount = z
  .object({
    count: z.int().describe('How many memories were found.'),
    complete: z
      .boolean()
      .describe(
        'Whether all memories were looked at. The service stops after a second; then there are at least as many.',
      ),
  })
  .meta({ id: 'BoundedCount', description: 'How many memories there are, of those that were looked at.' })

const nearMemory = z
  .object({
    memory_id: id.describe('The near memory.'),
    similarity: z.number().describe('The cosine of the two vectors.'),
  })
  .meta({ id: 'NearMemory', description: 'A memory that lies near another one.' })

const insightMemory = z
  .object({
    memory: memory.describe('The memory.'),
    near: z
      .array(nearMemory)
      .describe('For `near_duplicates`, the memories that it is near to, nearest first, at most 20.'),
  })
  .meta({ id: 'InsightMemory', description: 'A memory that a figure of the insights counts.' })

export const insightRoutes = {
  getInsights: route({
    method: 'GET',
    path: '/insights',
    summary: 'See how the memories of the tenant grow, and where they need care',
    description: 'The service looks at 200,000 memories at most.',
    input: z.strictObject({
      days: z
        .int()
        .min(1)
        .max(366)
        .default(90)
        .describe('How many days to report, today included; 366 is the maximum.'),
    }),
    output: z.object({
      days: z.array(day).describe('The days, oldest first, without gaps.'),
      importance: tenths('importance'),
      health: tenths('health'),
      fading: z.int().describe('How many active memories have a health below 20.'),
      unconnected: z.int().describe('How many active memories have no connection.'),
      never_recalled: z
        .int()
        .describe(
          'How many active memories nobody has recalled, although half of their time is over (their health is below 50, or half of their time limit has passed) or they are 30 days old.',
        ),
      near_duplicates: boundedCount.describe(
        `How many active memories have a near duplicate: another active memory with a cosine of ${NEAR_DUPLICATE} or more, connected or not.`,
      ),
      outliers: boundedCount.describe(
        'How many active memories have neither a connection nor a neighbour that discovery would connect.',
      ),
      conflicts: z.int().describe('How many pairs of active memories contradict each other.'),
      most_connected: z.array(connectedMemory).describe('The most connected active memories, at most 10.'),
    }),
    scope: 'read',
  }),
  listInsightMemories: route({
    method: 'GET',
    path: '/insights/memories',
    summary: 'List the memories that a figure of the insights counts',
    description:
      'In the order of their ids. If `truncated` is true, the service has looked for a second and the page is not full: continue with the cursor.',
    input: z.strictObject({
      figure: figure.describe('The figure, as in the response of `getInsights`.'),
      limit: limit(20, 200),
      cursor: z
        .string()
        .meta({ examples: ['eyJhdCI6MTc5NjAwMH0.4f8Q1m'] })
        .optional()
        .describe('The `next_cursor` of the previous page. Use it with the same figure.'),
    }),
    output: z.object({
      memories: z.array(insightMemory).describe('The memories.'),
      next_cursor: z.string().nullable().describe('The `cursor` of the next page; null on the last one.'),
      has_more: z.boolean().describe('Whether there may be more memories.'),
      truncated: z.boolean().describe('Whether the time ended before the page was full.'),
      limit: z.int().describe('The `limit` of the request.'),
    }),
    problems: ['invalid_cursor'],
    scope: 'read',
  }),
}

export type Figure = z.infer<typeof figure>
