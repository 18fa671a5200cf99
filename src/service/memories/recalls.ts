import { randomUUID } from 'node:crypto'
import type { App, Context, RecallFigures } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { baseTenant } from '../../contract/private.ts'
import { timeLimit } from '../../platform/time-limit.ts'
import { type Recall, recordRecalls as record } from '../../store/memories/recalls.ts'
import { inEachPart } from '../access/private.ts'

/** Between two attempts to record what was deferred. */
const PAUSE_MS = 1_000
const MOST_DEFERRED = 10_000
const TOGETHER = 500
const KEPT_MS = 86_400_000

/** Records recalls of memories, each where it is. */
export const recordRecalls = (ctx: Context, memories: readonly Memory[]) =>
  inEachPart(ctx, memories, (part, own) =>
    ctx.app.recalls.record(
      part,
      own.map(({ id }) => id),
    ),
  )

/**
 * Records recalls durably before the answer that shows the memories. While the database takes none, the answer does
 * without: it says so, and this process records them later.
 */
export class Recalls {
  readonly #deferred = new Set<Recall>()
  /** While nothing can be recorded, no caller is made to find that out again. */
  #isDown = false
  #recording: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  /** Returns the figures of the memories whose recalls are recorded. */
  async record(ctx: Context, ids: readonly string[]): Promise<ReadonlyMap<string, RecallFigures>> {
    if (ids.length === 0) return new Map()
    const recalls = ids.map(id => ({ tenant: ctx.tenant, id, key: randomUUID(), at: Date.now() }))
    if (this.#isDown) return this.#defer(ctx, recalls)
    // The other half is for the answer.
    using limit = timeLimit(ctx.signal, ctx.app.config.requestTimeoutMs / 2)
    return await record({ ...ctx, signal: limit.signal }, recalls).catch(error => {
      ctx.log.warn({ count: ids.length, error: String(error) }, 'recalls are deferred')
      // A caller who hangs up says nothing about the database.
      this.#isDown = !ctx.signal.aborted
      return this.#defer(ctx, recalls)
    })
  }

  /** Records what was deferred, if that is possible now. */
  async flush(app: App): Promise<void> {
    this.#recording ??= this.#recordDeferred(app).finally(() => {
      this.#recording = undefined
    })
    await this.#recording
  }

  #defer(ctx: Context, recalls: readonly Recall[]) {
    const kept = recalls.slice(0, MOST_DEFERRED - this.#deferred.size)
    for (const recall of kept) this.#deferred.add(recall)
    ctx.app.metrics.recallsDeferred.inc(kept.length)
    lose(ctx.app, recalls.length - kept.length)
    ctx.recallsDeferred?.()
    this.#tryLater(ctx.app)
    return new Map<string, RecallFigures>()
  }

  #tryLater(app: App): void {
    this.#timer ??= setTimeout(async () => {
      await this.flush(app)
      this.#timer = undefined
      if (this.#deferred.size > 0) this.#tryLater(app)
    }, PAUSE_MS).unref()
  }

  async #recordDeferred(app: App): Promise<void> {
    const { space } = app.embeddings.active()
    const waiting = [...this.#deferred]
    for (let at = 0; at < waiting.length; at += TOGETHER) {
      const signal = AbortSignal.timeout(app.config.requestTimeoutMs)
      const recalls = waiting.slice(at, at + TOGETHER)
      // Each on its own: one that cannot be recorded holds up no other.
      const outcomes = await Promise.allSettled(
        recalls.map(recall => record({ app, space, signal, share: baseTenant(recall.tenant) }, [recall])),
      )
      const isRecorded = (_: Recall, at: number) => outcomes[at]?.status === 'fulfilled'
      this.#isDown = !recalls.some(isRecorded)
      const isOld = ({ at }: Recall) => Date.now() - at > KEPT_MS
      const left = recalls.filter((recall, at) => !isRecorded(recall, at))
      for (const recall of recalls) if (!left.includes(recall) || isOld(recall)) this.#deferred.delete(recall)
      lose(app, left.filter(isOld).length)
      if (this.#isDown) return
    }
  }
}

/** Recalls that are given up are counted and logged: nothing else shows them. */
function lose({ metrics, log }: App, count: number) {
  if (count === 0) return
  metrics.recallsDropped.inc(count)
  log.error({ count }, 'recalls are lost: the database took none for too long')
}
