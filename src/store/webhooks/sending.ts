import type { ChangeKind } from '../../contract/changes.ts'
import { isPaused } from '../jobs/pauses.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { lockNow } from '../neo4j/lock.ts'
import { isOver } from '../neo4j/projections.ts'
import { int, intOrNull, read, readValue, timeOrNull, write } from '../neo4j/statements.ts'

/** The work on webhooks that only workers do: which are due, their deliveries, and the outcome of each attempt. */

/** A webhook that this worker may send to until its lease ends. */
export type LeasedWebhook = {
  readonly id: string
  readonly tenant: string
  readonly url: string
  readonly secret: string
  readonly kinds: readonly ChangeKind[] | null
  readonly filters: string | null
  readonly matches: string | null
  readonly minRelevance: number | null
  /** The number in the feed up to which changes are queued as deliveries. */
  readonly position: number
  /** How often it was paused since the last success: after a pause one delivery is tried first. */
  readonly pauses: number
  /** Failures in a row until now. */
  readonly failures: number
  readonly owner: string
}

const CLOCK = "datetime.realtime('Z')"

/** Longer than one turn with a webhook can take. */
const LEASE_SECONDS = 60

/** How many webhooks a worker takes: at most `each` of one tenant, with those that are `busy`, and of one tenant only if it is named. */
type Share = {
  readonly most: number
  readonly each: number
  readonly busy: Readonly<Record<string, number>>
  readonly tenant?: string | undefined
}

/**
 * Takes webhooks for which there is something to do, the one that has waited longest first. It reads all webhooks, which
 * are few.
 */
export const leaseWebhooks = (
  caller: Caller,
  owner: string,
  { most, each, busy, tenant }: Share,
): Promise<LeasedWebhook[]> =>
  write<LeasedWebhook>(
    caller,
    `MATCH (w:Webhook) WHERE ($tenant IS NULL OR w.tenant = $tenant) AND ${isFree} AND NOT ${isPaused('w.tenant')}
    OPTIONAL MATCH (f:Feed {tenant: w.tenant})
    WITH w WHERE w.nextAt <= ${CLOCK} OR (w.isFull IS NULL AND (coalesce(f.last, 0) > w.position
      OR EXISTS { MATCH (c:Change) WHERE c.unnumbered = w.tenant AND c.at IS NOT NULL }))
    WITH w ORDER BY w.servedAt
    WITH w.tenant AS tenant, collect(w) AS webhooks
    UNWIND webhooks[..toInteger($each - coalesce($busy[tenant], 0))] AS w
    WITH w ORDER BY w.servedAt LIMIT $most
    WITH w ORDER BY w.id
    ${lockNow('w')}
    WITH w WHERE ${isFree}
    SET w.owner = $owner, w.leaseUntil = ${CLOCK} + duration({seconds: $lease}),
      w.servedAt = ${CLOCK}
    RETURN w.id AS id, w.tenant AS tenant, w.url AS url, w.secret AS secret, w.kinds AS kinds,
      w.filters AS filters, w.matches AS matches, w.minRelevance AS minRelevance, w.position AS position, w.pauses AS pauses, w.failures AS failures, w.owner AS owner`,
    { owner, tenant: tenant ?? null, most: int(most), each, busy, lease: int(LEASE_SECONDS) },
  )

export const LONGEST_PAUSE_SECONDS = 3_600
const isFree = `${isOver('w.leaseUntil', CLOCK, String(LEASE_SECONDS))}
      AND ${isOver('w.pausedUntil', CLOCK, String(LONGEST_PAUSE_SECONDS))}`

/** What a webhook waits for: when its next delivery is due, in milliseconds, and whether it takes further changes. */
export type Rest = { readonly nextAt: number | null; readonly isFull: boolean }

/** Frees a webhook, until something changes that it takes, or its next delivery is due. */
export const releaseWebhook = (caller: Caller, { id, owner }: LeasedWebhook, { nextAt, isFull }: Rest) =>
  write(
    caller,
    `MATCH (w:Webhook {id: $id}) ${lockNow('w')}
    WITH w WHERE w.owner = $owner
    SET w.nextAt = $nextAt, w.isFull = CASE WHEN $isFull THEN true END
    REMOVE w.owner, w.leaseUntil`,
    { id, owner, isFull, nextAt: timeOrNull(nextAt) },
  )

export type NewDelivery = {
  readonly id: string
  readonly number: number
  readonly type: ChangeKind
  readonly body: string
  /** What the change is about: deliveries that share one of these keep their order. */
  readonly about: readonly string[]
}

/** Queues deliveries and moves the webhook on in the feed: both or neither, and once. False if the lease is lost. */
export async function queueDeliveries(
  caller: Caller,
  webhook: LeasedWebhook,
  deliveries: readonly NewDelivery[],
  position: number,
): Promise<boolean> {
  const rows = await write(
    caller,
    `MATCH (w:Webhook {id: $id}) ${lockNow('w')}
    WITH w WHERE w.owner = $owner AND w.position <= $position
    SET w.position = $position, w.nextAt = ${CLOCK}
    WITH w
    CALL (w) {
      UNWIND $deliveries AS each
      MERGE (d:Delivery {id: each.id})
      ON CREATE SET d.tenant = w.tenant, d.webhook = w.id, d.waitsFor = w.id, d.number = toInteger(each.number),
        d.type = each.type, d.body = each.body, d.about = each.about, d.state = 'waiting', d.attempts = 0,
        d.queuedAt = ${CLOCK}, d.dueAt = ${CLOCK}
    }
    RETURN w.id AS id`,
    { id: webhook.id, owner: webhook.owner, deliveries, position: int(position) },
  )
  return rows.length > 0
}

