import { z } from 'zod'
import { route } from './route.ts'
import { id, limit, timestamp } from './values.ts'

/** The operations whose calls are recorded. */
export const auditedOperations = [
  'createKey',
  'rotateKey',
  'deleteKey',
  'createWebhook',
  'deleteWebhook',
  'putPolicy',
  'deletePolicy',
  'applyMaintenance',
  'undoMaintenance',
  'eraseMemories',
  'eraseTenant',
  'putQuota',
  'exportRecords',
  'importRecords',
  'deleteMemory',
  'exportBundle',
  'exportGraph',
  'importBundle',
  'switchEmbeddingSpace',
  'deleteEmbeddingSpace',
  'resolveConflict',
  'pauseQueue',
  'resumeQueue',
  'retryJob',
  'retryJobs',
  'rediscoverMemories',
  'redeliver',
] as const

export type AuditedOperation = (typeof auditedOperations)[number]

const digest = z.string().regex(/^[0-9a-f]{64}$/)

export const auditEntry = z
  .object({
    number: z.int().describe('The position in the audit log of the tenant, from 1, without gaps.'),
    id: id.describe('The id of the entry.'),
    at: timestamp.describe('When it happened, by the clock of the database.'),
    key_id: z.string().nullable().describe('The id of the key, or `operator`.'),
    key_name: z.string().nullable().describe('The name of the key at that time; null if it had none.'),
    address: z.string().nullable().describe('The network address that the request came from.'),
    operation: z.string().describe('The operation that was called; `authenticate` for refused credentials.'),
    target: z
      .string()
      .nullable()
      .describe(
        'What the operation was about: the id of a key, webhook, plan, receipt, memory or space, or a name.',
      ),
    outcome: z
      .string()
      .describe('`ok` if the change was made, otherwise the code of the problem that was returned.'),
    request_id: z
      .string()
      .nullable()
      .describe('The id of the request, as in the log; null for refused credentials.'),
    previous: digest.describe('The digest of the entry before this one.'),
    digest: digest.describe(
      'SHA-256 of `previous` (32 bytes) and of the fields from `number` to `request_id` as a JSON array.',
    ),
  })
  .meta({ id: 'AuditEntry', description: 'A record of who did what. It has no content of memories.' })

export type AuditEntry = z.infer<typeof auditEntry>

/** The text that the digest of an entry covers. */
export const auditLine = (entry: Omit<AuditEntry, 'previous' | 'digest'>): string =>
  JSON.stringify([
    entry.number,
    entry.id,
    entry.at,
    entry.key_id,
    entry.key_name,
    entry.address,
    entry.operation,
    entry.target,
    entry.outcome,
    entry.request_id,
  ])

export const auditRoutes = {
  listAudit: route({
    method: 'GET',
    path: '/admin/audit',
    summary: 'List who did what in the tenant, newest first',
    description:
      'The log records changes of keys and policies, applied and undone plans, erasures, exports, imports, permanent deletions, switches of embedding spaces, resolved conflicts, pauses of the queue, retries, and refused credentials. Refused credentials that belong to no tenant are in the log of the tenant `default`. Each entry has the digest of the entry before it, so that a changed or missing entry is found.',
    input: z.strictObject({
      operation: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .meta({ examples: ['deleteKey'] })
        .describe('Only calls of this operation.'),
      key_id: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .meta({ examples: ['operator'] })
        .describe('Only calls with this key: its id, or `operator`.'),
      outcome: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .meta({ examples: ['ok'] })
        .describe('Only calls with this outcome.'),
      since: timestamp.optional().describe('Only entries from this time on.'),
      until: timestamp.optional().describe('Only entries before this time.'),
      limit: limit(50, 500),
      before: z
        .int()
        .min(1)
        .optional()
        .meta({ examples: [120] })
        .describe('Only entries with a smaller number: `next_before` of the page before.'),
    }),
    output: z.object({
      entries: z.array(auditEntry).describe('The entries, newest first.'),
      next_before: z.int().nullable().describe('`before` for the next page; null if this is the last one.'),
    }),
    scope: 'admin',
  }),
}
