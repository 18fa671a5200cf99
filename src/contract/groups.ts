import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { filters } from './filters.ts'
import { state } from './memory.ts'
import { route } from './route.ts'
import { limit } from './values.ts'

const grouping = closedSet('MemoryGrouping')

const group = z
  .object({
    value: z
      .string()
      .nullable()
      .describe(
        'What the memories have in common: a value, or the first day of a week and the like, such as 2026-11-23 or 2026-11. Null if they have no such value.',
      ),
    count: z.int().describe('How many memories there are.'),
    mean_importance: z.number().describe('The mean of their importance, 0 to 1.'),
    mean_health: z.number().describe('The mean of their health, 0 to 100.'),
  })
  .meta({ id: 'MemoryGroup', description: 'Memories with a value in common, as figures.' })

export const groupRoutes = {
  groupMemories: route({
    method: 'GET',
    path: '/memories/groups',
    summary: 'Count memories by what they have in common',
    description:
      'The filters are those of lists. Periods are those of the creation in UTC, the newest first; all other groups come with the largest first. A memory with several tags, or with connections of several types, counts in several groups. One without any counts in none. Connections count in both directions, to active memories. Reads every memory that matches.',
    input: z.strictObject({
      by: grouping.describe('What to group by.'),
      limit: limit(50, 500),
      include_archived: z.boolean().default(false).describe('Whether to include archived memories.'),
      state: state.optional().describe('Only memories in this state.'),
      ...filters('any'),
    }),
    output: z.object({
      groups: z.array(group).describe('The groups.'),
      truncated: z.boolean().describe('Whether there are more groups than `limit`.'),
    }),
    scope: 'read',
  }),
}
