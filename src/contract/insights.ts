import { z } from 'zod'
import { route } from './route.ts'
import { id } from './values.ts'

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

export const insightRoutes = {
  getInsights: route({
    method: 'GET',
    path: '/insights',
    group: 'Graph',
    summary: 'See how the memories of the tenant grow, and where they need care',
    description: 'The service reads each memory of the tenant once for each request.',
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
      unconnected: z.int().describe('How many active memories have no connection.'),
      conflicts: z.int().describe('How many pairs of active memories contradict each other.'),
      most_connected: z.array(connectedMemory).describe('The most connected active memories, at most 10.'),
    }),
    problems: [],
    scope: 'read',
  }),
}
