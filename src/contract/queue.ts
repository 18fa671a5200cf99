import { z } from 'zod'
import { route } from './route.ts'
import { timestamp } from './values.ts'

const allTenants = z
  .boolean()
  .default(false)
  .describe("The queue of every tenant; for the operator's key only.")

const pausedUntil = z
  .object({ paused_until: timestamp.nullable().describe('Until then no job of the tenant is begun.') })
  .meta({ id: 'QueuePause' })

const group = 'Administration'

export const queueRoutes = {
  retryJobs: route({
    method: 'POST',
    path: '/admin/jobs/retry',
    group,
    summary: 'Queue all failed jobs again, or those of one kind',
    input: z.strictObject({ kind: z.string().min(1).max(64).optional() }),
    output: z.object({ retried: z.int() }),
    problems: [],
    scope: 'admin',
  }),
  pauseQueue: route({
    method: 'POST',
    path: '/admin/queue/pause',
    group,
    summary: 'Begin no queued work until a time',
    description:
      'Work that is under way is finished; writes, searches and recalls go on and queue their work. A second pause replaces the first.',
    input: z.strictObject({
      until: timestamp.describe('At most 30 days ahead.'),
      all_tenants: allTenants,
    }),
    output: pausedUntil,
    problems: [],
    scope: 'admin',
  }),
  resumeQueue: route({
    method: 'POST',
    path: '/admin/queue/resume',
    group,
    summary: 'End a pause now',
    description:
      "A pause of all tenants is ended by the operator, and holds for a tenant beside the tenant's own.",
    input: z.strictObject({ all_tenants: allTenants }),
    output: pausedUntil,
    problems: [],
    scope: 'admin',
  }),
  rediscoverMemories: route({
    method: 'POST',
    path: '/admin/rediscovery',
    group,
    summary: 'Discover the connections of all active memories anew',
    description:
      'For after a change of the threshold. Discovered connections below it go, those at or above it come; asserted ones stay. `GET /admin/jobs?kind=rediscover` counts what is still to do.',
    input: z.strictObject({}),
    output: z.object({
      job_id: z.string().describe('The job that queues a discovery for each memory.'),
      memories: z.int().describe('How many are active now.'),
      threshold: z.number(),
    }),
    problems: [],
    scope: 'admin',
  }),
}
