import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { connectionFields, origin, relationshipType } from './connections.ts'
import { asOf, filters } from './filters.ts'
import { memory } from './memory.ts'
import { route, textStream } from './route.ts'
import { fraction, id, limit } from './values.ts'

/** An edge of a walk, in its own direction. */
export const edge = connectionFields
  .extend({ source_id: id.describe('The memory that the connection starts from.') })
  .meta({ id: 'Edge', description: 'A connection from one memory to another.' })

export type GraphEdge = z.infer<typeof edge>

const relationshipTypeList = z
  .array(relationshipType)
  .min(1)
  .optional()
  .describe('Follow only connections of these types. The default is every type.')

const direction = closedSet('Direction').describe(
  '`out` follows connections from source to target, `in` from target to source.',
)
const includeArchived = z.boolean().default(false).describe('Whether to include archived memories.')
const truncated = z
  .boolean()
  .describe(
    'Whether results may be missing: the walk reached its limit of work, or a version of the time of `as_of` is no longer kept.',
  )
/** What a graph is exported as. */
export const graphMediaTypes = {
  graphml: 'application/graphml+xml',
  gexf: 'application/gexf+xml',
  ndjson: 'application/x-ndjson',
  cypher: 'application/x-cypher-query',
  csv: 'text/csv',
} as const

const memoryCounts = z
  .object({
    total: z.int().describe('How many memories there are, archived ones included.'),
    by_state: z
      .object({
        active: z.int().describe('How many memories are active.'),
        archived: z.int().describe('How many memories are archived.'),
      })
      .describe('The number of memories in each state.'),
    by_policy: z.record(z.string(), z.int()).describe('The number of memories with each policy.'),
    embeddings_pending: z.int().describe('How many active memories have no embedding yet.'),
    embeddings_failed: z
      .int()
      .describe(
        'How many of them get none by themselves: the provider refuses their text, or every attempt has failed.',
      ),
  })
  .describe('The memories of the tenant.')

const connectionCounts = z
  .object({
    total: z.int().describe('How many connections there are.'),
    by_type: z.record(z.string(), z.int()).describe('The number of connections of each type.'),
    by_origin: z
      .object({
        asserted: z.int().describe('How many connections callers created.'),
        discovered: z.int().describe('How many connections the service discovered.'),
      })
      .describe('The number of connections of each origin.'),
  })
  .describe('The connections of the tenant.')

const modelUse = z
  .object({
    name: z.string().describe('The name of the chat model.'),
    status: closedSet('ModelStatus').describe('`degraded`: its last call failed, or there was none.'),
    detail: z.string().nullable().describe('What is wrong; null if the last call succeeded.'),
    calls_today: z.int().describe('How often the tenant has asked the model today (UTC).'),
    tokens_today: z
      .int()
      .describe('How many tokens the tenant has used today, or reserved for calls in progress.'),
    daily_tokens: z
      .int()
      .nullable()
      .describe('How many tokens a tenant may use in a day; null without a limit.'),
  })
  .meta({ id: 'ModelUse', description: 'What the tenant uses of the chat model.' })
  .nullable()
  .describe('What the tenant uses of the chat model; null where none is set.')

const queueCounts = z
  .object({
    depth: z.int().describe('How many jobs are queued, waiting or running.'),
    failed: z.int().describe('How many jobs have failed.'),
    oldest_age_seconds: z
      .number()
      .nullable()
      .describe('The age of the oldest unfinished job in seconds; null if there is none.'),
  })
  .describe('The jobs of the tenant.')

