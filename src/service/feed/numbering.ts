import { untilAborted } from '../../platform/until-aborted.ts'
import { numberOnce, numberUntil } from '../../store/feed/feed.ts'
import type { FeedBounds, Numbered } from '../../store/feed/types.ts'
import type { Neo4j } from '../../store/neo4j/attempts.ts'
import { toDatabaseUnavailable } from '../../store/neo4j/failures.ts'

type Parts = { readonly neo4j: Neo4j; readonly timeoutMs: number }

/**
 * Gives the changes of tenants their numbers for all readers of this process. Those who come before a transaction begins
 * share it: many who each made their own would wait for the same lock.
 */
export class Numbering {
  readonly #parts: Parts
  readonly #running = new Map<string, Promise<FeedBounds>>()
  readonly #next = new Map<string, Promise<FeedBounds>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** As `numberChanges` does. @throws ServiceError `database_unavailable` */
  number(
    { tenant, signal }: { tenant: string; signal: AbortSignal },
    wanted?: Numbered,
  ): Promise<FeedBounds> {
    const once = () =>
      untilAborted(signal, this.#shared(tenant)).catch(error => {
        throw signal.aborted ? toDatabaseUnavailable(signal.reason) : error
      })
    return numberUntil(once, wanted)
  }

  #shared(tenant: string): Promise<FeedBounds> {
    const known = this.#next.get(tenant)
    if (known) return known
    const { neo4j, timeoutMs } = this.#parts
    const number = async () => {
      await this.#running.get(tenant)?.catch(() => {})
      this.#next.delete(tenant)
      this.#running.set(tenant, next)
      try {
        return await numberOnce({ app: { neo4j }, tenant, signal: AbortSignal.timeout(timeoutMs) })
      } finally {
        if (this.#running.get(tenant) === next) this.#running.delete(tenant)
      }
    }
    const next = number()
    this.#next.set(tenant, next)
    return next
  }
}
