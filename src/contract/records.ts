import { z } from 'zod'
import { auditEntry } from './audit.ts'
import { memoryFilters } from './changes.ts'
import { apiKey } from './keys.ts'
import { route } from './route.ts'
import { quota } from './tenants.ts'
import { fraction, id, ownerName, query, tenantOrPrivate, timestamp } from './values.ts'
import { kinds, url } from './webhooks.ts'

const MOST = 20_000

const keyRecord = apiKey
  .extend({
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('The SHA-256 of the secret, in hexadecimal.'),
    expires_at: timestamp
      .nullable()
      .describe('When the life of the key ends, which its successors have too; null if never.'),
    retires_at: timestamp
      .nullable()
      .describe('When the key ends because a successor has replaced it; null if none has.'),
  })
  .meta({ id: 'KeyRecord', description: 'An API key with the hash of its secret.' })

const webhookRecord = z
  .object({
    id: id.describe('The id of the webhook.'),
    url: url.describe('The address that receives the changes.'),
    kinds: kinds.nullable().describe('The kinds of changes that the service delivers; null for all.'),
    filters: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('Only changes of memories that match these filters are delivered; null for all.'),
    matches: query
      .nullable()
      .describe('Only memories that bear on this question are delivered; null for all.'),
    min_relevance: fraction.nullable().describe('From which relevance on a memory bears on `matches`.'),
    secret: z.string().min(1).max(200).describe('The secret that signs the deliveries.'),
    created_at: timestamp.describe('When the webhook was created.'),
  })
  .meta({ id: 'WebhookRecord', description: 'A webhook with its secret.' })

/** Inputs have types of their own in GraphQL. */
const restoredKey = z
  .object({
    ...keyRecord.shape,
    owner: ownerName
      .nullable()
      .default(null)
      .describe('The owner whose private memories the key uses besides the shared ones; null if none.'),
    retires_at: keyRecord.shape.retires_at.default(null),
  })
  .meta({ id: 'RestoredKey', description: 'An API key from a backup.' })
const restoredWebhook = z
  .object({
    ...webhookRecord.shape,
    filters: memoryFilters
      .nullable()
      .describe('Only changes of memories that match these filters are delivered; null for all.'),
    matches: webhookRecord.shape.matches.default(null),
    min_relevance: webhookRecord.shape.min_relevance.default(null),
  })
  .meta({ id: 'RestoredWebhook', description: 'A webhook from a backup.' })
const restoredQuota = z
  .object(quota.shape)
  .meta({ id: 'RestoredQuota', description: 'A quota from a backup.' })
const restoredEntry = z
  .object(auditEntry.shape)
  .meta({ id: 'RestoredAuditEntry', description: 'An entry of the audit log from a backup.' })

export type KeyRecord = z.infer<typeof keyRecord>
export type WebhookRecord = z.infer<typeof webhookRecord>

const ofTenant = tenantOrPrivate.describe('The name of the tenant.')

export const recordRoutes = {
  exportRecords: route({
    method: 'GET',
    path: '/admin/tenants/{tenant}/records',
    summary: 'Export the keys, webhooks and quota of a tenant, for a backup',
    description:
      'Only the operator key can do this. The response contains hashes of keys and secrets of webhooks, so keep it safe. `listAudit` returns the audit log.',
    input: z.strictObject({ tenant: ofTenant }),
    output: z.object({
      keys: z.array(keyRecord).describe('The keys, oldest first.'),
      webhooks: z.array(webhookRecord).describe('The webhooks, oldest first.'),
      quota: quota.nullable().describe('What the operator has set; null if nothing.'),
    }),
    problems: ['malformed_id'],
    scope: 'admin',
  }),
  importRecords: route({
    method: 'POST',
    path: '/admin/tenants/{tenant}/records',
    summary: 'Restore keys, webhooks, the quota and the audit log of a tenant',
    description:
      'Only the operator key can do this. What the tenant has already stays as it is. A restored key works with its old secret. A restored webhook receives changes from now on. Audit entries must continue the log of the tenant, or the log must be empty.',
    input: z.strictObject({
      tenant: ofTenant,
      keys: z.array(restoredKey).max(MOST).default([]).describe('Keys to restore.'),
      webhooks: z.array(restoredWebhook).max(MOST).default([]).describe('Webhooks to restore.'),
      quota: restoredQuota.nullable().default(null).describe('The quota, used if the tenant has none.'),
      entries: z
        .array(restoredEntry)
        .max(MOST)
        .default([])
        .describe('Entries of the audit log, oldest first.'),
    }),
    output: z.object({
      keys: z.int().describe('How many keys are new.'),
      webhooks: z.int().describe('How many webhooks are new.'),
      entries: z.int().describe('How many audit entries are new.'),
    }),
    problems: ['malformed_id', 'audit_log_differs'],
    scope: 'admin',
  }),
}
