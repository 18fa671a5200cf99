import { z } from 'zod'
import { heldAt } from './times.ts'
import {
  communityId,
  fraction,
  memoryKind,
  metadata,
  policy,
  sessionId,
  source,
  tags,
  tagsMatch,
  timestamp,
} from './values.ts'

/** What one memory must have. */
const conditions = {
  policy: policy.optional().describe('Only memories with this policy.'),
  tags: tags.optional().describe('Only memories with these tags.'),
  tags_match: tagsMatch.default('all'),
  min_importance: fraction.optional().describe('Only memories of at least this importance, 0 to 1.'),
  max_importance: fraction.optional().describe('Only memories of at most this importance, 0 to 1.'),
  created_after: timestamp.optional().describe('Only memories created at or after this time.'),
  created_before: timestamp.optional().describe('Only memories created before this time.'),
  updated_after: timestamp.optional().describe('Only memories last changed at or after this time.'),
  updated_before: timestamp.optional().describe('Only memories last changed before this time.'),
  source: source.optional().describe('Only memories with exactly this source.'),
  session_id: sessionId.optional().describe('Only memories of this session.'),
  kind: memoryKind.optional().describe('Only memories of this kind.'),
  community: communityId
    .optional()
    .meta({ examples: ['c0b1d64ce2a97f35'] })
    .describe('Only memories of this community of the graph.'),
  metadata: metadata
    .optional()
    .describe('Only memories whose metadata have the same value for each of these keys.'),
}

/** `tags_match` is no condition, and neither are empty lists and objects. */
const hasCondition = ({ tags_match: _match, ...values }: Record<string, unknown>) =>
  Object.values(values).some(
    value => value !== undefined && (typeof value !== 'object' || Object.keys(value ?? {}).length > 0),
  )

const nested = z
  .strictObject(conditions)
  .refine(hasCondition, { error: 'must have at least one filter', abort: true })
  .meta({ id: 'MemoryFilter', description: 'Filters that a memory matches if it matches all of them.' })

const several = z.array(nested).min(1).max(8).optional()

/** A time as of which an operation answers. */
export const asOf = timestamp
  .optional()
  .describe('What the service had recorded by this time. What was removed for good is never shown.')

/** The filters of every operation that chooses memories; `validAt` is the default of `valid_at`. */
export const filters = (validAt: 'now' | 'any') => ({
  ...conditions,
  any: several
    .meta({ examples: [[{ tags: ['checkout'] }, { source: 'https://wiki.example/runbooks/checkout' }]] })
    .describe('Only memories that match at least one of these filters, 1 to 8.'),
  none: several
    .meta({ examples: [[{ tags: ['draft'] }]] })
    .describe('Only memories that match none of these filters, 1 to 8.'),
  valid_at: heldAt
    .default(validAt)
    .meta({ examples: ['any'] })
    .describe(
      'Only memories, and in walks connections, that hold at this time; `now` is the present or `as_of`, and `any` includes all. In searches and walks, a time in the past also finds memories that were superseded after it.',
    ),
})
