import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { invalid } from '../../contract/problems.ts'
import { type ListQuery, positionOf } from '../../store/memories/ordering.ts'
import { openCursor, sealCursor } from '../cursors.ts'
import { toFilter } from './filters.ts'
import { listBoth } from './list-both.ts'
import { readPage } from './read-page.ts'

export async function listMemories(
  ctx: Context,
  input: Parsed<'listMemories'>,
): Promise<Output<'listMemories'>> {
  const { cursors: _cursors, ...listed } = await listWithCursors(ctx, input)
  return listed
}

/** The same with the cursor of each memory. */
export async function listWithCursors(
  ctx: Context,
  input: Parsed<'listMemories'>,
): Promise<Output<'listMemories'> & { cursors: readonly string[] }> {
  const { limit, cursor, ...walk } = input
  if (walk.as_of !== undefined && walk.order_by !== 'created_at')
    throw invalid('/order_by', 'custom', 'must be `created_at` together with `as_of`')
  const list = ctx.owner === undefined ? listOne : listBoth
  const { page, next, truncated, cursors } = await list(ctx, walk, { cursor, query: queryOf(walk), limit })
  return { memories: page, next_cursor: next, has_more: next !== null, truncated, limit, cursors }
}

async function listOne(
  ctx: Context,
  walk: unknown,
  { cursor, query, limit }: { cursor: string | undefined; query: ListQuery; limit: number },
) {
  const after = cursor === undefined ? undefined : openCursor(ctx, walk, cursor)
  const { page, next, truncated } = await readPage(ctx, { ...query, after }, limit)
  return {
    page,
    next: next ? sealCursor(ctx, walk, next) : null,
    truncated,
    cursors: page.map(memory => sealCursor(ctx, walk, positionOf(query, memory))),
  }
}

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
