import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../platform/log.ts'
import type { Neo4j } from '../store/neo4j/attempts.ts'
import { type LeasedWebhook, leaseWebhooks, type Rest, releaseWebhook } from '../store/webhooks/sending.ts'

type WebhooksParts = {
  neo4j: Neo4j
  log: Log
  /** Sends what waits for one webhook, for a while. Resolves to what it waits for then. */
  serveWebhook: (webhook: LeasedWebhook, signal: AbortSignal) => Promise<Rest>
}

const LOOK_MS = 500
const STEP_MS = 10_000
/** Webhooks in progress at once, and those of one tenant: slow receivers hold up nobody else. */
const SIDE_BY_SIDE = 16
const OF_A_TENANT = 4

/**
 * Sends changes to webhooks until it is stopped. They have a loop of their own, as a slow receiver must not hold up the
 * jobs of the queue. Any number of processes share the webhooks by leases: the work of one that died is taken up when its
 * leases end.
 */
export class Webhooks {
  readonly #parts: WebhooksParts
  readonly #owner = randomUUID()
  readonly #stop = new AbortController()
  readonly #turns = new Map<LeasedWebhook, Promise<void>>()
  #done: Promise<void> | undefined

  constructor(parts: WebhooksParts) {
    this.#parts = parts
  }

  start() {
    this.#done ??= this.#run()
  }

  async stop() {
    this.#stop.abort()
    await this.#done
  }

  /** One turn of each webhook of a tenant that has something to do. Returns how many there were. */
  async runOnceOf(tenant: string): Promise<number> {
    const begun = await this.#begin(tenant)
    await Promise.all(begun)
    return begun.length
  }

  async #run() {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await this.#begin().catch(error =>
        this.#parts.log.warn({ error: String(error) }, 'the webhooks could not be read; trying again'),
      )
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
    }
    await Promise.all(this.#turns.values())
  }

  async #begin(tenant?: string): Promise<Promise<void>[]> {
    const most = SIDE_BY_SIDE - this.#turns.size
    if (most <= 0) return []
    const busy: Record<string, number> = {}
    for (const { tenant: each } of this.#turns.keys()) busy[each] = (busy[each] ?? 0) + 1
    const webhooks = await leaseWebhooks(this.#caller(), this.#owner, {
      most,
      each: OF_A_TENANT,
      busy,
      tenant,
    })
    return webhooks.map(webhook => {
      const turn = this.#turn(webhook).finally(() => this.#turns.delete(webhook))
      this.#turns.set(webhook, turn)
      return turn
    })
  }

  /** What fails here is no fault of a receiver: those are recorded. The webhook rests until its lease ends. */
  async #turn(webhook: LeasedWebhook) {
    const { serveWebhook, log } = this.#parts
    const { signal } = this.#stop
    try {
      const rest = await serveWebhook(webhook, signal).catch(error => {
        if (signal.aborted) return { nextAt: Date.now(), isFull: false }
        throw error
      })
      await releaseWebhook(this.#caller(), webhook, rest)
    } catch (error) {
      log.warn({ webhook: webhook.id, error: String(error) }, 'a webhook was not served; trying again')
    }
  }

  #caller() {
    return { app: { neo4j: this.#parts.neo4j }, signal: AbortSignal.timeout(STEP_MS) }
  }
}
