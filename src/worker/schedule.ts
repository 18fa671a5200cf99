import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../platform/log.ts'
import { endRound, nextTenant, queueMaintenance, takeRound } from '../store/lifecycle/schedule.ts'
import type { Neo4j } from '../store/neo4j/statements.ts'

type ScheduleParts = { neo4j: Neo4j; log: Log; intervalSeconds: number; wake: () => void }

const LOOK_MS = 10_000
const STEP_MS = 10_000
const TENANTS_A_STEP = 100

/**
 * Queues maintenance of every tenant once an interval. All workers look; a lease lets one of them do it, and lets
 * another take over from one that died.
 */
export class Schedule {
  readonly #parts: ScheduleParts
  readonly #owner = randomUUID()
  readonly #stop = new AbortController()
  #done: Promise<void> | undefined

  constructor(parts: ScheduleParts) {
    this.#parts = parts
  }

  start() {
    this.#done ??= this.#run()
  }

  async stop() {
    this.#stop.abort()
    await this.#done
  }

  /** Queues a round if one is due and no other process does. Returns whether it did. */
  async queueRound(): Promise<boolean> {
    let tenant: string | undefined = ''
    do {
      if (this.#stop.signal.aborted || !(await this.#hold())) return false
      tenant = await this.#queueSome(tenant)
    } while (tenant !== undefined)
    await endRound(this.#caller(), this.#owner, this.#parts.intervalSeconds)
    this.#parts.wake()
    return true
  }

  /** Takes the round, or keeps it: with very many tenants it takes longer than one lease. */
  #hold() {
    return takeRound(this.#caller(), this.#owner, this.#parts.intervalSeconds)
  }

  /** Queues the next tenants behind one. Returns the last of them, or undefined when there are no more. */
  async #queueSome(after: string): Promise<string | undefined> {
    let tenant: string | undefined = after
    for (let count = 0; count < TENANTS_A_STEP; count++) {
      tenant = await nextTenant(this.#caller(), tenant)
      if (tenant === undefined) return undefined
      await queueMaintenance(this.#caller(), tenant)
    }
    return tenant
  }

  async #run() {
    while (!this.#stop.signal.aborted) {
      await this.queueRound().catch(error => {
        this.#parts.log.warn(
          { error: error instanceof Error ? error.name : String(error) },
          'maintenance was not queued; trying again',
        )
      })
      await sleep(LOOK_MS, undefined, { signal: this.#stop.signal }).catch(() => {})
    }
  }

  #caller() {
    return { app: { neo4j: this.#parts.neo4j }, signal: AbortSignal.timeout(STEP_MS) }
  }
}
