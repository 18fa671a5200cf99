import { z } from 'zod'
import { erasureReceipt } from './erasures.ts'
import { route } from './route.ts'
import { limit, tenantOrPrivate, timestamp } from './values.ts'

const MAXIMUM_QUOTA = 1_000_000_000_000

const quotaFields = {
  memories: z
    .int()
    .min(0)
    .max(MAXIMUM_QUOTA)
    .nullable()
    .describe('How many memories the tenant may store, archived ones included; null: the setting applies.'),
  characters: z
    .int()
    .min(0)
    .max(MAXIMUM_QUOTA)
    .nullable()
    .describe('How many characters their contents may have in all; null: the setting applies.'),
}

export const quota = z
  .object({ tenant: z.string().describe('The name of the tenant.'), ...quotaFields })
  .meta({ id: 'Quota', description: 'How much a tenant may store.' })

export type Quota = z.infer<typeof quota>

/** How much a tenant stores, or may store. */
export type Usage = { readonly memories: number; readonly characters: number }

const tenant = z
  .object({
    tenant: z.string().describe('The name of the tenant.'),
    memories: z
      .object({
        active: z.int().describe('How many active memories.'),
        archived: z.int().describe('How many archived memories.'),
      })
      .describe('The number of memories by state.'),
    characters: z.int().describe('How many characters the contents of these memories have in all.'),
    quota: z.object(quotaFields).nullable().describe('What the operator has set; null if nothing.'),
    keys: z.int().describe('How many keys the tenant has.'),
    last_write_at: timestamp
      .nullable()
      .describe('When a memory was last created or changed; null if there is none.'),
  })
  .meta({ id: 'Tenant', description: 'A tenant and how much it has.' })

export const tenantRoutes = {
  listTenants: route({
    method: 'GET',
    path: '/admin/tenants',
    summary: 'List the tenants in alphabetical order',
    description:
      'Only the operator key can do this. A tenant exists as soon as it has a memory, a key, a policy, a webhook or a quota. The private memories of an owner are listed as a tenant of their own, such as platform-team~anna.',
    input: z.strictObject({
      limit: limit(50, 500),
      after: tenantOrPrivate
        .optional()
        .describe('Only tenants after this name: `next_after` of the page before.')
        .meta({ examples: ['platform-team'] }),
    }),
    output: z.object({
      tenants: z.array(tenant).describe('The tenants in alphabetical order.'),
      next_after: z.string().nullable().describe('`after` for the next page; null if this is the last one.'),
    }),
    scope: 'admin',
  }),
  putQuota: route({
    method: 'PUT',
    path: '/admin/tenants/{tenant}/quota',
    summary: 'Set how much a tenant may store',
    description:
      'Only the operator key can do this. Creating and importing memories, or longer contents, beyond the quota fails with 403 `quota_exceeded`. Quotas are exact, also with several processes. Other processes use a new quota within 10 seconds. A tenant without a quota of its own has the quota of the settings. Private memories of an owner have a quota of their own, or as much as the tenant may store.',
    input: z.strictObject({
      tenant: tenantOrPrivate.describe('The name of the tenant.'),
      memories: quotaFields.memories.default(null),
      characters: quotaFields.characters.default(null),
    }),
    output: quota,
    problems: ['malformed_id'],
    scope: 'admin',
  }),
  eraseTenant: route({
    method: 'DELETE',
    path: '/admin/tenants/{tenant}',
    summary: 'Erase a tenant with everything that it has',
    description:
      'Only the operator key can do this. The service revokes the keys of the tenant, and removes its memories as `eraseMemories` does, then its policies, plans, jobs and feed. From the first step on nothing can be written in the tenant, also with a token of an issuer; it stays closed until the operator creates a key, sets a quota or imports a backup for it. The audit log and the receipts of erasures stay. The private memories of its owners are erased with it; one receipt, in the tenant, is of all. If you name private memories, only they are erased, and the keys of the owner stay. You cannot undo it. If the time for the request ends first, the service continues: fetch the receipt with `getErasure` in the tenant.',
    input: z.strictObject({ tenant: tenantOrPrivate.describe('The name of the tenant.') }),
    output: erasureReceipt,
    problems: ['malformed_id', 'tenant_not_found'],
    scope: 'admin',
  }),
}
