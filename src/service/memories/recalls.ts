import type { Context } from '../../context.ts'
import { recordRecalls } from '../../store/memories/recalls.ts'

const RECORD_MS = 30_000

/**
 * Records recalls after the answer that shows the memories. So a recall never delays an answer, changes it or makes it
 * fail: if it cannot be recorded, the service only logs that.
 */
export class Recalls {
  readonly #pending = new Set<Promise<void>>()

  record(ctx: Context, ids: readonly string[]): void {
    if (ids.length === 0) return
    const { app, tenant, share, space } = ctx
    // The signal of a request can abort as soon as its answer is sent.
    const signal = AbortSignal.timeout(RECORD_MS)
    const recording = recordRecalls({ app, tenant, share, space, signal }, ids)
      .catch(error => ctx.log.warn({ count: ids.length, error: String(error) }, 'recalls are not recorded'))
      .finally(() => this.#pending.delete(recording))
    this.#pending.add(recording)
  }

  /** Waits until all recalls are recorded. */
  async settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }
}
