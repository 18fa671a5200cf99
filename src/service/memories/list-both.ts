import { z } from 'zod'
import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { byPosition, type ListQuery, type Position, positionOf } from '../../store/memories/ordering.ts'
import { partsOf } from '../access/private.ts'
import { listPosition, seal, unseal } from '../cursors.ts'
import { type Page, readPage } from './read-page.ts'

/** How far each part was read; null for one of which nothing was returned. */
type Places = readonly (Position | null)[]

/** A page of the shared and the private memories in one order, with what leads behind each memory and behind the page. */
export async function listBoth(
  ctx: Context,
  walk: unknown,
  { cursor, query, limit }: { cursor: string | undefined; query: ListQuery; limit: number },
) {
  const before = cursor === undefined ? [null, null] : openPlaces(ctx, walk, cursor)
  const { page, next, truncated } = await readBoth(ctx, query, before, limit)
  const cursorBehind = (count: number) => seal(ctx, walk, placesBehind(page.slice(0, count), before))
  return {
    page: page.map(({ memory }) => memory),
    next: next && seal(ctx, walk, next),
    truncated,
    cursors: page.map((_, at) => cursorBehind(at + 1)),
  }
}

/** The first memories of a list, of the shared and the private ones where the request uses both. */
export async function firstOf(ctx: Context, query: ListQuery, limit: number): Promise<Memory[]> {
  if (ctx.owner === undefined) return (await readPage(ctx, query, limit)).page
  const { page } = await readBoth(ctx, query, [null, null], limit)
  return page.map(({ memory }) => memory)
}

type Placed = { readonly memory: Memory; readonly part: number; readonly at: Position }

/**
 * Each part is read as far as one page reaches. A part whose reading was cut short says nothing of what is behind its end,
 * so the page ends there too.
 */
async function readBoth(ctx: Context, query: ListQuery, before: Places, limit: number) {
  const pages = await Promise.all(
    partsOf(ctx).map((part, at) => readPage(part, { ...query, after: before[at] ?? undefined }, limit)),
  )
  const compare = byPosition(query)
  const [end] = pages.flatMap(({ next }) => next ?? []).sort(compare)
  const known = pages
    .flatMap(({ page }, part) => page.map(memory => ({ memory, part, at: positionOf(query, memory) })))
    .sort((a, b) => compare(a.at, b.at) || a.part - b.part)
    .filter(({ at }) => end === undefined || compare(at, end) <= 0)
  const page = known.slice(0, limit)
  const left = pages.map((each, part) => leftOf(each, page, part))
  const behind = placesBehind(page, before).map((place, part) => left[part]?.end ?? place)
  return {
    page,
    next: left.some(({ isMore }) => isMore) ? behind : null,
    truncated: pages.some(({ truncated }) => truncated),
  }
}

/** Whether a part has more than the page returns of it, and where its reading ended if all that was read is returned. */
function leftOf({ page: read, next }: Page, page: readonly Placed[], part: number) {
  const isAllReturned = page.filter(each => each.part === part).length === read.length
  return { isMore: !isAllReturned || next !== undefined, end: isAllReturned ? next : undefined }
}

const placesBehind = (page: readonly Placed[], before: Places): Places =>
  before.map((place, part) => page.findLast(each => each.part === part)?.at ?? place)

const openPlaces = (ctx: Context, walk: unknown, cursor: string): Places =>
  z
    .array(listPosition.nullable())
    .length(2)
    .parse(unseal(ctx, walk, cursor))
