import type { Context, NumberedChange } from '../../context.ts'
import type { Change } from '../../contract/changes.ts'
import type { Parsed } from '../../contract/index.ts'
import { ServiceError } from '../../contract/problems.ts'
import type { TextStream } from '../../contract/route.ts'
import { cursorAt, placeOf, toChange } from './changes.ts'

/** Changes as they come, and the place behind them; no changes when none came for a while. */
export type Events = { changes: Change[]; cursor: string }

/** The changes of the tenant behind a cursor, or from now on, without end. @throws like `Feed.follow` */
export async function* changesOf(
  ctx: Context,
  { after, kinds, memory_ids: memories }: Parsed<'followChanges'>,
): AsyncGenerator<Events> {
  const isWanted = ({ kind, memory_id: id, connection }: NumberedChange) =>
    (!kinds || kinds.includes(kind)) &&
    (!memories ||
      [id, connection?.source_id, connection?.target_id].some(each => each && memories.includes(each)))
  for await (const { changes, end } of ctx.app.feed.follow(
    ctx,
    after === undefined ? undefined : placeOf(ctx, after),
  ))
    yield {
      changes: changes.filter(isWanted).map(change => toChange(ctx, change)),
      cursor: cursorAt(ctx, end),
    }
}

/** The same as server-sent events. */
export const followChanges = async (ctx: Context, asked: Parsed<'followChanges'>): Promise<TextStream> => ({
  mediaType: 'text/event-stream',
  pieces: events(ctx, asked),
})

/** An id without data moves a client's place on without an event; a client may be away longer than what it wants takes to come. */
async function* events(ctx: Context, asked: Parsed<'followChanges'>): AsyncGenerator<string> {
  let begun = false
  try {
    for await (const { changes, cursor } of changesOf(ctx, asked)) {
      const told = changes.map(change => eventOf(change.kind, change, change.cursor)).join('')
      yield `${begun ? '' : 'retry: 1000\n'}${told}: ${begun ? 'so far' : 'open'}\nid: ${cursor}\n\n`
      begun = true
    }
  } catch (error) {
    if (!begun || !(error instanceof ServiceError)) throw error
    yield eventOf('error', { code: error.code, detail: error.message })
  }
}

const eventOf = (name: string, data: unknown, id?: string) =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n${id === undefined ? '' : `id: ${id}\n`}\n`
