import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { origin, relationshipType, strength } from './connections.ts'
import { filters } from './filters.ts'
import { route, textStream } from './route.ts'
import { fraction, id, limit, query, timestamp } from './values.ts'

export const changeKind = closedSet('ChangeKind')

export type ChangeKind = z.infer<typeof changeKind>

const cursor = z
  .string()
  .meta({ examples: ['eyJuIjo0MTI3fQ.9dKx2w'] })
  .describe('Continue after this place: the `cursor` of a change, or a `next_cursor`.')

export const change = z
  .object({
    cursor: z
      .string()
      .describe(
        'The place of the change in the feed. It never changes, so you can recognize a repeat by it.',
      ),
    kind: changeKind.describe('What happened.'),
    at: timestamp.describe('When the change was written, by the clock of the database.'),
    memory_id: id.nullable().describe('The memory that changed; null for connections and policies.'),
    version: z
      .int()
      .nullable()
      .describe(
        'The version of the memory after the change; null if it was removed, and for connections and policies.',
      ),
    fields: z
      .array(z.string())
      .nullable()
      .describe('Which fields of the memory an update or a revert changed; null for all other changes.'),
    connection: z
      .object({
        source_id: id.describe('The memory that the connection starts from.'),
        target_id: id.describe('The memory that the connection points to.'),
        relationship_type: relationshipType,
        strength,
        origin,
      })
      .nullable()
      .describe('The connection that was created, changed or removed; null for memories and policies.'),
    policy: z.string().nullable().describe('The policy that changed; null for memories and connections.'),
    relevance: fraction
      .nullable()
      .describe('How clearly the memory bears on `matches`, 0 to 1; null where nothing was asked.'),
  })
  .meta({
    id: 'Change',
    description: 'A change of a memory, a connection or a policy. It never contains content.',
  })

export type Change = z.infer<typeof change>

const kinds = z
  .array(changeKind)
  .min(1)
  .max(changeKind.options.length)
  .describe('Only changes of these kinds.')

export const memoryFilters = z
  .strictObject(filters('any'))
  .meta({ id: 'ChangeFilters', description: 'Filters of the memories that changes are about.' })

export const minRelevance = fraction
  .optional()
  .describe('From which relevance on a memory is reported, 0 to 1. The default is 0.5.')

/** Which changes a reader of the feed wants, besides their kinds: the same wherever changes are read. */
export const wanted = {
  filters: memoryFilters
    .optional()
    .meta({ examples: [{ tags: ['checkout'] }] })
    .describe(
      'Only changes of memories that match when the change is read, and of their connections. A removed memory always matches, a policy never.',
    ),
  matches: query
    .optional()
    .meta({ examples: ['problems with payments'] })
    .describe(
      'A standing search: only new and changed memories that bear on this question. Each version of a memory is reported at most once, when its vector is there; a memory that has changed again in the meantime is reported with its latest change.',
    ),
  min_relevance: minRelevance,
}

export const changeRoutes = {
  listChanges: route({
    method: 'GET',
    path: '/changes',
    summary: 'List changes in the order in which they happened',
    description:
      'The feed contains every committed change by a caller, by discovery or by maintenance. Changes of the same memory keep their order, and no change is skipped. A change does not contain content; fetch the memory by its id. Save `next_cursor` and continue from it later: it is never null. The service keeps changes for 7 days, unless the operator sets another time. If your cursor is older, the request fails with `cursor_expired`. Then take a new cursor with `from` set to `now`, and read all memories again.',
    input: z.strictObject({
      cursor: cursor.optional(),
      from: closedSet('FeedStart')
        .optional()
        .describe(
          'Where to start without a cursor: at the oldest kept change (the default), or after the newest one.',
        ),
      limit: limit(100, 500),
      kinds: kinds.optional(),
      memory_id: id.optional().describe('Only changes of this memory and its connections.'),
      ...wanted,
    }),
    output: z.object({
      changes: z.array(change).describe('The changes, oldest first.'),
      next_cursor: z.string().describe('The cursor to continue from, now or later.'),
      has_more: z
        .boolean()
        .describe(
          'Whether the feed has more changes. With a filter, they may not match, and a page may be short.',
        ),
      limit: z.int().describe('The `limit` of the request.'),
    }),
    problems: ['invalid_cursor', 'cursor_expired', 'embedding_unavailable'],
    scope: 'read',
  }),
  followChanges: route({
    method: 'GET',
    path: '/events',
    summary: 'Follow changes as server-sent events',
    description:
      'The name of each event is its kind, its data is a `Change`, and its `id` is the cursor. Without a cursor the stream starts now. With `after`, it starts after that cursor; a `Last-Event-ID` header takes precedence. While nothing changes, the stream sends ids without data. Events arrive in order and at least once. After a disconnect, continue from the last id you received: you miss nothing, and can recognize a repeat by its id. An event named `error`, with `code` and `detail`, ends the stream, for example when the key is revoked. To read everything and then stay up to date: take a cursor with `listChanges` and `from` set to `now`, read all memories, then follow from that cursor.',
    input: z.strictObject({
      after: cursor.optional(),
      kinds: kinds.optional(),
      memory_ids: z
        .array(id)
        .min(1)
        .max(100)
        .optional()
        .describe('Only changes of these memories and their connections.'),
      ...wanted,
    }),
    output: textStream,
    mediaTypes: ['text/event-stream'],
    problems: ['invalid_cursor', 'cursor_expired', 'too_many_streams', 'embedding_unavailable'],
    scope: 'read',
  }),
}
