import { v7 as mintId } from 'uuid'
import type { App, Context, Selection } from '../../context.ts'
import { timeLimit } from '../../platform/time-limit.ts'
import type { WebhookSender } from '../../platform/webhook-sender.ts'
import type { SelectedChange } from '../../store/feed/types.ts'
import type { Attempt, Health, LeasedWebhook, WaitingDelivery } from '../../store/webhooks/sending.ts'
import * as store from '../../store/webhooks/sending.ts'
import { isWithoutVector } from '../embeddings/vectors.ts'
import { nextChanges, toChange, WORK_BOUND } from '../feed/changes.ts'
import { memoriesOf } from '../feed/glimpses.ts'
import { toSelection } from '../feed/selection.ts'
import { backgroundContext } from '../jobs/handlers.ts'
import type { Filters } from '../memories/filters.ts'

/** After this the next turn belongs to others. */
const TURN_MS = 5_000
/** With its last deliveries; the lease lasts longer. */
const LONGEST_TURN_MS = 50_000
const CHANGES_AT_ONCE = 500
/** While so many deliveries wait for a webhook, its further changes stay in the feed. Each turn reads all that wait. */
const MOST_WAITING = 1_000
/** So long a question waits for an embedding provider that is down; its changes stay in the feed. */
const QUESTION_MS = 5_000
const SENT_AT_ONCE = 32
const SIDE_BY_SIDE = 8

const FAILURES_OF_A_PAUSE = 5
const FIRST_PAUSE_SECONDS = 30

/** Seconds until the second attempt, until the third, and so on: together nearly a day. */
const WAITS = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800]
const LONGEST_WAIT_SECONDS = 28_800

type Turn = {
  position: number
  failures: number
  pauses: number
  waiting: WaitingDelivery[]
  clock: Clock
  /** Its question has no vector now. */
  isUnasked: boolean
}

/** The time of the database, in milliseconds. */
type Clock = () => number

/**
 * Sends what waits for a webhook, for a while: first it queues the changes that it has not seen. Returns when the next
 * delivery is due, null if none waits, and whether so many wait that no more are queued.
 */
export async function serveWebhook(app: App, webhook: LeasedWebhook, stop: AbortSignal): Promise<store.Rest> {
  using limit = timeLimit(stop, LONGEST_TURN_MS)
  const name = { id: `webhook:${webhook.id}`, tenant: webhook.tenant }
  const ctx = backgroundContext(app, name, limit.signal)
  const { position, failures, pauses } = webhook
  const { waiting, now } = await store.readWaiting(ctx, webhook, MOST_WAITING)
  const ahead = now - Date.now()
  const turn: Turn = {
    position,
    failures,
    pauses,
    waiting,
    clock: () => Date.now() + ahead,
    isUnasked: false,
  }
  const until = performance.now() + TURN_MS
  const selection = selectionOf(webhook)
  for (let more = true; ; ) {
    more &&= turn.waiting.length < MOST_WAITING && (await queueIfPossible(ctx, webhook, selection, turn))
    const heads = headsOf(turn.waiting)
    const due = heads.filter(({ dueAt }) => dueAt <= turn.clock())
    const next = due.slice(0, turn.pauses > 0 ? 1 : SENT_AT_ONCE)
    const isOver = performance.now() > until || (next.length === 0 && !more)
    if (isOver || !(await sendAll(ctx, webhook, turn, next))) return restOf(turn)
  }
}

function restOf({ waiting, isUnasked, clock }: Turn): store.Rest {
  const nextAt = earliestOf(headsOf(waiting))
  if (!isUnasked) return { nextAt, isFull: waiting.length >= MOST_WAITING }
  return { nextAt: Math.min(nextAt ?? Number.POSITIVE_INFINITY, clock() + QUESTION_MS), isFull: true }
}

async function queueIfPossible(...given: Parameters<typeof queueChanges>): Promise<boolean> {
  try {
    return await queueChanges(...given)
  } catch (error) {
    const [ctx, , , turn] = given
    if (!isWithoutVector(error)) throw error
    ctx.log.warn({ error: String(error) }, 'the question of a webhook has no vector now')
    turn.isUnasked = true
    return false
  }
}

/** Queues the next changes as deliveries. False if there are none, or another has the webhook. */
async function queueChanges(
  ctx: Context,
  webhook: LeasedWebhook,
  selection: Selection,
  turn: Turn,
): Promise<boolean> {
  const { last } = await ctx.app.feed.number(ctx, { after: turn.position, count: WORK_BOUND })
  if (last <= turn.position) return false
  const until = Math.min(last, turn.position + WORK_BOUND)
  const window = { after: turn.position, until, limit: CHANGES_AT_ONCE }
  const { changes, end, forgotten } = await nextChanges(ctx, window, selection)
  if (forgotten > turn.position) ctx.log.warn('changes were removed before a webhook could receive them')
  const deliveries = changes.map(change => newDelivery(ctx, webhook, change))
  if (!(await store.queueDeliveries(ctx, webhook, deliveries, end))) return false
  turn.position = end
  const dueAt = turn.clock()
  turn.waiting.push(...deliveries.map(({ id, about }) => ({ id, about, attempts: 0, dueAt, age: 0 })))
  return true
}

const selectionOf = ({ kinds, filters, matches, minRelevance }: LeasedWebhook): Selection =>
  toSelection({
    kinds,
    filters: filters === null ? null : (JSON.parse(filters) as Filters),
    matches,
    min_relevance: minRelevance,
  })

