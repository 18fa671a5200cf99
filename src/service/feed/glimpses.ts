import { LRUCache } from 'lru-cache'
import type { Context, Looking } from '../../context.ts'
import { indexedTokens } from '../../platform/text/words.ts'
import { mapInSlices } from '../../platform/time-slices.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import { type GlimpseRow, readGlimpses } from '../../store/feed/glimpses.ts'
import type { Glimpse, NumberedChange } from '../../store/feed/types.ts'
import { membership } from '../search/coverage.ts'

/** The memory that changed, or the ends of the connection. */
export const memoriesOf = ({ memory_id, connection }: NumberedChange): string[] =>
  connection ? [connection.source_id, connection.target_id] : memory_id === null ? [] : [memory_id]

/** Reads them for one reader. */
export const lookNow: Looking = async (ctx, changes, withVectors) => {
  const found = await readAll(ctx, changes, withVectors)
  return change => memoriesOf(change).flatMap(id => found.get(id) ?? [])
}

const KEPT = 2_000

type Found = ReadonlyMap<string, Glimpse>

/** Reads them once for all who follow the feed in this process, as the first of them sees them. */
export class Glimpses {
  readonly #kept = new LRUCache<string, Promise<Found>>({ max: KEPT })

  readonly look: Looking = async (ctx, changes, withVectors) => {
    const keyOf = ({ number }: NumberedChange) => `${ctx.space.id} ${withVectors} ${ctx.tenant} ${number}`
    const unknown = changes.filter(change => memoriesOf(change).length > 0 && !this.#kept.has(keyOf(change)))
    if (unknown.length > 0) this.#read(ctx, unknown, withVectors, unknown.map(keyOf))
    const found = new Map<number, Found>()
    for (const change of changes) {
      const reading = this.#kept.get(keyOf(change))
      if (reading) found.set(change.number, await untilAborted(ctx.signal, reading))
    }
    return change => memoriesOf(change).flatMap(id => found.get(change.number)?.get(id) ?? [])
  }

  /** Others wait for it too, so it does not end with the first one. A failure is not kept. */
  #read(ctx: Context, changes: readonly NumberedChange[], withVectors: boolean, keys: readonly string[]) {
    const signal = AbortSignal.timeout(ctx.app.config.requestTimeoutMs)
    const reading = readAll({ ...ctx, signal }, changes, withVectors)
    for (const key of keys) this.#kept.set(key, reading)
    reading.catch(() => {
      for (const key of keys) if (this.#kept.peek(key) === reading) this.#kept.delete(key)
    })
  }
}

async function readAll(
  ctx: Context,
  changes: readonly NumberedChange[],
  withVectors: boolean,
): Promise<Found> {
  const ids = [...new Set(changes.flatMap(memoriesOf))]
  if (ids.length === 0) return new Map()
  const rows = await readGlimpses(ctx, ids, withVectors)
  const glimpses = await mapInSlices(rows, toGlimpse)
  return new Map(glimpses.map(glimpse => [glimpse.id, glimpse]))
}

function toGlimpse({ words, vector, ...row }: GlimpseRow): Glimpse {
  const has = membership(indexedTokens(words ?? ''))
  return { ...row, vector: vector === null ? null : Float32Array.from(vector), has }
}
