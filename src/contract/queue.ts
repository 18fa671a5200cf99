import { z } from 'zod'
import { route } from './route.ts'
import { timestamp } from './values.ts'

const allTenants = z
  .boolean()
  .default(false)
  .describe('Whether to do this for the queues of all tenants. Only the operator key can.')

const pausedUntil = z
  .object({
    paused_until: timestamp
      .nullable()
      .describe('No job of the tenant starts before this time; null if the queue is not paused.'),
  })
  .meta({ id: 'QueuePause', description: 'Whether the queue is paused.' })

export const queueRoutes = {
  retryJobs: route({
    method: 'POST',
    path: '/admin/jobs/retry',
    summary: 'Queue all failed jobs again, or those of one kind',
    description: 'Each job gets a new set of attempts.',
    input: z.strictObject({
      kind: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .describe('Only jobs of this kind. The default is every kind.'),
    }),
    output: z.object({ retried: z.int().describe('How many jobs were queued again.') }),
    scope: 'admin',
    narrows: ['kind'],
  }),
  pauseQueue: route({
    method: 'POST',
    path: '/admin/queue/pause',
    summary: 'Pause the queue until a time',
    description:
      'Running jobs finish, and no other job starts. Writes, searches and recalls keep working and queue their jobs. A new pause replaces the old one.',
    input: z.strictObject({
      until: timestamp.describe('When the queue continues, a time in the next 30 days.'),
      all_tenants: allTenants,
    }),
    output: pausedUntil,
    scope: 'admin',
  }),
  resumeQueue: route({
    method: 'POST',
    path: '/admin/queue/resume',
    summary: 'End a pause of the queue',
    description:
      'A tenant can have its own pause in addition to one of all tenants. Only the operator key can end a pause of all tenants.',
    input: z.strictObject({ all_tenants: allTenants }),
    output: pausedUntil,
    scope: 'admin',
  }),
  rediscoverMemories: route({
    method: 'POST',
    path: '/admin/rediscovery',
    summary: 'Discover the connections of all active memories again',
    description:
      'Use this after you change the threshold for discovery. The service measures the tenant, removes discovered connections that are no longer due and adds missing ones. Asserted connections stay. To see the progress, call `listJobs` with `kind` set to `rediscover`.',
    input: z.strictObject({}),
    output: z.object({
      job_id: z.string().describe('The id of the job that queues the discovery of each memory.'),
      memories: z.int().describe('How many memories are active now.'),
      threshold: z.number().describe('The lowest cosine similarity for a discovered connection.'),
    }),
    scope: 'admin',
  }),
}
