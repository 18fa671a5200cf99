import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { CreatedMemory } from '../../contract/memory.ts'
import { timeLimit } from '../../platform/time-limit.ts'
import { getDiscovered } from '../../store/memories/get.ts'

/** For what the worker of another process does. */
const POLL_MS = 1_000

/** What the worker of this process gives notice of: that a job about a memory is done. */
export const jobsOf = (tenant: string, memoryId: string) => `${tenant}:${memoryId}`

/**
 * The memories once each has its vector and its discovery is done, if the caller waits for that (`waitSeconds`). What is
 * not done in time, or cannot be read, is as it was written. A caller who has gone waits no longer.
 */
export async function discovered<Result extends CreatedMemory>(
  ctx: Context,
  written: readonly Result[],
): Promise<Result[]> {
  if (ctx.waitSeconds === undefined) return [...written]
  using limit = timeLimit(ctx.gone ?? new AbortController().signal, ctx.waitSeconds * 1_000)
  const { signal } = limit
  const waiting = new Set(written.map(({ id }) => id))
  const done = new Map<string, CreatedMemory>()
  try {
    while (waiting.size > 0) {
      // Heard from before the look: what ends in between is not missed.
      using jobs = ctx.app.notices.expect(Array.from(waiting, id => jobsOf(ctx.tenant, id)))
      for (const memory of await getDiscovered({ ...ctx, signal }, [...waiting])) {
        done.set(memory.id, memory)
        waiting.delete(memory.id)
      }
      if (waiting.size > 0) await Promise.race([jobs.all, pause(POLL_MS, undefined, { signal })])
    }
  } catch (error) {
    if (!signal.aborted) ctx.log.debug({ error: String(error) }, 'a caller could not wait')
  }
  return written.map(memory => ({ ...memory, ...done.get(memory.id) }))
}