const newDelivery = (ctx: Context, webhook: LeasedWebhook, change: SelectedChange) => ({
  id: mintId(),
  number: change.number,
  type: change.kind,
  about: change.policy === null ? memoriesOf(change) : [`policy:${change.policy}`],
  body: JSON.stringify({
    type: change.kind,
    timestamp: change.at,
    webhook_id: webhook.id,
    tenant: webhook.tenant,
    data: toChange(ctx, change),
  }),
})

/** The deliveries before which nothing of the same memory waits. */
function headsOf(waiting: readonly WaitingDelivery[]): WaitingDelivery[] {
  const seen = new Set<string>()
  return waiting.filter(({ about }) => {
    const isFirst = !about.some(id => seen.has(id))
    for (const id of about) seen.add(id)
    return isFirst
  })
}

const earliestOf = (heads: readonly WaitingDelivery[]) =>
  heads.length === 0 ? null : Math.min(...heads.map(({ dueAt }) => dueAt))

/** Sends deliveries side by side, and ends early if the receiver seems down. False if the webhook is to rest. */
async function sendAll(
  ctx: Context,
  webhook: LeasedWebhook,
  turn: Turn,
  deliveries: readonly WaitingDelivery[],
): Promise<boolean> {
  if (deliveries.length === 0) return true
  const bodies = await store.readBodies(ctx, webhook, deliveries)
  const queue = deliveries.values()
  const attempts: Attempt[] = []
  const sendNext = async () => {
    for (const delivery of queue) {
      const body = bodies.get(delivery.id)
      // It was removed in the meantime, with its tenant.
      if (body === undefined) continue
      attempts.push(await attempt(ctx, webhook, delivery, body))
      if (isDown(turn, attempts)) return
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, sendNext))
  // What a stop has cut off says nothing about the receiver.
  if (ctx.signal.aborted) return false
  const health = healthAfter(turn, attempts)
  turn.failures = health.failures
  turn.pauses = health.pauses
  turn.waiting = waitingAfter(turn, deliveries, attempts, bodies)
  return (await store.recordAttempts(ctx, webhook, attempts, health)) && health.pauseSeconds === null
}

/** Without what has ended or is gone, and with the time at which the others are tried again. */
function waitingAfter(
  { waiting, clock }: Turn,
  sent: readonly WaitingDelivery[],
  attempts: readonly Attempt[],
  bodies: ReadonlyMap<string, string>,
): WaitingDelivery[] {
  const gone = new Set(sent.filter(({ id }) => !bodies.has(id)).map(({ id }) => id))
  const tried = new Map(attempts.map(each => [each.id, each]))
  return waiting.flatMap(delivery => {
    const attempt = tried.get(delivery.id)
    if (gone.has(delivery.id) || attempt?.retryIn === null) return []
    if (!attempt) return [delivery]
    return [{ ...delivery, attempts: attempt.attempts, dueAt: clock() + 1_000 * (attempt.retryIn ?? 0) }]
  })
}

async function attempt(
  ctx: Context,
  webhook: LeasedWebhook,
  { id, attempts, age }: WaitingDelivery,
  body: string,
): Promise<Attempt> {
  const { url, secret } = webhook
  const { error, retryAfterSeconds } = await traced(ctx, webhook, id, () =>
    ctx.app.webhookSender.send({ url, secret, id, body }, ctx.signal),
  )
  const wait = age < store.LONGEST_SECONDS ? WAITS[attempts] : undefined
  const retryIn = error === null || wait === undefined ? null : waitFor(wait, retryAfterSeconds ?? 0)
  const outcome = error === null ? 'delivered' : retryIn === null ? 'failed' : 'retried'
  ctx.app.metrics.deliveries.inc({ outcome })
  return { id, attempts: attempts + 1, error, retryIn }
}

/** A span of its own: a change belongs to no trace when it is delivered. */
function traced(
  { app, tenant }: Context,
  webhook: LeasedWebhook,
  delivery: string,
  send: () => ReturnType<WebhookSender['send']>,
) {
  const { tracing } = app.neo4j
  if (!tracing) return send()
  const attributes = {
    'mnemograph.tenant': tenant,
    'mnemograph.webhook': webhook.id,
    'mnemograph.delivery': delivery,
  }
  return tracing.span({ name: 'webhook delivery', kind: 'client', attributes }, async span => {
    const sent = await send()
    span.update({ attributes: {}, failed: sent.error !== null })
    return sent
  })
}

/** With some jitter, and as the receiver asks where that is longer. */
const waitFor = (seconds: number, asked: number) =>
  Math.min(LONGEST_WAIT_SECONDS, Math.max(seconds * (0.8 + 0.4 * Math.random()), asked))

const isDown = ({ failures }: Turn, attempts: readonly Attempt[]) =>
  attempts.every(({ error }) => error !== null) && failures + attempts.length >= FAILURES_OF_A_PAUSE

/** After failures in a row the webhook rests, longer each time; after a rest one failure is enough. */
function healthAfter(turn: Turn, attempts: readonly Attempt[]): Health {
  if (attempts.some(({ error }) => error === null)) return { failures: 0, pauses: 0, pauseSeconds: null }
  const failures = turn.failures + attempts.length
  if (turn.pauses === 0 && failures < FAILURES_OF_A_PAUSE) return { failures, pauses: 0, pauseSeconds: null }
  const pauseSeconds = Math.min(store.LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** turn.pauses)
  return { failures, pauses: turn.pauses + 1, pauseSeconds }
}
