import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../platform/log.ts'
import { endRound, ROUND_LEASE_MS, takeRound } from '../store/lifecycle/schedule.ts'
import type { Caller, Neo4j } from '../store/neo4j/attempts.ts'

export type ScheduleParts = {
  neo4j: Neo4j
  log: Log
  /** What all processes call this schedule. */
  name: string
  intervalSeconds: number
  /** How long after the start the first round may begin. */
  firstLookMs?: number
  /** The first tenant behind a name that the round visits. */
  next: (caller: Caller, after: string) => Promise<string | undefined>
  visit: (caller: Caller & { readonly tenant: string }) => Promise<unknown>
  /** Runs after a round. */
  done?: () => void
}

const LOOK_MS = 10_000
const STEP_MS = 10_000
/** The lease is renewed between two visits once it is so old. */
const RENEW_MS = ROUND_LEASE_MS / 4
/** How long one visit may take: it ends before the lease does. What is left of its work is done in the next round. */
const VISIT_MS = ROUND_LEASE_MS / 2

/**
 * Visits tenants once an interval. All workers look; a lease lets one of them do it, and lets another take over from one
 * that died.
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

  /** Runs a round if one is due and no other process does. Returns whether it did. */
  async runRound(): Promise<boolean> {
    const { next, visit, name, intervalSeconds, done } = this.#parts
    let heldAt = Number.NEGATIVE_INFINITY
    for (let after = ''; ; ) {
      if (this.#stop.signal.aborted) return false
      if (performance.now() - heldAt > RENEW_MS) {
        if (!(await this.#hold())) return false
        heldAt = performance.now()
      }
      const tenant = await next(this.#caller(STEP_MS), after)
      if (tenant === undefined) break
      await visit({ ...this.#caller(VISIT_MS), tenant })
      after = tenant
    }
    await endRound(this.#caller(STEP_MS), name, this.#owner, intervalSeconds)
    done?.()
    return true
  }

  /** Takes the round, or keeps it: with very many tenants it takes longer than one lease. */
  #hold() {
    const { name, intervalSeconds } = this.#parts
    return takeRound(this.#caller(STEP_MS), name, this.#owner, intervalSeconds)
  }

  async #run() {
    const { log, name, intervalSeconds, firstLookMs = 0 } = this.#parts
    await this.#pause(Math.min(firstLookMs, intervalSeconds * 1_000))
    while (!this.#stop.signal.aborted) {
      await this.runRound().catch(error =>
        log.warn(
          { schedule: name, error: error instanceof Error ? error.name : String(error) },
          'a round was not finished; trying again',
        ),
      )
      await this.#pause(LOOK_MS)
    }
  }

  #pause = (milliseconds: number) =>
    sleep(milliseconds, undefined, { signal: this.#stop.signal }).catch(() => {})

  #caller(milliseconds: number): Caller {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(milliseconds)])
    return { app: { neo4j: this.#parts.neo4j }, signal }
  }
}
