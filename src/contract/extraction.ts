import { z } from 'zod'
import { route } from './route.ts'
import { sessionId, visibility } from './values.ts'

export const extractionJob = z
  .string()
  .nullable()
  .describe('The job that extracts facts from the turns; null where no chat model is set.')

export const extractionRoutes = {
  extractFacts: route({
    method: 'POST',
    path: '/sessions/{session_id}/extract',
    summary: 'Extract facts from the turns of a session with the chat model',
    description:
      'Queues a job. `addTurns` does the same on its own. The job stores each fact as a memory with `derived_from` connections to its turns, and records a run of the kind `extract`, which `undoMaintenance` takes back as a whole. Facts that are stored already are not stored again.',
    input: z.strictObject({
      session_id: sessionId,
      repeat: z
        .boolean()
        .default(false)
        .describe('Whether to read all turns of the session again, also those that a job has read.'),
      visibility: visibility.describe(
        'Which turns it reads, and who sees the facts. `private` is the default of a key with an owner.',
      ),
    }),
    output: z.object({
      session_id: z.string().describe('The session.'),
      job_id: z.string().describe('The job that extracts the facts.'),
      turns: z.int().describe('How many turns the job has to read.'),
    }),
    problems: ['model_not_set'],
    scope: 'write',
  }),
}
