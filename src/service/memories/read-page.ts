import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { listAsOf } from '../../store/memories/as-of.ts'
import { isFiltered } from '../../store/memories/filter.ts'
import { isOneSeek, scanMemories, scanToBound, sortMemories } from '../../store/memories/list.ts'
import { byPosition, type ListQuery, type Position, positionOf } from '../../store/memories/ordering.ts'
import { smallSet } from '../../store/memories/small-set.ts'

export type Page = { page: Memory[]; next: Position | undefined; truncated: boolean }

/** Reads one memory more than the page holds, to find out whether there is another page. */
export async function readPage(ctx: Context, query: ListQuery, limit: number): Promise<Page> {
  if (query.filter.asOf !== undefined) return pastPage(ctx, query, query.filter.asOf, limit)
  const ids = await smallSet(ctx, query.states, query.filter)
  if (ids) return fullPage(query, await sortMemories(ctx, query, ids, limit + 1), limit)
  if (!isFiltered(query.filter) || isOneSeek(query)) {
    const found = await scanMemories(ctx, query, limit + 1)
    if (!isFiltered(query.filter) || found.length > limit) return fullPage(query, found, limit)
  }
  const { found, end } = await scanToBound(ctx, query, limit + 1)
  if (!end) return fullPage(query, found, limit)
  const compare = byPosition(query)
  const seen = found.filter(memory => compare(positionOf(query, memory), end) <= 0)
  return seen.length > limit
    ? fullPage(query, seen, limit)
    : { page: seen, next: end, truncated: seen.length < limit }
}

/** A memory that is left out because its version is not kept makes the page a truncated one. */
async function pastPage(ctx: Context, query: ListQuery, asOf: number, limit: number): Promise<Page> {
  const { found, end, lost } = await listAsOf(ctx, query, asOf)
  const { page, next } = fullPage(query, found, limit)
  return { page, next: next ?? end, truncated: lost || (next === undefined && end !== undefined) }
}

function fullPage(query: ListQuery, found: Memory[], limit: number): Page {
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return { page, next: found.length > limit && last ? positionOf(query, last) : undefined, truncated: false }
}
