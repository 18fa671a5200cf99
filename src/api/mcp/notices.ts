import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import type { Context } from '../../context.ts'
import { changesOf, type Events } from '../../service/feed/events.ts'
import { invoke } from '../../service/index.ts'
import { RECENT, uriOf } from './resources.ts'

/** Notifications for one caller, about changes of its own tenant only. */
export type McpNotices = {
  readonly bus: ServerEventBus
  /** Delivers changes until the caller disconnects, the service stops or the key is no longer valid. */
  deliver(): Promise<void>
}

/** Starts to follow the feed, from now on. @throws ServiceError like `Feed.follow` */
export async function followNotices(ctx: Context): Promise<McpNotices> {
  const batches = await invoke('followChanges', ctx, {}, { handle: async inner => changesOf(inner) })
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
    async deliver() {
      for await (const batch of batches)
        for (const event of eventsOf(batch)) for (const listener of listeners) listener(event)
    },
  }
}

/** Each changed memory is an updated resource, and so is the list of recent memories. */
function eventsOf({ changes }: Events): ServerEvent[] {
  const ids = new Set(changes.flatMap(({ memory_id }) => memory_id ?? []))
  if (ids.size === 0) return []
  const uris = [...[...ids].map(uriOf), RECENT]
  return [
    ...uris.map(uri => ({ kind: 'resource_updated' as const, uri })),
    { kind: 'resources_list_changed' },
  ]
}
