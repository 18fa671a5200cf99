import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { CreatedMemory } from '../../contract/memory.ts'
import { getSettled } from '../../store/memories/get.ts'

const POLL_MS = 50

/**
 * The memories once each has its vector and its discovery is done, if the caller waits for that (`waitSeconds`). What is
 * not done in time, or cannot be read, is as it was written.
 */
export async function settled<Result extends CreatedMemory>(
  ctx: Context,
  written: readonly Result[],
): Promise<Result[]> {
  if (ctx.waitSeconds === undefined) return [...written]
  const signal = AbortSignal.timeout(ctx.waitSeconds * 1_000)
  const waiting = new Set(written.map(({ id }) => id))
  const done = new Map<string, CreatedMemory>()
  try {
    while (waiting.size > 0) {
      for (const memory of await getSettled({ ...ctx, signal }, [...waiting])) {
        done.set(memory.id, memory)
        waiting.delete(memory.id)
      }
      if (waiting.size > 0) await pause(POLL_MS, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) ctx.log.debug({ error: String(error) }, 'a caller could not wait')
  }
  return written.map(memory => ({ ...memory, ...done.get(memory.id) }))
}
