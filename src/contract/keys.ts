import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { route } from './route.ts'
import { id, ownerName, tenantName, text, timestamp } from './values.ts'

const MAXIMUM_TENANTS = 100
const LONGEST_OVERLAP_SECONDS = 2_592_000

const scope = closedSet('Scope').describe(
  '`read`: reads and searches. `write`: also creates, changes and archives. `delete`: also removes memories permanently. `admin`: also administers the tenant. `cypher`: queries in Cypher, which no other scope includes.',
)

const rateLimit = z.int().min(1).max(1_000_000)

export const apiKey = z
  .object({
    id: id.describe('The id of the key.'),
    tenant: z.string().describe('The tenant that the key belongs to.'),
    other_tenants: z
      .array(z.string())
      .describe('Further tenants in which the key may act, if a request names one of them.'),
    owner: z
      .string()
      .nullable()
      .describe('The owner whose private memories the key uses besides the shared ones; null if none.'),
    name: z.string().nullable().describe('The name given to the key; null if it has none.'),
    scopes: z.array(scope).describe('What the key allows.'),
    rate_limit: rateLimit
      .nullable()
      .describe('Requests per minute that the key may make; null if it shares the limit of its tenant.'),
    created_at: timestamp.describe('When the key was created.'),
    expires_at: timestamp.nullable().describe('When the key expires; null if it never expires.'),
    last_used_at: timestamp
      .nullable()
      .describe('When the key was last used; null if never. May lag by up to a minute.'),
  })
  .meta({ id: 'ApiKey', description: 'An API key of a tenant, without its secret.' })

export type ApiKey = z.infer<typeof apiKey>

const newKey = apiKey.extend({ key: z.string().describe('The secret. No other response contains it.') })
const ofKey = id.describe('The id of the key.')
export const keyRoutes = {
  createKey: route({
    method: 'POST',
    path: '/admin/keys',
    summary: 'Create a key for a tenant',
    description: 'The response contains the secret. The service stores only its hash, so save it now.',
    input: z.strictObject({
      tenant: tenantName
        .optional()
        .describe('The tenant of the key. The default is the tenant of the request.'),
      other_tenants: z
        .array(tenantName)
        .max(MAXIMUM_TENANTS)
        .transform(names => [...new Set(names)])
        .default([])
        .describe('Further tenants in which the key may act. Only the operator key can name any.'),
      owner: ownerName
        .optional()
        .describe(
          'The owner of private memories to whom the key is bound. It sees these and the shared memories of the tenant. Such a key cannot have the scope `admin`, nor further tenants.',
        ),
      scopes: z
        .array(scope)
        .min(1)
        .max(10)
        .transform(values => [...new Set(values)])
        .default(['read', 'write'])
        .describe('What the key allows.'),
      rate_limit: rateLimit
        .optional()
        .describe(
          'Requests per minute that the key may make, counted apart from its tenant. Keys of one tenant with the same name share their count. Only the operator key can set it.',
        ),
      expires_at: timestamp
        .optional()
        .describe('When the key expires, a time in the future. Without it the key never expires.'),
      name: text().min(1).max(100).optional().describe('A name by which people recognize the key.'),
    }),
    output: newKey,
    status: 201,
    scope: 'admin',
    creates: true,
  }),
  listKeys: route({
    method: 'GET',
    path: '/admin/keys',
    summary: "List the tenant's keys",
    input: z.strictObject({}),
    output: z.object({ keys: z.array(apiKey).describe('The keys, oldest first.') }),
    scope: 'admin',
  }),
  rotateKey: route({
    method: 'POST',
    path: '/admin/keys/{id}/rotate',
    summary: 'Replace a key by a new one',
    description:
      'The new key has the same name, tenants, owner, scopes and rate limit, and expires when the old key would have. The old key stays valid for `overlap_seconds`, so that you can change the secret where it is used without an outage. You can rotate a key again during its overlap, for example if you lost the response: this creates another new key and never extends the overlap. An expired key cannot be rotated.',
    input: z.strictObject({
      id: ofKey,
      overlap_seconds: z
        .int()
        .min(0)
        .max(LONGEST_OVERLAP_SECONDS)
        .default(86_400)
        .describe('For how many seconds the old key stays valid. A key that expires earlier still does.'),
    }),
    output: newKey,
    status: 201,
    problems: ['malformed_id', 'key_not_found', 'key_expired'],
    scope: 'admin',
    creates: true,
  }),
  deleteKey: route({
    method: 'DELETE',
    path: '/admin/keys/{id}',
    summary: 'Revoke a key',
    description: 'The service refuses the key from now on.',
    input: z.strictObject({ id: ofKey }),
    output: z.object({
      id: ofKey,
      deleted: z.literal(true).describe('Always true.'),
    }),
    problems: ['malformed_id', 'key_not_found'],
    scope: 'admin',
  }),
}
