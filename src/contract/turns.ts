import { z } from 'zod'
import { extractionJob } from './extraction.ts'
import { creationDefaults, importance, ttlSeconds } from './memory.ts'
import { route } from './route.ts'
import {
  content,
  id,
  metadata,
  policy,
  sessionId,
  source,
  speaker,
  tags,
  timestamp,
  visibility,
} from './values.ts'

const turn = z
  .strictObject({
    speaker,
    text: content.describe('What was said, 1 to 100000 bytes of UTF-8.'),
    time: timestamp
      .optional()
      .describe(
        'When it was said; `valid_from` of the memory. With it, a repeat of the turn stores nothing. Without it, every call stores the turn again, unless the call repeats an idempotency key.',
      ),
  })
  .meta({ id: 'Turn', description: 'What one speaker said at one time.' })

export type Turn = z.infer<typeof turn>

const storedTurn = z
  .object({
    id: id.describe('The id of the memory that the turn is.'),
    stored: z.boolean().describe('False if the turn was stored before.'),
    sensitive: z
      .array(z.string())
      .describe('The kinds of secrets that the turn contains; empty if there are none.'),
  })
  .meta({ id: 'StoredTurn', description: 'The memory of a turn.' })

export const turnRoutes = {
  addTurns: route({
    method: 'POST',
    path: '/sessions/{session_id}/turns',
    summary: 'Store up to 500 turns of a conversation',
    description:
      'Each turn becomes a memory of the kind turn with its session, speaker and time, all or none. The id of a turn with a time follows from session, speaker, time and text, so you can send a conversation again after a failure or when it has grown: only new turns are stored. Two equal turns at the same time in one call are two turns.',
    input: z.strictObject({
      session_id: sessionId,
      turns: z.array(turn).min(1).max(500).describe('The turns in their order, 1 to 500.'),
      policy: policy.default(creationDefaults.policy),
      ttl_seconds: ttlSeconds.default(creationDefaults.ttl_seconds),
      tags: tags.default([]),
      importance: importance.default(0.5),
      source: source.optional(),
      metadata: metadata.default({}),
      visibility,
    }),
    output: z.object({
      session_id: z.string().describe('The session.'),
      turns: z.array(storedTurn).describe('The memories of the turns, in the order of the request.'),
      stored: z.int().describe('How many turns were stored now.'),
      extraction_job: extractionJob,
    }),
    status: 201,
    problems: ['quota_exceeded', 'malformed_id'],
    scope: 'write',
    creates: true,
    waits: true,
  }),
}
