import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { listAsOf } from '../../store/memories/as-of.ts'
import { isFiltered } from '../../store/memories/filter.ts'
import { scanMemories, sortMemories } from '../../store/memories/list.ts'
import { type ListQuery, type Position, positionOf } from '../../store/memories/ordering.ts'
import { smallSet } from '../../store/memories/small-set.ts'

export type Page = { page: Memory[]; next: Position | undefined; truncated: boolean }

/** How many memories a filtered page may look at in each part of its order; beyond it the page ends early and says so. */
export const PAGE_BOUND = 10_000
/** The first scan looks at so many times the memories that are wanted, the next ones at so many times more. */
const WIDER = 4
/** So many are passed over on a page without filters, mostly: those whose time is over. */
const PASSED_OVER = 5

/**
 * Reads one memory more than the page holds, to find out whether there is another page. Without filters there is no bound, as
 * only expired memories are passed over.
 */
export async function readPage(ctx: Context, query: ListQuery, limit: number): Promise<Page> {
  if (query.filter.asOf !== undefined) return pastPage(ctx, query, query.filter.asOf, limit)
  const ids = await smallSet(ctx, query.states, query.filter)
  if (ids) return fullPage(query, await sortMemories(ctx, query, ids, limit + 1), limit)
  const wanted = limit + 1
  const filtered = isFiltered(query.filter)
  const found = new Map<string, Memory>()
  let { after } = query
  let bound = filtered ? WIDER * wanted : wanted + PASSED_OVER
  for (let looked = 0; ; bound = filtered ? Math.min(WIDER * bound, PAGE_BOUND - looked) : WIDER * bound) {
    const scan = await scanMemories(ctx, { ...query, after }, { count: wanted, bound })
    // One that is written between two scans can move behind the first.
    for (const memory of scan.found) if (!found.has(memory.id)) found.set(memory.id, memory)
    if (!scan.end || found.size >= wanted) return fullPage(query, [...found.values()], limit)
    looked += bound
    if (filtered && looked >= PAGE_BOUND)
      return { page: [...found.values()], next: scan.end, truncated: found.size < limit }
    after = scan.end
  }
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
