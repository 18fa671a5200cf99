import type { Context } from '../../context.ts'
import type { Change } from '../../contract/changes.ts'
import type { Parsed } from '../../contract/index.ts'
import { ServiceError } from '../../contract/problems.ts'
import type { TextStream } from '../../contract/route.ts'
import { cursorAt, positionOfCursor, toChange } from './changes.ts'
import { toSelection } from './selection.ts'

/** New changes, and the position after them; empty if there were none for a while. */
export type Events = { changes: Change[]; cursor: string }

/**
 * The changes of the tenant after a cursor, or from now on, without end: what streams, subscriptions and notices read.
 * @throws like `Feed.follow`
 */
export async function* changesOf(
  ctx: Context,
  { after, ...wanted }: Partial<Parsed<'followChanges'>> = {},
): AsyncGenerator<Events> {
  const position = after === undefined ? undefined : positionOfCursor(ctx, after)
  for await (const { changes, end } of ctx.app.feed.follow(ctx, toSelection(wanted), position))
    yield { changes: changes.map(change => toChange(ctx, change)), cursor: cursorAt(ctx, end) }
}

/** The same as server-sent events. */
export const followChanges = async (ctx: Context, asked: Parsed<'followChanges'>): Promise<TextStream> => ({
  mediaType: 'text/event-stream',
  pieces: events(ctx, asked),
})

/** An id without data advances a client's position without an event: a client that reconnects then starts from there. */
async function* events(ctx: Context, asked: Parsed<'followChanges'>): AsyncGenerator<string> {
  let isOpen = false
  try {
    for await (const { changes, cursor } of changesOf(ctx, asked)) {
      const frames = changes.map(change => eventOf(change.kind, change, change.cursor)).join('')
      yield `${isOpen ? '' : 'retry: 1000\n'}${frames}: ${isOpen ? 'so far' : 'open'}\nid: ${cursor}\n\n`
      isOpen = true
    }
  } catch (error) {
    if (!isOpen || !(error instanceof ServiceError)) throw error
    yield eventOf('error', { code: error.code, detail: error.message })
  }
}

const eventOf = (name: string, data: unknown, id?: string) =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n${id === undefined ? '' : `id: ${id}\n`}\n`
