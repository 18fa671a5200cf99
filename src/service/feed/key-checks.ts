import { LRUCache } from 'lru-cache'
import type { Context } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'

/** How often the key of a stream is checked again. */
const RECHECK_MS = 1_000
const MOST = 10_000

/** Whether the keys of streams are still good: each is checked once for all of its streams. */
export class KeyChecks {
  readonly #recent = new LRUCache<string | Context, Promise<boolean>>({ max: MOST, ttl: RECHECK_MS })
  readonly #timeoutMs: number

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /**
   * False if the database does not respond, which says nothing about the key.
   * @throws ServiceError if the key is no longer valid
   */
  isGood(ctx: Context): Promise<boolean> {
    const name = ctx.credential === undefined ? ctx : `${ctx.tenant} ${ctx.credential}`
    const known = this.#recent.get(name)
    if (known) return known
    const checking = check(ctx, AbortSignal.timeout(this.#timeoutMs))
    this.#recent.set(name, checking)
    return checking
  }
}

async function check({ recheck }: Context, signal: AbortSignal): Promise<boolean> {
  try {
    await recheck?.(signal)
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'database_unavailable') return false
    throw error
  }
}
