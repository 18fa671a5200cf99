import type { Context } from '../../context.ts'
import type { Webhook } from '../../contract/webhooks.ts'
import { audit } from '../access/audit.ts'
import { removeAudited } from '../access/removal.ts'
import { openNow } from '../neo4j/closed.ts'
import { lockNow } from '../neo4j/lock.ts'
import { isoTime } from '../neo4j/projections.ts'
import { int, readValues, transact } from '../neo4j/statements.ts'
import { removeDeliveries } from './deliveries.ts'

/** The filters are JSON here: Neo4j has no objects as properties. */
type StoredWebhook = Omit<Webhook, 'filters'> & { filters: string | null }

export type NewWebhook = Pick<
  StoredWebhook,
  'id' | 'url' | 'kinds' | 'filters' | 'matches' | 'min_relevance'
> & {
  secret: string
  /** The number in the feed after which it receives changes. */
  position: number
}

const projection = `{
  id: w.id, url: w.url, kinds: w.kinds, filters: w.filters, matches: w.matches, min_relevance: w.minRelevance, created_at: ${isoTime('w.createdAt')},
  waiting: COUNT { MATCH (d:Delivery) WHERE d.waitsFor = w.id AND d.number IS NOT NULL },
  delivered_at: ${isoTime('w.deliveredAt')}, last_error: w.lastError,
  paused_until: CASE WHEN w.pausedUntil > datetime.realtime('Z') THEN ${isoTime('w.pausedUntil')} END
}`

const toWebhook = ({ filters, ...webhook }: StoredWebhook): Webhook => ({
  ...webhook,
  filters: filters === null ? null : JSON.parse(filters),
})

/**
 * Keyed by id: made again under the same id, the newest secret counts, as no earlier one was handed out. Undefined if the
 * tenant has `most` others. The feed must have been read before.
 */
export function createWebhook(ctx: Context, webhook: NewWebhook, most: number): Promise<Webhook | undefined> {
  return transact(ctx, async transaction => {
    const [row] = await transaction.run<{ webhook: StoredWebhook }>(
      `MATCH (f:Feed {tenant: $tenant}) ${lockNow('f')}
      WITH f WHERE COUNT { MATCH (other:Webhook) WHERE other.tenant = $tenant AND other.id <> $id } < $most
      MERGE (w:Webhook {id: $id})
      ON CREATE SET w.tenant = $tenant, w.url = $url, w.kinds = $kinds, w.filters = $filters,
        w.matches = $matches, w.minRelevance = $min_relevance, w.position = $position, w.failures = 0, w.pauses = 0
      SET w.secret = $secret, w.createdAt = coalesce(w.createdAt, ${openNow('$tenant')})
      RETURN ${projection} AS webhook`,
      { ...webhook, tenant: ctx.tenant, position: int(webhook.position), most: int(most) },
    )
    if (!row) return undefined
    await audit(ctx, transaction, { target: webhook.id })
    return toWebhook(row.webhook)
  })
}

export async function listWebhooks(ctx: Context): Promise<Webhook[]> {
  const found = await readValues<StoredWebhook>(
    ctx,
    `MATCH (w:Webhook) WHERE w.tenant = $tenant
    WITH w ORDER BY w.createdAt, w.id
    RETURN ${projection} AS webhook`,
    { tenant: ctx.tenant },
  )
  return found.map(toWebhook)
}

/** Removes a webhook, then its deliveries, which may be very many, and answers whether there was one. */
export async function deleteWebhook(ctx: Context, id: string): Promise<boolean> {
  const found = await removeAudited(ctx, 'w:Webhook', id)
  if (found) await removeDeliveries(ctx, id)
  return found
}
