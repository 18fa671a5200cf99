import { z } from 'zod'
import { relationshipType } from './connections.ts'
import { route, textStream } from './route.ts'
import { id, limit, timestamp } from './values.ts'

const changeKinds = [
  'created',
  'updated',
  'archived',
  'restored',
  'removed',
  'promoted',
  'connected',
  'disconnected',
  'policy_put',
  'policy_deleted',
] as const

const changeKind = z.enum(changeKinds)

export type ChangeKind = z.infer<typeof changeKind>

const cursor = z.string().describe('Go on behind this place: the cursor of a change, or `next_cursor`.')

export const change = z
  .object({
    cursor: z
      .string()
      .describe(
        'Names its place in the feed. The same change always has the same place: a repeat is known by it.',
      ),
    kind: changeKind,
    at: timestamp.describe("When it was written, by the database's clock."),
    memory_id: id.nullable().describe('The memory it is about; null for connections and policies.'),
    version: z
      .int()
      .nullable()
      .describe(
        'The version that the memory has by it; null once it is removed, and for connections and policies.',
      ),
    connection: z
      .object({
        source_id: id,
        target_id: id,
        relationship_type: relationshipType,
        strength: z.number().nullable().describe('Weight of the edge, 0 to 1; null when none was given.'),
        origin: z.enum(['asserted', 'discovered']).describe('Made by a caller, or by discovery.'),
      })
      .nullable()
      .describe('The connection that was made, changed or removed; null for memories and policies.'),
    policy: z.string().nullable().describe('The policy it is about; null for memories and connections.'),
  })
  .meta({ id: 'Change' })

export type Change = z.infer<typeof change>

const kinds = z.array(changeKind).min(1).max(changeKinds.length).describe('Only of these kinds.')

export const changeRoutes = {
  listChanges: route({
    method: 'GET',
    path: '/changes',
    group: 'Changes',
    summary: 'List what has changed, in the order of the feed',
    description:
      'Everything that was changed by a caller, by discovery or by maintenance, once committed: never its content, which is read by the id. Nothing that is committed late is passed over, and the changes of a memory keep their order. `next_cursor` is always there, also at the end: keep it and go on from it. Changes are kept for 7 days unless the operator has set another time; a cursor older than that is answered with `cursor_expired`: read everything anew, beginning with `from=now`.',
    input: z.strictObject({
      cursor: cursor.optional(),
      from: z
        .enum(['oldest', 'now'])
        .optional()
        .describe(
          'Where to begin without a cursor: at the oldest that is kept (as when it is left out), or behind the newest.',
        ),
      limit: limit(100, 500),
      kinds: kinds.optional(),
      memory_id: id.optional().describe('Only of this memory and of its connections: its history.'),
    }),
    output: z.object({
      changes: z.array(change),
      next_cursor: z.string().describe('Where to go on, now or later.'),
      has_more: z.boolean().describe('There are more already. With a filter they may not match.'),
      limit: z.int(),
    }),
    problems: ['invalid_cursor', 'cursor_expired'],
    scope: 'read',
  }),
  followChanges: route({
    method: 'GET',
    path: '/events',
    group: 'Changes',
    summary: 'Follow what changes, as server-sent events',
    description:
      'Each event is named by its kind, its data is a `Change`, its `id` is the cursor. Without a cursor it begins now; with `after`, or the header `Last-Event-ID`, which wins, behind that. Ids without data move the place on while nothing comes. At least once and in order: whoever comes back with the last id misses nothing, and knows a repeat by its id. An event named `error` (`code`, `detail`) is the last one, for instance when the key is revoked. To read everything and then stay up to date, take a cursor with `listChanges` and `from=now`, read, and follow from that cursor.',
    input: z.strictObject({
      after: cursor.optional(),
      kinds: kinds.optional(),
      memory_ids: z
        .array(id)
        .min(1)
        .max(100)
        .optional()
        .describe('Only of these memories and of their connections.'),
    }),
    output: textStream,
    mediaTypes: ['text/event-stream'],
    problems: ['invalid_cursor', 'cursor_expired', 'too_many_streams'],
    scope: 'read',
  }),
}
