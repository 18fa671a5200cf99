import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { asOf } from './filters.ts'
import { exactlyOnce, pageInput, pageOutput } from './pages.ts'
import { route } from './route.ts'
import { heldAt } from './times.ts'
import {
  connectionReason,
  emptySpan,
  fraction,
  id,
  isEmptySpan,
  timestamp,
  validFrom,
  validUntil,
} from './values.ts'

export const relationshipType = closedSet('RelationshipType').describe(
  'What the connection means, read from source to target.',
)
export const relationshipTypes = relationshipType.options

export const strength = z
  .number()
  .nullable()
  .describe('How strong the connection is, 0 to 1; null if the caller gave no strength.')

export const origin = closedSet('ConnectionOrigin').describe(
  '`asserted`: a caller created it. `discovered`: the service found it by similarity, or a chat model did.',
)

export type RelationshipType = z.infer<typeof relationshipType>

/** What every response shows of a connection; the wrapper and the walks add its source. */
export const connectionFields = z.object({
  target_id: id.describe('The memory that the connection points to.'),
  relationship_type: relationshipType,
  strength,
  created_at: timestamp.describe('When the connection was created.'),
  origin,
  model: z
    .string()
    .nullable()
    .describe(
      'The model behind a discovered connection: the embedding model, or the chat model. Null for an asserted one.',
    ),
  threshold: z
    .number()
    .nullable()
    .describe(
      'The lowest cosine similarity for discovery at that time; null for a connection that was not found by similarity.',
    ),
  reason: z
    .string()
    .nullable()
    .describe('Why the memories are connected, as the caller or the chat model says; null if unknown.'),
  valid_from: timestamp.nullable().describe('From when on the connection holds; null if always.'),
  valid_until: timestamp
    .nullable()
    .describe('Until when the connection holds, exclusive; null if without an end.'),
})

/** A filter of connections by when they hold. */
export const connectionValidAt = heldAt
  .default('any')
  .meta({ examples: ['now'] })
  .describe(
    'Only connections that hold at this time; `now` is the present or `as_of`, and `any` includes all.',
  )

const connection = z
  .object({
    source_id: id.describe('The memory that the connection starts from.'),
    connection: connectionFields
      .meta({ id: 'ConnectionFields', description: 'A connection without its source.' })
      .describe('The target of the connection and what is known about it.'),
  })
  .meta({ id: 'Connection', description: 'A connection from one memory to another.' })

export type Connection = z.infer<typeof connection>

const ends = {
  source_id: id.describe('The memory that the connection starts from.'),
  target_id: id.describe('The memory that the connection points to.'),
}

/** What a connection can be without. */
const clearableOfConnection = closedSet('ClearableConnectionField')

const newConnection = z
  .strictObject({
    source_id: id.describe('The memory that the connection starts from.'),
    target_id: id.describe('The memory that the connection points to. It must be another memory.'),
    relationship_type: relationshipType.default('related_to'),
    strength: fraction.optional().describe('How strong the connection is, 0 to 1.'),
    reason: connectionReason.optional().describe('Why, in 1 to 1000 characters.'),
    valid_from: validFrom.optional().describe('From when on it holds.'),
    valid_until: validUntil.optional().describe('Until when it holds, exclusive.'),
    clear: z
      .array(clearableOfConnection)
      .max(clearableOfConnection.options.length)
      .optional()
      .meta({ examples: [['valid_until']] })
      .describe('What an existing connection is to lose. You cannot send a field and clear it.'),
  })
  .refine(({ valid_from, valid_until }) => !isEmptySpan(valid_from, valid_until), emptySpan)

export type NewConnection = z.infer<typeof newConnection>

export const connectionRoutes = {
  createConnection: route({
    method: 'POST',
    path: '/connections',
    summary: 'Connect two memories',
    description:
      'If the same source, target and type are already connected, the service keeps that connection and its `created_at`, and replaces the strength and the reason if you send them. `valid_from` or `valid_until` replace both; `clear` removes what it names. A discovered connection becomes an asserted one.',
    input: newConnection,
    output: connection,
    problems: ['memory_not_found', 'memory_archived'],
    scope: 'write',
    creates: true,
  }),
  createConnections: route({
    method: 'POST',
    path: '/connections/batch',
    summary: 'Connect up to 500 pairs of memories, all or none',
    description:
      'The service creates all connections in one transaction, and returns them in the same order. Each one follows the rules of `createConnection`. If a memory does not exist or is archived, the service creates none, and reports each such memory at its place.',
    input: z.strictObject({
      connections: z.array(newConnection).min(1).max(500).describe('The connections to create, 1 to 500.'),
    }),
    output: z.object({
      connections: z.array(connection).describe('The connections, in the order of the request.'),
    }),
    problems: ['memory_not_found', 'memory_archived'],
    scope: 'write',
    creates: true,
  }),
  listConnections: route({
    method: 'GET',
    path: '/connections',
    summary: 'List connections, newest first',
    description: exactlyOnce('a connection'),
    input: z.strictObject({
      ...pageInput('connections', { usual: 50, most: 500 }),
      source_id: id.optional().describe('Only connections that start from this memory.'),
      target_id: id.optional().describe('Only connections that point to this memory.'),
      relationship_type: relationshipType.optional().describe('Only connections of this type.'),
      origin: origin.optional().describe('Only connections of this origin.'),
      valid_at: connectionValidAt,
      as_of: asOf,
    }),
    output: z.object({
      connections: z.array(connection).describe('The connections, newest first.'),
      total: z
        .int()
        .describe('How many connections match in all. With `cursor`: how many did on the first page.'),
      ...pageOutput('connections'),
    }),
    problems: ['invalid_cursor'],
    scope: 'read',
  }),
  deleteConnection: route({
    method: 'DELETE',
    path: '/connections/{source_id}/{target_id}',
    summary: 'Disconnect two memories',
    description:
      'Removes the connections from `source_id` to `target_id`. Connections in the other direction stay.',
    input: z.strictObject({
      ...ends,
      relationship_type: relationshipType
        .optional()
        .describe('Remove only the connection of this type. The default is every type.'),
    }),
    output: z.object({ ...ends, deleted: z.int().describe('How many connections were removed.') }),
    problems: ['malformed_id', 'connection_not_found'],
    scope: 'write',
    narrows: ['relationship_type'],
  }),
}
