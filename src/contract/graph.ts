import { z } from 'zod'
import { connectionFields, relationshipType } from './connections.ts'
import { memory } from './memories.ts'
import { route, textStream } from './route.ts'
import { fraction, id, limit } from './values.ts'

/** An edge of a walk, in its own direction. */
export const edge = connectionFields.extend({ source_id: id }).meta({ id: 'Edge' })

export type Edge = z.infer<typeof edge>

const relationshipTypeList = z
  .array(relationshipType)
  .min(1)
  .optional()
  .describe('Only connections of these types are followed.')

const direction = z.enum(['out', 'in', 'both'])
const truncated = z.boolean().describe('The bound on work was reached: something may be missing.')
const group = 'Graph'

/** What a graph is exported as. */
export const graphMediaTypes = {
  graphml: 'application/graphml+xml',
  cypher: 'application/x-cypher-query',
  csv: 'text/csv',
} as const

export const graphRoutes = {
  relatedMemories: route({
    method: 'GET',
    path: '/memories/{id}/related',
    group,
    summary: 'Walk the graph outward from a memory',
    description:
      'Each memory once, the strongest path first: the product of the strengths on the way, where an absent strength counts 1; then the nearest.',
    input: z.strictObject({
      id,
      depth: z.int().min(1).max(5).default(1),
      limit: limit(20, 100),
      relationship_types: relationshipTypeList,
      direction: direction.default('out'),
      min_strength: fraction
        .optional()
        .describe('Weaker connections are not followed; an absent strength counts 1.'),
      include_archived: z.boolean().default(false),
    }),
    output: z.object({
      memory_id: id,
      related: z.array(
        z.object({
          memory,
          connection: edge.describe('The connection by which the memory was reached.'),
          depth: z.int(),
          path_score: z.number(),
        }),
      ),
      truncated,
    }),
    problems: ['malformed_id', 'memory_not_found'],
    scope: 'read',
  }),
  findPath: route({
    method: 'GET',
    path: '/graph/path',
    group,
    summary: 'Find the best paths between two memories',
    description: 'Best first: by the product of the strengths, then the fewest connections.',
    input: z.strictObject({
      source_id: id,
      target_id: id,
      max_depth: z.int().min(1).max(5).default(5),
      limit: limit(3, 20),
      relationship_types: relationshipTypeList,
      direction: direction.default('both'),
    }),
    output: z.object({
      source_id: id,
      target_id: id,
      paths: z.array(
        z.object({
          score: z.number(),
          length: z.int(),
          memories: z.array(memory).describe('From the source to the target, both included.'),
          connections: z.array(edge),
        }),
      ),
      truncated,
    }),
    problems: ['memory_not_found'],
    scope: 'read',
  }),
  exportGraph: route({
    method: 'GET',
    path: '/graph/export',
    group,
    summary: "Export the tenant's memories and connections as a file for other programs",
    description:
      'GraphML, a Cypher script, or CSV in two parts. It is read page by page while it is sent: what was there at the beginning and stays as it is stands in it once, what is made later does not.',
    input: z.strictObject({
      format: z.enum(['graphml', 'cypher', 'csv']),
      part: z
        .enum(['nodes', 'edges'])
        .optional()
        .describe('Of CSV, and needed there: the one table or the other.'),
      quoting: z
        .enum(['rfc4180', 'load_csv'])
        .optional()
        .describe(
          'Of CSV: `load_csv` doubles each backslash, as LOAD CSV reads it unless Neo4j is set otherwise. Without it as RFC 4180 has it.',
        ),
      include_archived: z.boolean().default(false),
      relationship_types: relationshipTypeList.describe('Only connections of these types.'),
      origin: z.enum(['asserted', 'discovered']).optional(),
    }),
    output: textStream,
    mediaTypes: Object.values(graphMediaTypes),
    problems: [],
    scope: 'read',
  }),
  getStats: route({
    method: 'GET',
    path: '/stats',
    group,
    summary: 'Count what the tenant has',
    input: z.strictObject({}),
    output: z.object({
      memories: z.object({
        total: z.int(),
        by_state: z.object({ active: z.int(), archived: z.int() }),
        by_policy: z.record(z.string(), z.int()),
        embeddings_pending: z.int(),
      }),
      connections: z.object({
        total: z.int(),
        by_type: z.record(z.string(), z.int()),
        by_origin: z.object({ asserted: z.int(), discovered: z.int() }),
      }),
      queue: z.object({
        depth: z.int().describe('Jobs that are queued, waiting or running.'),
        failed: z.int(),
        oldest_age_seconds: z.number().nullable(),
      }),
    }),
    problems: [],
    scope: 'read',
  }),
}
