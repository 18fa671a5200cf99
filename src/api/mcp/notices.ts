import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import type { Batch, Context } from '../../context.ts'
import { RECENT, uriOf } from './resources.ts'

/** What one caller hears of: the changes of its own tenant and of no other. */
export type Notices = {
  readonly bus: ServerEventBus
  /** Brings changes until the caller has gone, the service stops or the key is no longer good. */
  bring(): Promise<void>
}

/** Begins to follow the feed, from now on. @throws ServiceError like `Feed.follow` */
export async function followNotices(ctx: Context): Promise<Notices> {
  const batches = ctx.app.feed.follow(ctx)
  await batches.next()
  const listeners = new Set<(event: ServerEvent) => void>()
  return {
    bus: {
      publish() {},
      subscribe(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    async bring() {
      for await (const batch of batches)
        for (const event of eventsOf(batch)) for (const listener of listeners) listener(event)
    },
  }
}

/** A memory that came, went or was named anew is one thing, another list of the newest is another. */
function eventsOf({ changes }: Batch): ServerEvent[] {
  const ids = new Set(changes.flatMap(({ memory_id }) => memory_id ?? []))
  if (ids.size === 0) return []
  const uris = [...[...ids].map(uriOf), RECENT]
  return [
    ...uris.map(uri => ({ kind: 'resource_updated' as const, uri })),
    { kind: 'resources_list_changed' },
  ]
}
