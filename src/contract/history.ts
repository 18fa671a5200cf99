import { z } from 'zod'
import { memory } from './memory.ts'
import { route } from './route.ts'
import { id, limit, timestamp } from './values.ts'

/** What a version shows of a memory. */
const snapshot = memory
  .pick({
    content: true,
    policy: true,
    ttl_seconds: true,
    tags: true,
    importance: true,
    source: true,
    session_id: true,
    speaker: true,
    kind: true,
    metadata: true,
    valid_from: true,
    valid_until: true,
    state: true,
    archived_reason: true,
  })
  .meta({ id: 'MemorySnapshot', description: 'The fields of a memory in one version.' })

export type MemorySnapshot = z.infer<typeof snapshot>

const version = z
  .object({
    version: z.int().describe('The version.'),
    at: timestamp.describe('When it became the current version.'),
    author: z
      .string()
      .nullable()
      .describe(
        'Who made it: the id of a key, `operator`, or `rule:` and the rule of maintenance; null if unknown.',
      ),
    reason: z.string().nullable().describe('Why, if known.'),
    changed: z
      .array(z.string())
      .describe('The fields that differ from the version before; empty for the oldest version that is kept.'),
    memory: snapshot.describe('The memory in this version.'),
  })
  .meta({ id: 'MemoryVersion', description: 'A version of a memory.' })

export const historyRoutes = {
  getMemoryHistory: route({
    method: 'GET',
    path: '/memories/{id}/history',
    summary: 'Read the versions of a memory, newest first',
    description:
      'The first version is the current one. The service keeps a number of earlier versions of each memory, 20 by default. They are removed together with the memory. Recalls and the daily fading make no version.',
    input: z.strictObject({
      id: id.describe('The id of the memory.'),
      limit: limit(20, 100),
      before_version: z
        .int()
        .min(1)
        .optional()
        .meta({ examples: [5] })
        .describe('Only versions before this one, for the next page.'),
    }),
    output: z.object({
      memory_id: id.describe('The id of the memory.'),
      versions: z.array(version).describe('The versions, newest first.'),
      has_more: z.boolean().describe('Whether there are earlier versions.'),
    }),
    problems: ['malformed_id', 'memory_not_found'],
    scope: 'read',
  }),
  revertMemory: route({
    method: 'POST',
    path: '/memories/{id}/revert',
    summary: 'Make an earlier version of a memory current again',
    description:
      'The memory gets the content and fields of the earlier version, as a new version. Its state stays: restore an archived memory first. If the content differs, its embedding and connections are computed again.',
    input: z.strictObject({
      id: id.describe('The id of the memory.'),
      version: z.int().min(1).describe('The version whose content and fields the memory gets.'),
    }),
    output: memory,
    problems: [
      'quota_exceeded',
      'malformed_id',
      'memory_not_found',
      'version_not_found',
      'memory_archived',
      'version_mismatch',
    ],
    scope: 'write',
    answersMemory: true,
    precondition: 'If-Match',
  }),
}
