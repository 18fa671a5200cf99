import { z } from 'zod'
import { route } from './route.ts'
import { id, limit, tenantName, text, timestamp } from './values.ts'

const scope = z
  .enum(['read', 'write', 'admin'])
  .describe(
    '`read`: reads and searches. `write`: also changes memories and connections. `admin`: everything.',
  )

const apiKey = z
  .object({
    id: id.describe('The id of the key.'),
    tenant: z.string().describe('The tenant that the key belongs to.'),
    name: z.string().nullable().describe('The name given to the key; null if it has none.'),
    scopes: z.array(scope).describe('What the key allows.'),
    created_at: timestamp.describe('When the key was created.'),
    expires_at: timestamp.nullable().describe('When the key expires; null if it never expires.'),
    last_used_at: timestamp
      .nullable()
      .describe('When the key was last used; null if never. May lag by up to a minute.'),
  })
  .meta({ id: 'ApiKey', description: 'An API key of a tenant, without its secret.' })

export type ApiKey = z.infer<typeof apiKey>

const jobState = z.enum(['queued', 'waiting', 'running', 'failed', 'done'])
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

const group = 'Administration'

export const adminRoutes = {
  createKey: route({
    method: 'POST',
    path: '/admin/keys',
    group,
    summary: 'Create a key for a tenant',
    description: 'The response contains the secret. The service stores only its hash, so save it now.',
    input: z.strictObject({
      tenant: tenantName
        .optional()
        .describe('The tenant of the key. The default is the tenant of the request.'),
      scopes: z
        .array(scope)
        .min(1)
        .max(10)
        .transform(values => [...new Set(values)])
        .default(['read', 'write'])
        .describe('What the key allows.'),
      expires_at: timestamp
        .optional()
        .describe('When the key expires, a time in the future. Without it the key never expires.'),
      name: text().min(1).max(100).optional().describe('A name by which people recognize the key.'),
    }),
    output: apiKey.extend({ key: z.string().describe('The secret. No other response contains it.') }),
    status: 201,
    problems: [],
    scope: 'admin',
    creates: true,
  }),
  listKeys: route({
    method: 'GET',
    path: '/admin/keys',
    group,
    summary: "List the tenant's keys",
    input: z.strictObject({}),
    output: z.object({ keys: z.array(apiKey).describe('The keys, oldest first.') }),
    problems: [],
    scope: 'admin',
  }),
  deleteKey: route({
    method: 'DELETE',
    path: '/admin/keys/{id}',
    group,
    summary: 'Revoke a key',
    description: 'The service refuses the key from now on.',
    input: z.strictObject({ id: id.describe('The id of the key.') }),
    output: z.object({
      id: id.describe('The id of the key.'),
      deleted: z.literal(true).describe('Always true.'),
    }),
    problems: ['malformed_id', 'key_not_found'],
    scope: 'admin',
  }),
  listJobs: route({
    method: 'GET',
    path: '/admin/jobs',
    group,
    summary: 'List the jobs of the queue, oldest first',
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
        .describe('The number of jobs in each state, for the requested kind and memory.'),
      has_more: z.boolean().describe('Whether more jobs match than `limit` allows.'),
      paused_until: timestamp
        .nullable()
        .describe('No job starts before this time; null if the queue is not paused.'),
    }),
    problems: [],
    scope: 'admin',
  }),
  retryJob: route({
    method: 'POST',
    path: '/admin/jobs/{id}/retry',
    group,
    summary: 'Queue a failed job again',
    description: 'The job gets a new set of attempts.',
    input: z.strictObject({ id: z.string().min(1).max(200).describe('The id of the job.') }),
    output: job,
    problems: ['malformed_id', 'job_not_found', 'job_not_failed'],
    scope: 'admin',
  }),
}
