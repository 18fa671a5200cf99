import { z } from 'zod'
import { filters } from './filters.ts'
import type { ProblemCode } from './problems.ts'
import { route } from './route.ts'
import {
  content,
  emptySpan,
  fraction,
  id,
  isEmptySpan,
  limit,
  metadata,
  policy,
  sessionId,
  source,
  tags,
  timestamp,
  validFrom,
  validUntil,
} from './values.ts'

const ttlSeconds = z
  .int()
  .min(0)
  .max(3_153_600_000)
  .describe(
    'Seconds until the memory expires, counted from the write that sets it. 0 means that it does not expire.',
  )

export const onDuplicate = z
  .enum(['store', 'return'])
  .describe(
    'What to do if an active memory of the tenant has the same text, apart from case and white space. `return` stores nothing and returns that memory, with its id in `duplicate_of`.',
  )

const supersedes = z
  .array(id)
  .min(1)
  .max(50)
  .optional()
  .describe(
    'The ids of memories that the new one replaces. They stop to hold (`valid_until`), are archived as `superseded`, and the new memory contradicts them. All of it happens in one transaction.',
  )

/** How long a write waits, by a header in REST and by an argument elsewhere. */
export const waitSeconds = z
  .int()
  .min(1)
  .max(30)
  .meta({ examples: [5] })
  .describe(
    'Wait up to this many seconds, at most 30, until the embedding is computed and discovery is done. After that the response shows the state so far.',
  )

/** The values that GraphQL, MCP and the command line use if a caller omits them. REST requires both. */
export const creationDefaults = { policy: 'long_term', ttl_seconds: 0 } as const

const importance = fraction.describe('How much the memory matters, 0 to 1.')

const state = z.enum(['active', 'archived'])

const embedding = z.object({
  status: z
    .enum(['ready', 'pending'])
    .describe(
      '`pending`: the queue still has to compute the embedding. Keyword search already finds the memory.',
    ),
  model: z.string().describe('The embedding model.'),
  dimensions: z.int().describe('The number of dimensions of the vector.'),
  truncated: z
    .boolean()
    .describe('Whether the content is too long for the model, so that the vector covers only its start.'),
  vector: z
    .array(z.number())
    .nullable()
    .optional()
    .describe('The vector, if you set `include_embedding`; null while it is pending.'),
})

export const memory = z
  .object({
    id: id.describe('The id of the memory.'),
    content: z.string().describe('The text of the memory.'),
    policy: z.string().describe('The policy that decides how long the memory lasts.'),
    ttl_seconds: z
      .int()
      .describe('Seconds from the write that set it until the memory expires; 0 if it does not expire.'),
    tags: z.array(z.string()).describe('The tags of the memory.'),
    importance: z.number().describe('How much the memory matters, 0 to 1.'),
    source: z.string().nullable().describe('Where the memory comes from; null if unknown.'),
    session_id: z
      .string()
      .nullable()
      .describe('The conversation, document or run that the memory belongs to; null if none.'),
    metadata: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe('Further values by name; an empty object if there are none.'),
    valid_from: timestamp.nullable().describe('From when on the content holds; null if always.'),
    valid_until: timestamp
      .nullable()
      .describe('Until when the content holds, exclusive; null if without an end.'),
    state: state.describe('Searches and walks find only `active` memories. You can restore `archived` ones.'),
    health: z
      .number()
      .describe('How alive the memory is, 0 to 100. It falls with time and rises with each recall.'),
    recall_count: z.int().describe('How often the memory was recalled.'),
    last_recalled_at: timestamp.nullable().describe('When the memory was last recalled; null if never.'),
    expires_at: timestamp.nullable().describe('When the memory expires; null if it does not.'),
    archived_at: timestamp.nullable().describe('When the memory was archived; null if it is active.'),
    archived_reason: z
      .string()
      .nullable()
      .describe(
        'Why the memory was archived: `deleted`, `expired`, `faded`, `superseded`, `merged`, `forgotten`, or another text; null if it is active.',
      ),
    created_at: timestamp.describe('When the memory was created.'),
    updated_at: timestamp.describe('When the memory was last changed. A recall is not a change.'),
    version: z.int().describe('The version of the memory. Each change adds 1.'),
    embedding: embedding.describe('The state of the embedding of the memory.'),
  })
  .meta({ id: 'Memory', description: 'A memory.' })

export type Memory = z.infer<typeof memory>

const createdMemory = memory
  .extend({
    duplicate_of: id
      .optional()
      .describe(
        'The id of this memory. Only present if it existed before with the same text, so that nothing was stored.',
      ),
  })
  .meta({ id: 'CreatedMemory', description: 'A new memory, or the memory that has the same text.' })

export type CreatedMemory = z.infer<typeof createdMemory>

export const newMemory = z
  .strictObject({
    content,
    policy,
    ttl_seconds: ttlSeconds,
    tags: tags.default([]),
    importance: importance.default(0.5),
    source: source.optional(),
    session_id: sessionId.optional(),
    metadata: metadata.default({}),
    valid_from: validFrom.optional(),
    valid_until: validUntil.optional(),
    on_duplicate: onDuplicate.default('store'),
    supersedes,
  })
  .refine(({ valid_from, valid_until }) => !isEmptySpan(valid_from, valid_until), emptySpan)
  .meta({ id: 'NewMemory', description: 'A memory to create.' })

export type NewMemory = z.infer<typeof newMemory>

const memoryId = z.strictObject({ id: id.describe('The id of the memory.') })
const group = 'Memories'
const missing: readonly ProblemCode[] = ['malformed_id', 'memory_not_found']

