import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import type { NearTurn } from '../../contract/search.ts'
import type { MemoryFilter } from '../../store/memories/filter.ts'
import { readHits } from '../../store/search/hits.ts'
import { sessionNeighbours } from '../../store/search/session.ts'

/** For each memory that has a session, the `reach` memories before and after it there that pass the filter, in order. */
export async function turnsAround(
  ctx: Context,
  memories: readonly Memory[],
  filter: MemoryFilter,
  reach: number,
): Promise<Map<string, NearTurn[]>> {
  const ids = memories.flatMap(({ id, session_id }) => (session_id === null ? [] : [id]))
  if (ids.length === 0) return new Map()
  const rows = await sessionNeighbours(ctx, ids, filter, reach)
  const near = [...new Set(rows.map(({ id }) => id))]
  const hits = await readHits(ctx, near, filter)
  const read = new Map(hits.map(({ memory }) => [memory.id, memory]))
  const sorted = rows.toSorted((a, b) => a.offset - b.offset)
  const turns = new Map<string, NearTurn[]>()
  for (const { nextTo, id, offset } of sorted) {
    const memory = read.get(id)
    if (memory) turns.set(nextTo, [...(turns.get(nextTo) ?? []), { memory, offset }])
  }
  return turns
}
