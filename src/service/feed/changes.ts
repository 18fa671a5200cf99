import type { Context, NumberedChange } from '../../context.ts'
import type { Change } from '../../contract/changes.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import { numberChanges, type Reach, readChanges } from '../../store/feed/feed.ts'
import { openCursor, sealCursor } from '../cursors.ts'

/** How much of the feed a filter may look through for one answer. */
const WORK_BOUND = 10_000

export async function listChanges(
  ctx: Context,
  { cursor, from, limit, kinds, memory_id: memoryId }: Parsed<'listChanges'>,
): Promise<Output<'listChanges'>> {
  if (cursor !== undefined && from !== undefined)
    throw invalid('/from', 'not_with_cursor', 'cannot be combined with `cursor`. Send one of them')
  const place = cursor === undefined ? undefined : placeOf(ctx, cursor)
  const inOrder = from !== 'now' && kinds === undefined && memoryId === undefined
  const reach = await numberChanges(ctx, inOrder ? { after: place ?? 0, count: limit } : {})
  const after = from === 'now' ? reach.last : (place ?? reach.forgotten)
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

/** The place in the feed of the tenant that a cursor names. @throws ServiceError `invalid_cursor` */
export const placeOf = (ctx: Context, cursor: string): number => openCursor(ctx, WALK, cursor).key

export const cursorAt = (ctx: Context, place: number): string => sealCursor(ctx, WALK, { key: place, id: '' })

export const toChange = (ctx: Context, { number, ...change }: NumberedChange): Change => ({
  cursor: cursorAt(ctx, number),
  ...change,
})

/**
 * Whether all that follows a place is still there. A place that the feed has not reached is one that was lost with the
 * database it was in. @throws ServiceError `cursor_expired`
 */
export function checkKept(place: number, { last, forgotten }: Pick<Reach, 'last' | 'forgotten'>) {
  if (place < forgotten || place > last)
    throw new ServiceError(
      'cursor_expired',
      'Changes behind this cursor are no longer kept. Read what you need anew, beginning with a cursor of now.',
    )
}

const WALK = 'changes'