export const memoryRoutes = {
  createMemory: route({
    method: 'POST',
    path: '/memories',
    group,
    summary: 'Create a memory',
    description:
      'When the response arrives, the memory is durable, and its discovery is queued in the same transaction. If the embedding provider fails, the service stores the memory anyway: `embedding.status` is `pending`, and the queue computes the embedding later.',
    input: newMemory,
    output: createdMemory,
    status: 201,
    otherStatus: 200,
    problems: ['memory_not_found', 'memory_archived'],
    scope: 'write',
    creates: true,
    waits: true,
    answersMemory: true,
  }),
  createMemories: route({
    method: 'POST',
    path: '/memories/batch',
    group,
    summary: 'Create up to 500 memories, all or none',
    description: 'The service creates all memories in one transaction, and returns them in the same order.',
    input: z.strictObject({
      memories: z.array(newMemory).min(1).max(500).describe('The memories to create, 1 to 500.'),
    }),
    output: z.object({
      memories: z.array(createdMemory).describe('The created memories, in the order of the request.'),
    }),
    status: 201,
    problems: ['memory_not_found', 'memory_archived'],
    scope: 'write',
    creates: true,
    waits: true,
  }),
  getMemory: route({
    method: 'GET',
    path: '/memories/{id}',
    group,
    summary: 'Fetch an active or archived memory',
    description:
      'A fetch counts as a recall, unless `record_recall` is false. The recall is durable when the response arrives. Recalls of the same memory within 30 seconds count as one.',
    input: memoryId.extend({
      record_recall: z.boolean().default(true).describe('Whether the fetch counts as a recall.'),
      include_embedding: z.boolean().default(false).describe('Whether to return `embedding.vector`.'),
    }),
    output: memory,
    problems: missing,
    scope: 'read',
    answersMemory: true,
    precondition: 'If-None-Match',
  }),
  updateMemory: route({
    method: 'PATCH',
    path: '/memories/{id}',
    group,
    summary: 'Change fields of a memory',
    description:
      'Only the fields that you send change. If the content changes, the service computes a new embedding and discovers connections again; asserted connections stay. You can replace `source`, `session_id`, `valid_from` and `valid_until`, but not clear them.',
    input: memoryId.extend({
      content: content.optional(),
      policy: policy.optional(),
      ttl_seconds: ttlSeconds.optional(),
      tags: tags.optional().describe('The new tags, which replace all old ones. An empty list removes them.'),
      importance: importance.optional(),
      source: source.optional(),
      session_id: sessionId.optional(),
      metadata: metadata
        .optional()
        .describe('The new metadata, which replace all old ones. An empty object removes them.'),
      valid_from: validFrom.optional(),
      valid_until: validUntil.optional(),
    }),
    output: memory,
    problems: [...missing, 'memory_archived', 'version_mismatch'],
    scope: 'write',
    answersMemory: true,
    waits: true,
    precondition: 'If-Match',
  }),
  deleteMemory: route({
    method: 'DELETE',
    path: '/memories/{id}',
    group,
    summary: 'Archive a memory, or remove it for good',
    description:
      'Searches and walks no longer find an archived memory, and `restoreMemory` makes it active again. Archiving an archived memory succeeds and changes nothing.',
    input: memoryId.extend({
      hard: z
        .boolean()
        .default(false)
        .describe('Whether to remove the memory for good, with its connections, recalls and queued jobs.'),
    }),
    output: z.object({
      id: id.describe('The id of the memory.'),
      state: z.enum(['archived', 'deleted']).describe('`deleted` if the memory was removed for good.'),
      hard: z.boolean().describe('Whether the memory was removed for good.'),
      archived_at: timestamp.nullable().describe('When the memory was archived; null if it was removed.'),
    }),
    problems: [...missing, 'version_mismatch'],
    scope: 'write',
    precondition: 'If-Match',
  }),
  restoreMemory: route({
    method: 'POST',
    path: '/memories/{id}/restore',
    group,
    summary: 'Make an archived memory active again',
    description: 'The memory has full health again. Restoring an active memory succeeds and changes nothing.',
    input: memoryId,
    output: memory,
    problems: missing,
    scope: 'write',
    answersMemory: true,
  }),
  listMemories: route({
    method: 'GET',
    path: '/memories',
    group,
    summary: 'List memories page by page',
    description:
      'To read all pages, pass `next_cursor` as the `cursor` of the next call until it is null. The pages contain a memory exactly once if it matches the whole time and the field that you order by does not change.',
    input: z.strictObject({
      limit: limit(20, 200),
      cursor: z
        .string()
        .meta({ examples: ['eyJrIjoiMDFhMWY4M2QifQ.4f8Q1m'] })
        .optional()
        .describe('The `next_cursor` of the previous page. Use it with the same filters and ordering.'),
      order_by: z
        .enum(['created_at', 'updated_at', 'importance', 'health', 'last_recalled_at'])
        .default('created_at')
        .describe('The field to order by.'),
      order: z
        .enum(['asc', 'desc'])
        .default('desc')
        .describe('The direction. Memories without a value come last; ties are ordered by id.'),
      include_archived: z.boolean().default(false).describe('Whether to include archived memories.'),
      state: state.optional().describe('Only memories in this state.'),
      ...filters,
      valid_at: timestamp
        .optional()
        .describe('Only memories that hold at this time. Without it, the list shows all.'),
    }),
    output: z.object({
      memories: z.array(memory).describe('The memories of this page.'),
      next_cursor: z.string().nullable().describe('The `cursor` of the next page; null on the last one.'),
      has_more: z.boolean().describe('Whether there is another page.'),
      truncated: z
        .boolean()
        .describe(
          'Whether the service reached its limit of work before the page was full. Continue with `next_cursor`.',
        ),
      limit: z.int().describe('The `limit` of the request.'),
    }),
    problems: ['invalid_cursor'],
    scope: 'read',
  }),
}
