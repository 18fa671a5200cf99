import { LRUCache } from 'lru-cache'
import type { App, Context, Selection } from '../../context.ts'
import type { Change } from '../../contract/changes.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import { readChanges } from '../../store/feed/feed.ts'
import type { FeedBounds, SelectedChange } from '../../store/feed/types.ts'
import { inShared } from '../access/private.ts'
import { seal, unseal } from '../cursors.ts'
import type { Handler } from '../handler.ts'
import { lookNow } from './glimpses.ts'
import { select, toSelection } from './selection.ts'

/** How much of the feed a filter may look through for one answer. */
export const WORK_BOUND = 10_000
/** The most changes that a filter of memories tests at once. */
const TESTED_AT_ONCE = 500

export const listChanges: Handler<'listChanges'> = async (
  ctx,
  { cursor, from, limit, memory_id: memoryId, ...wanted },
) => {
  if (cursor !== undefined && from !== undefined)
    throw invalid('/from', 'not_with_cursor', 'cannot be combined with `cursor`. Send one of them')
  const position = cursor === undefined ? undefined : positionOfCursor(ctx, cursor)
  const selection = toSelection(wanted)
  const { kinds, reads } = selection
  const inOrder = from !== 'now' && kinds === undefined && reads === 'nothing' && memoryId === undefined
  const reach = await ctx.app.feed.number(ctx, inOrder ? { after: position ?? 0, count: limit } : {})
  const after = from === 'now' ? reach.last : (position ?? reach.forgotten)
  const until = memoryId === undefined ? Math.min(reach.last, after + WORK_BOUND) : reach.last
  const { changes, end, forgotten } = await nextChanges(ctx, { after, until, limit }, selection, memoryId)
  checkKept(after, { ...reach, forgotten })
  return {
    changes: changes.map(change => toChange(ctx, change)),
    next_cursor: cursorAt(ctx, end),
    has_more: end < reach.last || reach.more,
    limit,
  }
}

type Window = { after: number; until: number; limit: number }

/** The first changes in a window that are wanted, and up to where they are all. @throws ServiceError `embedding_unavailable` */
export async function nextChanges(
  ctx: Context,
  { after, until, limit }: Window,
  selection: Selection,
  memoryId?: string,
): Promise<{ changes: SelectedChange[]; end: number; forgotten: number }> {
  const { kinds, reads } = selection
  const count = reads === 'nothing' ? limit + 1 : TESTED_AT_ONCE
  const asked = { kinds, late: reads === 'vectors', memoryId }
  const { changes: found, forgotten } = await readChanges(ctx, { after, until, limit: count }, asked)
  const changes = await select(ctx, found, selection, lookNow)
  const page = changes.slice(0, limit)
  const read = found.length < count ? until : (found.at(-1)?.number ?? until)
  return { changes: page, end: changes.length > limit ? (page.at(-1)?.number ?? until) : read, forgotten }
}

/** The position in the feed of the tenant that a cursor names. Callers with an owner have the same cursors. @throws ServiceError `invalid_cursor` */
export const positionOfCursor = (ctx: Context, cursor: string): number =>
  unseal(inShared(ctx), WALK, cursor) as number

/** Many streams tell the same places at the same time. */
const told = new WeakMap<App['cursorKey'], LRUCache<string, string>>()
const TOLD = 5_000

export function cursorAt(ctx: Context, position: number): string {
  const key = ctx.app.cursorKey
  const known = told.get(key) ?? new LRUCache<string, string>({ max: TOLD })
  told.set(key, known)
  const name = `${position} ${ctx.tenant}`
  const cursor = known.get(name) ?? seal(inShared(ctx), WALK, position)
  known.set(name, cursor)
  return cursor
}

export const toChange = (ctx: Context, { number, ...change }: SelectedChange): Change => ({
  cursor: cursorAt(ctx, number),
  ...change,
})

/**
 * Checks that all changes after a position are still kept. A position that the feed has not reached comes from a
 * database that was lost. @throws ServiceError `cursor_expired`
 */
export function checkKept(position: number, { last, forgotten }: Pick<FeedBounds, 'last' | 'forgotten'>) {
  if (position < forgotten || position > last)
    throw new ServiceError(
      'cursor_expired',
      'Changes after this cursor are no longer kept. Read the data again, then continue with a new cursor (`from=now`).',
    )
}

const WALK = 'changes'
