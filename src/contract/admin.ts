import { z } from 'zod'
import { route } from './route.ts'
import { id, limit, tenantName, text, timestamp } from './values.ts'

const scope = z.enum(['read', 'write', 'admin'])

const apiKey = z
  .object({
    id,
    tenant: z.string(),
    name: z.string().nullable(),
    scopes: z.array(scope),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable().describe('May lag by up to a minute.'),
  })
  .meta({ id: 'ApiKey' })

export type ApiKey = z.infer<typeof apiKey>

const job = z
  .object({
    id: z.string(),
    kind: z.string(),
    tenant: z.string(),
    memory_id: id.nullable(),
    state: z.enum(['queued', 'waiting', 'running', 'failed', 'done']),
    attempt: z.int(),
    created_at: timestamp,
    run_at: timestamp.describe('Not before.'),
    lease_until: timestamp.nullable(),
    last_error: z.string().nullable(),
    report: z
      .string()
      .nullable()
      .describe('What is worth knowing of a job that is done, for instance that the cap on connections bit.'),
  })
  .meta({ id: 'Job' })

export type Job = z.infer<typeof job>

const group = 'Administration'

export const adminRoutes = {
  createKey: route({
    method: 'POST',
    path: '/admin/keys',
    group,
    summary: 'Make a key for a tenant',
    description: 'The secret is in this answer and nowhere else: only its hash is stored.',
    input: z.strictObject({
      tenant: tenantName.optional().describe("Default: the request's tenant."),
      scopes: z
        .array(scope)
        .min(1)
        .max(10)
        .transform(values => [...new Set(values)])
        .default(['read', 'write']),
      expires_at: timestamp.optional(),
      name: text().min(1).max(100).optional(),
    }),
    output: apiKey.extend({ key: z.string().describe('The secret, shown this once.') }),
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
    output: z.object({ keys: z.array(apiKey) }),
    problems: [],
    scope: 'admin',
  }),
  deleteKey: route({
    method: 'DELETE',
    path: '/admin/keys/{id}',
    group,
    summary: 'Revoke a key',
    input: z.strictObject({ id }),
    output: z.object({ id, deleted: z.literal(true) }),
    problems: ['malformed_id', 'key_not_found'],
    scope: 'admin',
  }),
  listJobs: route({
    method: 'GET',
    path: '/admin/jobs',
    group,
    summary: 'List queued work, oldest first',
    input: z.strictObject({
      limit: limit(50, 500),
      state: z.enum(['queued', 'waiting', 'running', 'failed', 'done']).optional(),
      kind: z.string().min(1).max(64).optional(),
      memory_id: id.optional(),
    }),
    output: z.object({
      jobs: z.array(job),
      counts: z.record(z.string(), z.int()).describe('Jobs by state, of the kind and memory asked for.'),
      has_more: z.boolean(),
      paused_until: timestamp.nullable().describe('Until then no job is begun.'),
    }),
    problems: [],
    scope: 'admin',
  }),
  retryJob: route({
    method: 'POST',
    path: '/admin/jobs/{id}/retry',
    group,
    summary: 'Queue a failed job again',
    input: z.strictObject({ id: z.string().min(1).max(200) }),
    output: job,
    problems: ['malformed_id', 'job_not_found', 'job_not_failed'],
    scope: 'admin',
  }),
}