export type WaitingDelivery = {
  readonly id: string
  readonly about: readonly string[]
  readonly attempts: number
  /** When it is due, in milliseconds. */
  readonly dueAt: number
  /** For how long it has been tried, in seconds. */
  readonly age: number
}

/** The first deliveries that wait for a webhook, in the order of the changes, and the time of the database. */
export const readWaiting = (
  caller: Caller,
  { id }: LeasedWebhook,
  limit: number,
): Promise<{ waiting: WaitingDelivery[]; now: number }> =>
  readValue(
    caller,
    `WITH ${CLOCK} AS now
    CALL (now) {
      MATCH (d:Delivery) WHERE d.waitsFor = $id AND d.number IS NOT NULL
      WITH d, now ORDER BY d.waitsFor, d.number LIMIT $limit
      RETURN collect({id: d.id, about: d.about, attempts: 1.0 * d.attempts, dueAt: 1.0 * d.dueAt.epochMillis,
        age: (now.epochMillis - d.queuedAt.epochMillis) / 1000.0}) AS waiting
    }
    RETURN {waiting: waiting, now: 1.0 * now.epochMillis} AS found`,
    { id, limit: int(limit) },
  )

/** What is sent, by the ids of the deliveries; none of one that is gone. */
export async function readBodies(
  caller: Caller,
  { id: webhook }: LeasedWebhook,
  deliveries: readonly { readonly id: string }[],
): Promise<Map<string, string>> {
  const rows = await read<{ id: string; body: string }>(
    caller,
    `UNWIND $ids AS id
    MATCH (d:Delivery {id: id}) WHERE d.waitsFor = $webhook
    RETURN d.id AS id, d.body AS body`,
    { webhook, ids: deliveries.map(({ id }) => id) },
  )
  return new Map(rows.map(({ id, body }) => [id, body]))
}

export type Attempt = {
  readonly id: string
  /** Which attempt it was, from 1. */
  readonly attempts: number
  readonly error: string | null
  /** Seconds until the next attempt; null if there is none. */
  readonly retryIn: number | null
}

/** What the attempts mean for the webhook: failures in a row, pauses in a row, and a pause from now on. */
export type Health = {
  readonly failures: number
  readonly pauses: number
  readonly pauseSeconds: number | null
}

/** A delivery is tried for so long. */
export const LONGEST_SECONDS = 86_400

/**
 * Records attempts, and ends deliveries that wait behind a pause for too long. False if the lease is lost: then another has
 * sent these too.
 */
export async function recordAttempts(
  caller: Caller,
  { id, owner }: LeasedWebhook,
  attempts: readonly Attempt[],
  { failures, pauses, pauseSeconds }: Health,
): Promise<boolean> {
  const rows = await write(
    caller,
    `MATCH (w:Webhook {id: $id}) ${lockNow('w')}
    WITH w WHERE w.owner = $owner
    SET w.failures = $failures, w.pauses = $pauses, w.lastError = $lastError,
      w.deliveredAt = CASE WHEN $delivered THEN ${CLOCK} ELSE w.deliveredAt END,
      w.pausedUntil = CASE WHEN $pause IS NOT NULL THEN ${CLOCK} + duration({seconds: $pause}) END
    WITH w
    CALL (w) {
      UNWIND $attempts AS attempt
      MATCH (d:Delivery {id: attempt.id}) WHERE d.waitsFor = w.id
      SET d.attempts = toInteger(attempt.attempts), d.lastError = attempt.error,
        d.state = CASE WHEN attempt.error IS NULL THEN 'delivered' WHEN attempt.retryIn IS NULL THEN 'failed' ELSE 'waiting' END,
        d.dueAt = CASE WHEN attempt.retryIn IS NULL THEN d.dueAt
          ELSE ${CLOCK} + duration({milliseconds: toInteger(1000 * attempt.retryIn)}) END,
        d.settledAt = CASE WHEN attempt.retryIn IS NULL THEN ${CLOCK} END,
        d.waitsFor = CASE WHEN attempt.retryIn IS NULL THEN null ELSE w.id END
    }
    WITH w
    CALL (w) {
      MATCH (d:Delivery) WHERE d.waitsFor = w.id AND d.number IS NOT NULL AND w.pausedUntil IS NOT NULL
        AND d.queuedAt < ${CLOCK} - duration({seconds: $longest})
      WITH d LIMIT 1000
      SET d.state = 'failed', d.lastError = coalesce(d.lastError, w.lastError), d.settledAt = ${CLOCK}
      REMOVE d.waitsFor
    }
    RETURN w.id AS id`,
    {
      id,
      owner,
      attempts,
      longest: int(LONGEST_SECONDS),
      failures: int(failures),
      pauses: int(pauses),
      pause: intOrNull(pauseSeconds),
      lastError: attempts.at(-1)?.error ?? null,
      delivered: attempts.some(({ error }) => error === null),
    },
  )
  return rows.length > 0
}
