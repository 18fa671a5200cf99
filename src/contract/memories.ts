import { z } from 'zod'
import type { ProblemCode } from './problems.ts'
import { route } from './route.ts'
import { content, fraction, id, limit, tags, timestamp } from './values.ts'

const policy = z
  .string()
  .min(1)
  .max(64)
  .meta({ examples: ['short_term', 'long_term', 'pinned'] })
  .describe('`short_term`, `long_term`, `pinned`, or one that the tenant has defined.')

const ttlSeconds = z
  .int()
  .min(0)
  .max(3_153_600_000)
  .describe('Seconds until the memory expires, counted from the write that sets it; 0 is no limit.')

const importance = fraction.describe('How much the memory matters, 0 to 1.')

const embedding = z.object({
  status: z
    .enum(['ready', 'pending'])
    .describe('`pending`: the vector is still to be made; keyword search finds the memory already.'),
  model: z.string(),
  dimensions: z.int(),
  truncated: z
    .boolean()
    .describe('The content was longer than the model reads; the vector stands for its beginning.'),
  vector: z
    .array(z.number())
    .nullable()
    .optional()
    .describe('Only where `include_embedding` asked for it; null while it is pending.'),
})

export const memory = z
  .object({
    id,
    content: z.string(),
    policy: z.string(),
    ttl_seconds: z.int(),
    tags: z.array(z.string()),
    importance: z.number(),
    state: z.enum(['active', 'archived']),
    health: z.number().describe('0 to 100; what lifecycle maintenance works on.'),
    recall_count: z.int(),
    last_recalled_at: timestamp.nullable(),
    expires_at: timestamp.nullable(),
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
    version: z.int().describe('+1 at each change.'),
    embedding,
  })
  .meta({ id: 'Memory' })

export type Memory = z.infer<typeof memory>

const newMemory = z
  .strictObject({
    content,
    policy,
    ttl_seconds: ttlSeconds,
    tags: tags.default([]),
    importance: importance.default(0.5),
  })
  .meta({ id: 'NewMemory' })

export type NewMemory = z.infer<typeof newMemory>

const memoryId = z.strictObject({ id })
const group = 'Memories'
const missing: readonly ProblemCode[] = ['malformed_id', 'memory_not_found']

export const memoryRoutes = {
  createMemory: route({
    method: 'POST',
    path: '/memories',
    group,
    summary: 'Create a memory',
    description:
      'Acknowledged means durable: the memory and its queued discovery are committed together. When the embedding provider is down, the memory is stored with `embedding.status` `pending` and its vector follows.',
    input: newMemory,
    output: memory,
    status: 201,
    problems: [],
    scope: 'write',
    creates: true,
    answersMemory: true,
  }),
  createMemories: route({
    method: 'POST',
    path: '/memories/batch',
    group,
    summary: 'Create many memories, all or none',
    input: z.strictObject({ memories: z.array(newMemory).min(1).max(500) }),
    output: z.object({ memories: z.array(memory) }),
    status: 201,
    problems: [],
    scope: 'write',
    creates: true,
  }),
  getMemory: route({
    method: 'GET',
    path: '/memories/{id}',
    group,
    summary: 'Fetch a memory, active or archived',
    description:
      'Records a durable recall event, unless told not to. Repeats within 30 seconds merge into one.',
    input: memoryId.extend({
      record_recall: z.boolean().default(true).describe('Whether this fetch counts as a recall.'),
      include_embedding: z.boolean().default(false).describe('Adds `embedding.vector`.'),
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
    summary: 'Change the fields that are sent',
    description: 'New content is embedded and discovered anew; connections that a caller asserted stay.',
    input: memoryId.extend({
      content: content.optional(),
      policy: policy.optional(),
      ttl_seconds: ttlSeconds.optional(),
      tags: tags.optional(),
      importance: importance.optional(),
    }),
    output: memory,
    problems: [...missing, 'memory_archived', 'version_mismatch'],
    scope: 'write',
    answersMemory: true,
    precondition: 'If-Match',
  }),
  deleteMemory: route({
    method: 'DELETE',
    path: '/memories/{id}',
    group,
    summary: 'Archive a memory, or remove it permanently',
    input: memoryId.extend({
      hard: z
        .boolean()
        .default(false)
        .describe('true removes the memory, its connections, recall events and queued work for good.'),
    }),
    output: z.object({
      id,
      state: z.enum(['archived', 'deleted']),
      hard: z.boolean(),
      archived_at: timestamp.nullable(),
    }),
    problems: [...missing, 'version_mismatch'],
    scope: 'write',
    precondition: 'If-Match',
  }),
  restoreMemory: route({
    method: 'POST',
    path: '/memories/{id}/restore',
    group,
    summary: 'Make an archived memory active again, with full health',
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
      'A memory that existed and matched throughout a walk, and whose sort key did not change meanwhile, is returned exactly once. `truncated` says that the bound on work was reached before the page was full: go on with `next_cursor`.',
    input: z.strictObject({
      limit: limit(20, 200),
      cursor: z
        .string()
        .optional()
        .describe('`next_cursor` of the page before, with the same filters and ordering.'),
      order_by: z
        .enum(['created_at', 'updated_at', 'importance', 'health', 'last_recalled_at'])
        .default('created_at'),
      order: z.enum(['asc', 'desc']).default('desc').describe('Nulls come last either way; ties by id.'),
      include_archived: z.boolean().default(false).describe('Archived memories too.'),
      state: z.enum(['active', 'archived']).optional().describe('Those in this state alone.'),
      policy: policy.optional(),
      tags: tags.optional(),
      tags_match: z.enum(['all', 'any']).default('all'),
      min_importance: importance.optional(),
      max_importance: importance.optional(),
      created_after: timestamp.optional().describe('Inclusive.'),
      created_before: timestamp.optional().describe('Exclusive.'),
      updated_after: timestamp.optional().describe('Inclusive.'),
      updated_before: timestamp.optional().describe('Exclusive.'),
    }),
    output: z.object({
      memories: z.array(memory),
      next_cursor: z.string().nullable(),
      has_more: z.boolean().describe('Another page exists.'),
      truncated: z
        .boolean()
        .describe('The bound on work was reached: the page may lack matches that a later page has.'),
      limit: z.int(),
    }),
    problems: ['invalid_cursor'],
    scope: 'read',
  }),
}
