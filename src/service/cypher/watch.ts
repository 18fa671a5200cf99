import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../contract/problems.ts'
import type { Permit } from '../../platform/semaphore.ts'
import { endTransactions, type RunningQuery, runningQueries } from '../../store/cypher/running.ts'
import type { Neo4j } from '../../store/neo4j/attempts.ts'

const MOST_BYTES = 64 * 1024 * 1024
const EVERY_MS = 100
const LONGEST_LOOK_MS = 2_000
/** A query whose thread was ended may only arrive at the database now. */
const TIMES_ABSENT = 2

/**
 * Looks into the database while queries run. Neo4j Community has one limit of memory for all transactions, and plans a
 * statement to its end also when nobody waits for it any more.
 */
export class QueryWatch {
  readonly #neo4j: Neo4j
  readonly #running = new Map<string, (reason: ServiceError) => void>()
  readonly #abandoned = new Map<string, { permit: Permit; absent: number }>()
  readonly #stopping = new AbortController()
  #isLooking = false

  constructor(neo4j: Neo4j) {
    this.#neo4j = neo4j
  }

  /** @param end is called when the query takes too much */
  begin(id: string, end: (reason: ServiceError) => void) {
    this.#running.set(id, end)
    void this.#look()
  }

  finish(id: string) {
    this.#running.delete(id)
  }

  /** Returns the permit when the database has ended the query. */
  abandon(id: string, permit: Permit) {
    this.#running.delete(id)
    this.#abandoned.set(id, { permit, absent: 0 })
    void this.#look()
  }

  stop() {
    this.#stopping.abort()
  }

  async #look() {
    if (this.#isLooking) return
    this.#isLooking = true
    const { signal } = this.#stopping
    while (this.#running.size + this.#abandoned.size > 0 && !signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => {})
      const caller = { app: { neo4j: this.#neo4j }, signal: AbortSignal.timeout(LONGEST_LOOK_MS) }
      // A database that does not answer is looked into again.
      const found = await runningQueries(caller).catch(() => undefined)
      if (!found) continue
      this.#endLarge(found)
      this.#release(found)
      const left = found.filter(({ query }) => this.#abandoned.has(query))
      if (left.length > 0)
        await endTransactions(
          caller,
          left.map(({ transaction }) => transaction),
        ).catch(() => {})
    }
    this.#isLooking = false
  }

  #endLarge(found: readonly RunningQuery[]) {
    for (const { query, bytes } of found)
      if (bytes > MOST_BYTES) this.#running.get(query)?.(new ServiceError('cypher_failed', TOO_MUCH))
  }

  #release(found: readonly RunningQuery[]) {
    for (const [id, left] of this.#abandoned) {
      left.absent = found.some(({ query }) => query === id) ? 0 : left.absent + 1
      if (left.absent < TIMES_ABSENT) continue
      this.#abandoned.delete(id)
      left.permit[Symbol.dispose]()
    }
  }
}

const TOO_MUCH = 'The query needs more than 64 MB of memory.'
