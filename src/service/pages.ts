import type { Context } from '../context.ts'
import type { RouteName } from '../contract/index.ts'
import { invalid } from '../contract/problems.ts'
import { seal, unseal } from './cursors.ts'

type Asked = { readonly limit: number; readonly offset: number; readonly cursor?: string | undefined }

/** How a list is read. `read` returns items from a place on; `placeOf` is the place behind a page. */
type List<Item, Place> = {
  read(page: { after: Place | undefined; offset: number; limit: number }): Promise<readonly Item[]>
  placeOf(page: readonly [...Item[], Item], before: Place | undefined): Place
}

/**
 * One page of a list, and the cursor of the next one, which belongs to the tenant, the operation and its filters.
 * @throws ServiceError `invalid_cursor`, or `validation_failed` for a cursor with an offset
 */
export async function readPageOf<Item, Place>(...asked: Parameters<typeof readWithCursors<Item, Place>>) {
  const { cursors: _, ...page } = await readWithCursors<Item, Place>(...asked)
  return page
}

/** The same, with a cursor behind each item. */
export async function readWithCursors<Item, Place>(
  ctx: Context,
  name: RouteName,
  { limit, offset, cursor, ...filters }: Asked,
  { read, placeOf }: List<Item, Place>,
) {
  if (cursor !== undefined && offset > 0)
    throw invalid('/offset', 'with_cursor', 'cannot be combined with `cursor`')
  const walk = [name, filters]
  const after = cursor === undefined ? undefined : (unseal(ctx, walk, cursor) as Place)
  // One more than is returned says whether there are more.
  const found = await read({ after, offset, limit: limit + 1 })
  const page = found.slice(0, limit)
  const hasMore = found.length > limit
  const cursorBehind = (items: readonly Item[]) => seal(ctx, walk, placeOf(items as [...Item[], Item], after))
  return {
    page,
    cursors: () => page.map((_, at) => cursorBehind(page.slice(0, at + 1))),
    next_cursor: hasMore && offset === 0 ? cursorBehind(page) : null,
    has_more: hasMore,
    limit,
    offset,
  }
}
