import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { asOf, filters } from './filters.ts'
import { clearable, createdMemory, fetchedMemory, givenFields, memory, newMemory, state } from './memory.ts'
import type { ProblemCode } from './problem-codes.ts'
import { route } from './route.ts'
import { emptySpan, id, isEmptySpan, limit, timestamp, visibility } from './values.ts'

/** What an update changes: what is not sent stays. */
const fields = z.strictObject(givenFields).partial().shape

const memoryId = z.strictObject({ id: id.describe('The id of the memory.') })
const missing: readonly ProblemCode[] = ['malformed_id', 'memory_not_found']

export const memoryRoutes = {
  createMemory: route({
    method: 'POST',
    path: '/memories',
    summary: 'Create a memory',
    description:
      'When the response arrives, the memory is durable, and its discovery is queued in the same transaction. If the embedding provider fails, the service stores the memory anyway: `embedding.status` is `pending`, and the queue computes the embedding later.',
    input: z
      .strictObject({ ...newMemory.shape, visibility })
      .refine(({ valid_from, valid_until }) => !isEmptySpan(valid_from, valid_until), emptySpan),
    output: createdMemory,
    status: 201,
    otherStatus: 200,
    problems: ['quota_exceeded', 'memory_not_found', 'memory_archived'],
    scope: 'write',
    creates: true,
    waits: true,
    answersMemory: true,
  }),
  createMemories: route({
    method: 'POST',
    path: '/memories/batch',
    summary: 'Create up to 500 memories, all or none',
    description: 'The service creates all memories in one transaction, and returns them in the same order.',
    input: z.strictObject({
      memories: z.array(newMemory).min(1).max(500).describe('The memories to create, 1 to 500.'),
      visibility,
    }),
    output: z.object({
      memories: z.array(createdMemory).describe('The created memories, in the order of the request.'),
    }),
    status: 201,
    problems: ['quota_exceeded', 'memory_not_found', 'memory_archived'],
    scope: 'write',
    creates: true,
    waits: true,
  }),
  getMemory: route({
    method: 'GET',
    path: '/memories/{id}',
    summary: 'Fetch an active or archived memory',
    description:
      'A fetch counts as a recall, unless `record_recall` is false. The recall is durable when the response arrives. If the database takes no writes, the response comes without it and has the header `X-Recall: deferred`; the service records the recall later. Recalls of the same memory within 30 seconds count as one. With `as_of` the response is the newest version recorded by then, and no recall counts; health, recalls, community and embedding are always those of today.',
    input: memoryId.extend({
      record_recall: z.boolean().default(true).describe('Whether the fetch counts as a recall.'),
      include_embedding: z.boolean().default(false).describe('Whether to return `embedding.vector`.'),
      include_fades_at: z.boolean().default(false).describe('Whether to return `fades_at`.'),
      as_of: asOf,
    }),
    output: fetchedMemory,
    problems: [...missing, 'version_not_found'],
    scope: 'read',
    answersMemory: true,
    precondition: 'If-None-Match',
  }),
  updateMemory: route({
    method: 'PATCH',
    path: '/memories/{id}',
    summary: 'Change fields of a memory',
    description:
      'Only the fields that you send change. If the content changes, the service computes a new embedding and discovers connections again; asserted connections stay. `clear` names fields that are to have no value.',
    input: memoryId.extend({
      ...fields,
      tags: fields.tags.describe('The new tags, which replace all old ones. An empty list removes them.'),
      metadata: fields.metadata.describe(
        'The new metadata, which replace all old ones. An empty object removes them.',
      ),
      clear: z
        .array(clearable)
        .max(clearable.options.length)
        .optional()
        .meta({ examples: [['valid_until']] })
        .describe('The fields to clear. You cannot send a field and clear it in the same request.'),
    }),
    output: memory,
    problems: [...missing, 'quota_exceeded', 'memory_archived', 'version_mismatch'],
    scope: 'write',
    answersMemory: true,
    waits: true,
    precondition: 'If-Match',
  }),
  deleteMemory: route({
    method: 'DELETE',
    path: '/memories/{id}',
    summary: 'Archive a memory, or remove it for good',
    description:
      'Searches and walks no longer find an archived memory, and `restoreMemory` makes it active again. Archiving an archived memory succeeds and changes nothing. Removing a memory for good needs the scope `delete`.',
    input: memoryId.extend({
      hard: z
        .boolean()
        .default(false)
        .describe('Whether to remove the memory for good, with its connections, recalls and queued jobs.'),
    }),
    output: z.object({
      id: id.describe('The id of the memory.'),
      state: closedSet('RemovalState').describe('`deleted` if the memory was removed for good.'),
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
    summary: 'Make an archived memory active again',
    description:
      'The memory has full health again. If it was archived as `superseded`, it holds again as before, and is in conflict with the memory that replaced it. Restoring an active memory succeeds and changes nothing.',
    input: memoryId,
    output: memory,
    problems: [...missing, 'version_mismatch'],
    scope: 'write',
    answersMemory: true,
    precondition: 'If-Match',
  }),
  listMemories: route({
    method: 'GET',
    path: '/memories',
    summary: 'List memories page by page',
    description:
      'To read all pages, pass `next_cursor` as the `cursor` of the next call until it is null. The pages contain a memory exactly once if it matches the whole time and the field that you order by does not change. With `as_of`, order by `created_at`.',
    input: z.strictObject({
      limit: limit(20, 200),
      cursor: z
        .string()
        .meta({ examples: ['eyJrIjoiMDFhMWY4M2QifQ.4f8Q1m'] })
        .optional()
        .describe('The `next_cursor` of the previous page. Use it with the same filters and ordering.'),
      order_by: closedSet('MemoryOrder').default('created_at').describe('The field to order by.'),
      order: closedSet('OrderDirection')
        .default('desc')
        .describe('The direction. Memories without a value come last; ties are ordered by id.'),
      include_archived: z.boolean().default(false).describe('Whether to include archived memories.'),
      state: state.optional().describe('Only memories in this state.'),
      as_of: asOf,
      ...filters('any'),
    }),
    output: z.object({
      memories: z.array(memory).describe('The memories of this page.'),
      next_cursor: z.string().nullable().describe('The `cursor` of the next page; null on the last one.'),
      has_more: z.boolean().describe('Whether there is another page.'),
      truncated: z
        .boolean()
        .describe(
          'Whether the service reached its limit of work before the page was full, or left a memory out whose version of the time of `as_of` is no longer kept. Continue with `next_cursor`.',
        ),
      limit: z.int().describe('The `limit` of the request.'),
    }),
    problems: ['invalid_cursor'],
    scope: 'read',
  }),
}
