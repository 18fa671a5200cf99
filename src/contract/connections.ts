import { z } from 'zod'
import { route } from './route.ts'
import { fraction, id, limit, timestamp } from './values.ts'

export const relationshipTypes = [
  'related_to',
  'caused_by',
  'part_of',
  'references',
  'contradicts',
  'supports',
  'similar_to',
  'derived_from',
] as const

export const relationshipType = z.enum(relationshipTypes)

export type RelationshipType = z.infer<typeof relationshipType>

/** What everyone shows of a connection; the wrapper and the walks add its source. */
export const connectionFields = z.object({
  target_id: id,
  relationship_type: relationshipType,
  strength: z.number().nullable().describe('Weight of the edge, 0 to 1; null when none was given.'),
  created_at: timestamp,
  origin: z.enum(['asserted', 'discovered']).describe('Made by a caller, or by discovery.'),
  model: z.string().nullable().describe('The embedding model that discovered it.'),
  threshold: z.number().nullable().describe('The cosine from which on it was discovered.'),
})

const connection = z
  .object({ source_id: id, connection: connectionFields.meta({ id: 'ConnectionFields' }) })
  .meta({ id: 'Connection' })

export type Connection = z.infer<typeof connection>

const group = 'Connections'

export const connectionRoutes = {
  createConnection: route({
    method: 'POST',
    path: '/connections',
    group,
    summary: 'Connect two memories',
    description:
      'The same source, target and type again is no second connection: the strength is replaced when sent, and `created_at` stays.',
    input: z.strictObject({
      source_id: id,
      target_id: id,
      relationship_type: relationshipType.default('related_to'),
      strength: fraction.optional(),
    }),
    output: connection,
    problems: ['memory_not_found', 'memory_archived'],
    scope: 'write',
    creates: true,
  }),
  listConnections: route({
    method: 'GET',
    path: '/connections',
    group,
    summary: 'List connections, newest first',
    input: z.strictObject({
      limit: limit(50, 500),
      offset: z.int().min(0).default(0),
      source_id: id.optional(),
      target_id: id.optional(),
      relationship_type: relationshipType.optional(),
      origin: z.enum(['asserted', 'discovered']).optional(),
    }),
    output: z.object({
      connections: z.array(connection),
      total: z.int(),
      limit: z.int(),
      offset: z.int(),
    }),
    problems: [],
    scope: 'read',
  }),
  deleteConnection: route({
    method: 'DELETE',
    path: '/connections/{source_id}/{target_id}',
    group,
    summary: 'Disconnect two memories',
    description: 'Removes every type in the direction named; `relationship_type` narrows to one.',
    input: z.strictObject({ source_id: id, target_id: id, relationship_type: relationshipType.optional() }),
    output: z.object({ source_id: id, target_id: id, deleted: z.int() }),
    problems: ['malformed_id', 'connection_not_found'],
    scope: 'write',
  }),
}
