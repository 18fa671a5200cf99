import type { Context } from '../../context.ts'
import type { KeyRecord, WebhookRecord } from '../../contract/records.ts'
import type { Quota } from '../../contract/tenants.ts'
import { apiKeyProjection, isoTime } from '../neo4j/projections.ts'
import { int, intOrNull, readValues, timeOf, transact } from '../neo4j/statements.ts'
import { audit, auditAlone } from './audit.ts'

type StoredWebhook = Omit<WebhookRecord, 'filters'> & { filters: string | null }
type Records = { keys: KeyRecord[]; webhooks: WebhookRecord[]; quota: Quota | null }

/** What a tenant has besides memories and its logs, with hashes and secrets. The call is recorded first. */
export async function readRecords(ctx: Context): Promise<Records> {
  await auditAlone(ctx, { target: ctx.tenant })
  const of = { tenant: ctx.tenant }
  const [keys, webhooks, [quota = null]] = await Promise.all([
    readValues<KeyRecord>(
      ctx,
      `MATCH (k:ApiKey) WHERE k.tenant = $tenant
      WITH k ORDER BY k.createdAt, k.id
      WITH k, ${apiKeyProjection('k')} AS key
      RETURN key {.*, hash: k.hash, expires_at: ${isoTime('k.expiresAt')}, retires_at: ${isoTime('k.retiresAt')}} AS key`,
      of,
    ),
    readValues<StoredWebhook>(
      ctx,
      `MATCH (w:Webhook) WHERE w.tenant = $tenant
      WITH w ORDER BY w.createdAt, w.id
      RETURN {id: w.id, url: w.url, kinds: w.kinds, filters: w.filters, matches: w.matches, min_relevance: w.minRelevance, secret: w.secret,
        created_at: ${isoTime('w.createdAt')}} AS webhook`,
      of,
    ),
    readValues<Quota>(
      ctx,
      'MATCH (q:Quota {tenant: $tenant}) RETURN q {.tenant, .memories, .characters} AS quota',
      of,
    ),
  ])
  return {
    keys,
    webhooks: webhooks.map(({ filters, ...webhook }) => ({
      ...webhook,
      filters: filters === null ? null : JSON.parse(filters),
    })),
    quota,
  }
}

/** `position` is the end of the tenant's feed: a webhook does not receive what was before. */
type Restored = Records & { position: number }

/** Creates what the tenant does not have yet, and answers how many keys and webhooks those are. */
export const createRecords = (ctx: Context, records: Restored): Promise<{ keys: number; webhooks: number }> =>
  transact(ctx, async transaction => {
    const [row] = await transaction.run<{ keys: number; webhooks: number }>(
      restore,
      parametersOf(ctx, records),
    )
    await audit(ctx, transaction, { target: ctx.tenant })
    return row ?? { keys: 0, webhooks: 0 }
  })

const restore = `CALL () {
    UNWIND $keys AS row
    WITH row WHERE NOT EXISTS { MATCH (:ApiKey {id: row.id}) }
    CREATE (k:ApiKey {id: row.id, tenant: $tenant, otherTenants: row.otherTenants, owner: row.owner, name: row.name, scopes: row.scopes,
      rateLimit: row.rateLimit, createdAt: row.createdAt, expiresAt: row.expiresAt,
      retiresAt: row.retiresAt, lastUsedAt: row.lastUsedAt,
      hash: row.hash})
    RETURN count(k) AS keys
  }
  CALL () {
    UNWIND $webhooks AS row
    WITH row WHERE NOT EXISTS { MATCH (:Webhook {id: row.id}) }
    CREATE (w:Webhook {id: row.id, tenant: $tenant, url: row.url, kinds: row.kinds, filters: row.filters,
      matches: row.matches, minRelevance: row.min_relevance, secret: row.secret, createdAt: row.createdAt, position: $position, failures: 0, pauses: 0})
    RETURN count(w) AS webhooks
  }
  FOREACH (row IN $quotas |
    MERGE (q:Quota {tenant: $tenant}) ON CREATE SET q.memories = row.memories, q.characters = row.characters)
  RETURN keys, webhooks`

const parametersOf = ({ tenant }: Context, { keys, webhooks, quota, position }: Restored) => ({
  tenant,
  position: int(position),
  keys: keys.map(key => ({
    id: key.id,
    otherTenants: key.other_tenants,
    owner: key.owner,
    name: key.name,
    scopes: key.scopes,
    rateLimit: intOrNull(key.rate_limit),
    createdAt: timeOf(key.created_at),
    expiresAt: timeOf(key.expires_at),
    retiresAt: timeOf(key.retires_at),
    lastUsedAt: timeOf(key.last_used_at),
    hash: key.hash,
  })),
  webhooks: webhooks.map(({ created_at, filters, ...webhook }) => ({
    ...webhook,
    filters: filters === null ? null : JSON.stringify(filters),
    createdAt: timeOf(created_at),
  })),
  quotas: quota ? [{ memories: intOrNull(quota.memories), characters: intOrNull(quota.characters) }] : [],
})
