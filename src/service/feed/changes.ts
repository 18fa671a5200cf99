import type { Context, NumberedChange } from '../../context.ts'
import type { Change } from '../../contract/changes.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import { type FeedBounds, numberChanges, readChanges } from '../../store/feed/feed.ts'
import { openCursor, sealCursor } from '../cursors.ts'

/** How much of the feed a filter may look through for one answer. */
const WORK_BOUND = 10_000

export async function listChanges(
  ctx: Context,
  { cursor, from, limit, kinds, memory_id: memoryId }: Parsed<'listChanges'>,
): Promise<Output<'listChanges'>> {
  if (cursor !== undefined && from !== undefined)
    throw invalid('/from', 'not_with_cursor', 'cannot be combined with `cursor`. Send one of them')
  const position = cursor === undefined ? undefined : positionOfCursor(ctx, cursor)
  const inOrder = from !== 'now' && kinds === undefined && memoryId === undefined
  const reach = await numberChanges(ctx, inOrder ? { after: position ?? 0, count: limit } : {})
  const after = from === 'now' ? reach.last : (position ?? reach.forgotten)
  const until = memoryId === undefined ? Math.min(reach.last, after + WORK_BOUND) : reach.last
  const window = { after, until, limit: limit + 1 }
  const { changes: found, forgotten } = await readChanges(ctx, window, { kinds, memoryId })
  checkKept(after, { ...reach, forgotten })
  const page = found.slice(0, limit)
  const next = found.length > limit ? (page.at(-1)?.number ?? until) : until
  return {
    changes: page.map(change => toChange(ctx, change)),
    next_cursor: cursorAt(ctx, next),
    has_more: next < reach.last || reach.more,
    limit,
  }
}

/** The position in the feed of the tenant that a cursor names. @throws ServiceError `invalid_cursor` */
export const positionOfCursor = (ctx: Context, cursor: string): number => openCursor(ctx, WALK, cursor).key

export const cursorAt = (ctx: Context, position: number): string =>
  sealCursor(ctx, WALK, { key: position, id: '' })

export const toChange = (ctx: Context, { number, ...change }: NumberedChange): Change => ({
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
