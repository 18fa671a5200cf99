import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { route } from './route.ts'
import { id, limit, timestamp } from './values.ts'

const jobState = closedSet('JobState')
const jobKind = z.string().min(1).max(64)

const job = z
  .object({
    id: z.string().describe('The id of the job.'),
    kind: z.string().describe('What the job does, for example `discover`.'),
    tenant: z.string().describe('The tenant that the job belongs to.'),
    memory_id: id.nullable().describe('The memory that the job is about; null if it is about no single one.'),
    state: jobState.describe(
      '`queued`: ready to run. `waiting`: runs at `run_at`, for example after an error. `running`: a worker holds its lease. `failed`: out of attempts. `done`: finished.',
    ),
    attempt: z.int().describe('How often a worker has started the job.'),
    created_at: timestamp.describe('When the job was queued.'),
    run_at: timestamp.describe('The job does not run before this time.'),
    lease_until: timestamp.nullable().describe('Until when a worker holds the job; null if none does.'),
    last_error: z.string().nullable().describe('The error of the last attempt; null if there was none.'),
    report: z
      .string()
      .nullable()
      .describe('A note on a finished job, for example that discovery reached its limit of connections.'),
  })
  .meta({ id: 'Job', description: 'A job of the queue.' })

export type Job = z.infer<typeof job>

export const jobRoutes = {
  listJobs: route({
    method: 'GET',
    path: '/admin/jobs',
    summary: 'List the jobs of the queue, oldest first',
    description: 'With `kind`, the service looks at the 10,000 oldest jobs of each state.',
    input: z.strictObject({
      limit: limit(50, 500),
      state: jobState.optional().describe('Only jobs in this state.'),
      kind: jobKind
        .optional()
        .describe('Only jobs of this kind.')
        .meta({ examples: ['discover'] }),
      memory_id: id.optional().describe('Only jobs about this memory.'),
    }),
    output: z.object({
      jobs: z.array(job).describe('The jobs, oldest first.'),
      counts: z
        .record(z.string(), z.int())
        .describe(
          'The number of jobs in each state, for the requested kind and memory. At most 10,000 are looked at in each state, the oldest.',
        ),
      has_more: z.boolean().describe('Whether more jobs match than `limit` allows.'),
      paused_until: timestamp
        .nullable()
        .describe('No job starts before this time; null if the queue is not paused.'),
    }),
    scope: 'admin',
  }),
  retryJob: route({
    method: 'POST',
    path: '/admin/jobs/{id}/retry',
    summary: 'Queue a failed job again',
    description: 'The job gets a new set of attempts.',
    input: z.strictObject({ id: z.string().min(1).max(200).describe('The id of the job.') }),
    output: job,
    problems: ['malformed_id', 'job_not_found', 'job_not_failed'],
    scope: 'admin',
  }),
}
