import type { Context } from '../../context.ts'
import type { Change } from '../../contract/changes.ts'
import type { Parsed } from '../../contract/index.ts'
import { ServiceError } from '../../contract/problems.ts'
import type { TextStream } from '../../contract/route.ts'
import { oneStep } from '../streams.ts'
import { cursorAt, positionOfCursor, toChange } from './changes.ts'
import { select, toSelection } from './selection.ts'

/** New changes, and the position after them; empty if there were none for a while. */
export type Events = { changes: Change[]; cursor: string }

/** How often a standing search without a match tells how far it is: a thousand of them would say so at each write. */
const QUIET_MS = 15_000

/**
 * The changes of the tenant after a cursor, or from now on, without end: what streams, subscriptions and notices read.
 * @throws like `Feed.follow`
 */
export async function* changesOf(
  ctx: Context,
  { after, ...wanted }: Partial<Parsed<'followChanges'>> = {},
): AsyncGenerator<Events> {
  const selection = toSelection(wanted)
  const { look } = ctx.app.glimpses
  const position = after === undefined ? undefined : positionOfCursor(ctx, after)
  let saidAt = Number.NEGATIVE_INFINITY
  for await (const { changes, end } of ctx.app.feed.follow(ctx, position)) {
    const selected = await oneStep(ctx, step => select(step, changes, selection, look))
    if (selection.search && selected.length === 0 && Date.now() - saidAt < QUIET_MS) continue
    saidAt = Date.now()
    yield { changes: selected.map(change => toChange(ctx, change)), cursor: cursorAt(ctx, end) }
  }
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
