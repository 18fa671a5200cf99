import { timestampOrAny } from './times.ts'
import { fraction, metadata, policy, sessionId, source, tags, tagsMatch, timestamp } from './values.ts'

/** The filters of lists, searches and contexts, without `valid_at`, whose default differs. */
export const filters = {
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
  metadata: metadata
    .optional()
    .describe('Only memories whose metadata have the same value for each of these keys.'),
}

/** For searches and walks: what does not hold now is left out, unless another time is asked for. */
export const validAt = timestampOrAny
  .optional()
  .meta({ examples: ['any'] })
  .describe(
    'Only memories that hold at this time. The default is now; the text “any” includes all active ones. A time in the past also finds memories that were superseded after it.',
  )