export const graphRoutes = {
  relatedMemories: route({
    method: 'GET',
    path: '/memories/{id}/related',
    summary: 'Find memories connected to a memory',
    description:
      'The service follows connections from the memory, up to `depth` steps. Each memory appears once, with its strongest path. The strength of a path is the product of the strengths of its connections; a connection without a strength counts as 1. The strongest path comes first, then the shortest.',
    input: z.strictObject({
      id: id.describe('The memory to start from.'),
      depth: z
        .int()
        .min(1)
        .max(5)
        .default(1)
        .describe('How many connections away to look; 5 is the maximum.'),
      limit: limit(20, 100),
      relationship_types: relationshipTypeList,
      direction: direction.default('out'),
      min_strength: fraction
        .optional()
        .describe('Do not follow weaker connections. A connection without a strength counts as 1.'),
      include_archived: includeArchived,
      as_of: asOf,
      ...filters('now'),
    }),
    output: z.object({
      memory_id: id.describe('The memory that the walk started from.'),
      related: z
        .array(
          z.object({
            memory: memory.describe('The memory that was found.'),
            connection: edge.describe('The last connection on the path to the memory.'),
            depth: z.int().describe('How many connections the path has.'),
            path_score: z.number().describe('The strength of the path, 0 to 1.'),
          }),
        )
        .describe('The memories found, strongest path first.'),
      truncated,
    }),
    problems: ['malformed_id', 'memory_not_found', 'version_not_found'],
    scope: 'read',
  }),
  findPath: route({
    method: 'GET',
    path: '/graph/path',
    summary: 'Find the best paths between two memories',
    description:
      'The strongest path comes first, then the shortest. The strength of a path is the product of the strengths of its connections; a connection without a strength counts as 1.',
    input: z.strictObject({
      source_id: id.describe('The memory to start from.'),
      target_id: id.describe('The memory to reach. It must be another memory.'),
      max_depth: z
        .int()
        .min(1)
        .max(5)
        .default(5)
        .describe('How many connections a path may have; 5 is the maximum.'),
      limit: limit(3, 20),
      relationship_types: relationshipTypeList,
      direction: direction.default('both'),
      as_of: asOf,
      ...filters('any'),
    }),
    output: z.object({
      source_id: id.describe('The memory that the paths start from.'),
      target_id: id.describe('The memory that the paths lead to.'),
      paths: z
        .array(
          z.object({
            score: z.number().describe('The strength of the path, 0 to 1.'),
            length: z.int().describe('How many connections the path has.'),
            memories: z.array(memory).describe('The memories from the source to the target, both included.'),
            connections: z.array(edge).describe('The connections between these memories, in the same order.'),
          }),
        )
        .describe('The paths, strongest first; empty if there is none.'),
      truncated,
    }),
    problems: ['memory_not_found', 'version_not_found'],
    scope: 'read',
  }),
  exportGraph: route({
    method: 'GET',
    path: '/graph/export',
    summary: 'Export memories and connections as a file for other programs',
    description:
      'The file is GraphML, GEXF with intervals, NDJSON, a Cypher script, or CSV in two parts. The service reads the graph page by page while it sends the file. The file contains each memory and connection that existed at the start and did not change, exactly once. It does not contain memories that are created later. With filters, it contains the matching memories and the connections between them. With `valid_at`, the connections hold then, too. With `as_of`, it leaves out what is no longer kept.',
    input: z.strictObject({
      format: z
        .enum(['graphml', 'gexf', 'ndjson', 'cypher', 'csv'])
        .describe(
          '`graphml` for Gephi, yEd or NetworkX; `gexf` for the timeline of Gephi; `ndjson` for programs, also with vectors; `cypher` for Neo4j; `csv` for tables.',
        ),
      part: z
        .enum(['nodes', 'edges'])
        .optional()
        .describe('Which table of CSV to export. `csv` requires it; the other formats refuse it.'),
      quoting: z
        .enum(['rfc4180', 'load_csv'])
        .optional()
        .describe(
          'How CSV quotes text. `rfc4180` (the default) is the standard. `load_csv` also doubles each backslash, as LOAD CSV of Neo4j expects.',
        ),
      vectors: z
        .boolean()
        .default(false)
        .describe('Whether NDJSON contains the vector of each memory, as `embedding.vector`.'),
      include_archived: includeArchived,
      relationship_types: relationshipTypeList.describe('Only connections of these types.'),
      origin: origin.optional().describe('Only connections of this origin.'),
      as_of: asOf,
      ...filters('any'),
    }),
    output: textStream,
    mediaTypes: Object.values(graphMediaTypes),
    scope: 'read',
  }),
  getStats: route({
    method: 'GET',
    path: '/stats',
    summary: 'Count the memories, connections and jobs of the tenant',
    description:
      'At most 100,000 memories of each policy, 100,000 connections of each type and 10,000 jobs of each state are counted. The total of memories and their number by state are exact.',
    input: z.strictObject({}),
    output: z.object({
      memories: memoryCounts,
      connections: connectionCounts,
      queue: queueCounts,
      model: modelUse,
    }),
    scope: 'read',
  }),
}
