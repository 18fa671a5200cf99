import { z } from 'zod'
import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import type { Memory } from '../../contract/memory.ts'
import { invalid } from '../../contract/problems.ts'
import { byPosition, type ListQuery, type Position, positionOf } from '../../store/memories/ordering.ts'
import { partsOf } from '../access/private.ts'
import { seal, unseal } from '../cursors.ts'
import type { Handler } from '../handler.ts'
import { toFilter } from './filters.ts'
import { type Page, readPage } from './read-page.ts'

export const listMemories: Handler<'listMemories'> = async (ctx, input) => {
  const { cursors: _cursors, ...listed } = await listWithCursors(ctx, input)
  return listed
}

/** The same with the cursor of each memory. */
export async function listWithCursors(
  ctx: Context,
  { limit, cursor, ...walk }: Parsed<'listMemories'>,
): Promise<Output<'listMemories'> & { cursors: () => string[] }> {
  if (walk.as_of !== undefined && walk.order_by !== 'created_at')
    throw invalid('/order_by', 'custom', 'must be `created_at` together with `as_of`')
  const before = cursor === undefined ? beginning(ctx) : places.parse(unseal(ctx, walk, cursor))
  const { page, next, truncated } = await readParts(ctx, queryOf(walk), before, limit)
  const cursorBehind = (count: number) => seal(ctx, walk, placesBehind(page.slice(0, count), before))
  return {
    memories: page.map(({ memory }) => memory),
    next_cursor: next && seal(ctx, walk, next),
    has_more: next !== null,
    truncated,
    limit,
    cursors: () => page.map((_, at) => cursorBehind(at + 1)),
  }
}

/** The first memories of a list, of the shared and the private ones where the request uses both. */
export async function firstOf(ctx: Context, query: ListQuery, limit: number): Promise<Memory[]> {
  const { page } = await readParts(ctx, query, beginning(ctx), limit)
  return page.map(({ memory }) => memory)
}

/** How far each part was read, the shared and the private memories; null for one of which nothing was returned. */
type Places = readonly (Position | null)[]

const places = z.array(z.object({ key: z.number(), id: z.string() }).nullable())

const beginning = (ctx: Context): Places => partsOf(ctx).map(() => null)

type Placed = { readonly memory: Memory; readonly part: number; readonly at: Position }

/**
 * A page of all parts in one order. Each part is read as far as one page reaches. A part whose reading was cut short does
 * not show the memories behind its end, so the page ends there too.
 */
async function readParts(ctx: Context, query: ListQuery, before: Places, limit: number) {
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

/** Which states a list shows. */
export const statesOf = ({ state, include_archived }: States): ListQuery['states'] =>
  state ? [state] : include_archived ? ['active', 'archived'] : ['active']

type States = Pick<Parsed<'listMemories'>, 'state' | 'include_archived'>

const queryOf = (walk: Omit<Parsed<'listMemories'>, 'limit' | 'cursor'>): ListQuery => ({
  states: statesOf(walk),
  orderBy: walk.order_by,
  order: walk.order,
  after: undefined,
  filter: toFilter(walk),
})
