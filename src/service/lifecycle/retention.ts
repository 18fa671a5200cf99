import type { Context } from '../../context.ts'
import { deleteOldEntries } from '../../store/access/audit.ts'
import { deleteOldRequests } from '../../store/access/idempotency.ts'
import { deleteOldChanges } from '../../store/feed/feed.ts'
import { applyRetention } from '../../store/lifecycle/retention.ts'
import { deleteOldDeliveries } from '../../store/webhooks/deliveries.ts'
import { retainEarlierConnections } from './earlier-connections.ts'

/** Removes what the service keeps of a tenant for a time only, once that is over. */
export async function retain(ctx: Context) {
  const { feed, auditRetentionSeconds } = ctx.app.config
  await applyRetention(ctx)
  await retainEarlierConnections(ctx)
  await deleteOldRequests(ctx)
  await deleteOldChanges(ctx, feed.retentionSeconds)
  await deleteOldDeliveries(ctx, feed.retentionSeconds)
  await deleteOldEntries(ctx, auditRetentionSeconds)
}

/** The same, where a tenant that fails must not hold up those behind it. */
export const retainOrWarn = (ctx: Context) =>
  retain(ctx).catch(error => ctx.log.warn({ error: String(error) }, 'what is over was not removed'))
