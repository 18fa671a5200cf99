import type { Context } from '../../context.ts'
import type { Delivery } from '../../contract/webhooks.ts'
import { audit } from '../access/audit.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { clear } from '../neo4j/clear.ts'
import { lockNow } from '../neo4j/lock.ts'
import { isoTime } from '../neo4j/projections.ts'
import { int, readValues, transact } from '../neo4j/statements.ts'

const projection = `{
  id: d.id, state: d.state, type: d.type, body: d.body, queued_at: ${isoTime('d.queuedAt')}, attempts: d.attempts,
  due_at: CASE WHEN d.waitsFor IS NOT NULL THEN ${isoTime('d.dueAt')} END, settled_at: ${isoTime('d.settledAt')},
  last_error: d.lastError
}`

type DeliveryFilter = { state: Delivery['state'] | undefined; before: string | undefined }

/** The deliveries of a webhook, newest change first; undefined if the tenant has no such webhook. */
export async function listDeliveries(
  ctx: Context,
  webhook: string,
  { state, before }: DeliveryFilter,
  limit: number,
): Promise<Delivery[] | undefined> {
  const [deliveries] = await readValues<Delivery[]>(
    ctx,
    `MATCH (w:Webhook {id: $webhook}) WHERE w.tenant = $tenant
    OPTIONAL MATCH (last:Delivery {id: $before}) WHERE last.webhook = w.id
    WITH w, CASE WHEN $before = '' THEN $end ELSE coalesce(last.number, 0) END AS bound
    CALL (w, bound) {
      MATCH (d:Delivery) WHERE d.webhook = w.id AND d.number < bound AND ($state = '' OR d.state = $state)
      WITH d ORDER BY d.webhook DESC, d.number DESC LIMIT $limit
      RETURN collect(${projection}) AS deliveries
    }
    RETURN deliveries`,
    {
      webhook,
      tenant: ctx.tenant,
      state: state ?? '',
      before: before ?? '',
      end: int(Number.MAX_SAFE_INTEGER),
      limit: int(limit),
    },
  )
  return deliveries
}

const AT_ONCE = 1_000

/**
 * Queues a delivery again, or all that failed, with all their attempts, and ends a pause of the webhook. Returns how many;
 * undefined if the tenant has no such webhook. A worker that has the webhook has it no longer: it has not seen these.
 */
export async function requeue(
  ctx: Context,
  webhook: string,
  delivery: string | undefined,
): Promise<number | undefined> {
  let queued = 0
  for (;;) {
    const row = await transact(ctx, async transaction => {
      const [found] = await transaction.run<{ queued: number }>(
        delivery === undefined ? requeueFailed : requeueOne,
        { webhook, tenant: ctx.tenant, delivery: delivery ?? null, most: int(AT_ONCE) },
      )
      if (found && (delivery === undefined || found.queued > 0))
        await audit(ctx, transaction, { target: delivery ?? webhook })
      return found
    })
    if (!row) return undefined
    queued += row.queued
    if (row.queued < AT_ONCE) return queued
  }
}

const requeueFound = (deliveries: string) => `MATCH (w:Webhook {id: $webhook}) WHERE w.tenant = $tenant
  ${lockNow('w')}
  SET w.failures = 0, w.pauses = 0, w.nextAt = datetime.realtime('Z')
  REMOVE w.pausedUntil, w.owner, w.leaseUntil
  WITH w
  CALL (w) {
    ${deliveries}
    SET d.state = 'waiting', d.waitsFor = w.id, d.attempts = 0, d.queuedAt = datetime.realtime('Z'),
      d.dueAt = datetime.realtime('Z')
    REMOVE d.settledAt
    RETURN count(d) AS queued
  }
  RETURN queued`

const requeueOne = requeueFound('MATCH (d:Delivery {id: $delivery}) WHERE d.webhook = w.id')
const requeueFailed =
  requeueFound(`MATCH (d:Delivery) WHERE d.webhook = w.id AND d.number IS NOT NULL AND d.state = 'failed'
    WITH w, d LIMIT $most`)

/** Removes all deliveries of a webhook. */
export const removeDeliveries = (caller: Caller, webhook: string) =>
  clear(
    caller,
    `MATCH (d:Delivery) WHERE d.webhook = $webhook AND d.number IS NOT NULL
    WITH d LIMIT $most
    DELETE d
    RETURN count(*) AS cleared`,
    { webhook },
  )

/** Removes deliveries that have ended, or lost their webhook, and were queued so many seconds ago. */
export const deleteOldDeliveries = (caller: Caller & { readonly tenant: string }, seconds: number) =>
  clear(
    caller,
    `MATCH (d:Delivery) WHERE d.tenant = $tenant AND d.queuedAt < datetime.realtime('Z') - duration({seconds: $seconds})
      AND (d.state <> 'waiting' OR NOT EXISTS { MATCH (:Webhook {id: d.webhook}) })
    WITH d LIMIT $most
    DELETE d
    RETURN count(*) AS cleared`,
    { tenant: caller.tenant, seconds: int(seconds) },
  )
