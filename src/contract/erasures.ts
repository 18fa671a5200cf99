import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { filters } from './filters.ts'
import { route } from './route.ts'
import { id, timestamp } from './values.ts'

const counts = z
  .object({
    memories: z.int().describe('How many memories, archived ones included.'),
    connections: z.int().describe('How many connections. One between two of the memories counts twice.'),
    versions: z.int().describe('How many earlier versions.'),
    recalls: z.int().describe('How many recalls.'),
    jobs: z.int().describe('How many queued jobs.'),
    answers: z.int().describe('How many stored responses.'),
  })
  .meta({ id: 'ErasureCounts', description: 'What an erasure removed.' })

export type ErasureCounts = z.infer<typeof counts>

export const erasureReceipt = z
  .object({
    id: id.nullable().describe('The id of the receipt; null for a dry run.'),
    state: closedSet('ErasureState').describe(
      '`running` from the first step on, `complete` at the end; `dry_run` if nothing is removed. The service resumes an erasure that was stopped.',
    ),
    requested_by: z.string().describe('The id of the key, or `operator`.'),
    at: timestamp.describe('When the erasure ended; while it runs, the time of its last step.'),
    counts: counts.describe('What was removed, or would be removed by a dry run.'),
    digest: z
      .string()
      .nullable()
      .describe(
        'SHA-256 of the ids of the removed memories in alphabetical order, a line each; null for a dry run, and while the erasure runs.',
      ),
    verified: z
      .boolean()
      .describe(
        'Whether a search of the store after the removal found nothing left: no memory or version that matches, and no version, recall, job, stored response, plan or run of a removed memory.',
      ),
    complete: z
      .boolean()
      .describe(
        'Whether everything that matches was removed. False while the erasure runs: fetch the receipt again.',
      ),
  })
  .meta({ id: 'ErasureReceipt', description: 'A record of an erasure. It contains no content.' })

export type ErasureReceipt = z.infer<typeof erasureReceipt>

export const erasureRoutes = {
  eraseMemories: route({
    method: 'POST',
    path: '/erasures',
    summary: 'Remove memories for good, with everything that is stored about them',
    description:
      'Removes matching memories in every state, with their earlier versions, connections, recalls, queued jobs, stored responses, and what maintenance keeps for an undo. With the filter `source` or `session_id`, it also removes the earlier versions of other memories that matched all filters as they were. The receipt exists from the first step on. If the time for the request ends first, the service continues: fetch the receipt until its `state` is `complete`. With `all`, nothing can be written in the tenant until then. You cannot undo an erasure. Files of Neo4j, such as its transaction logs, can contain removed data for some time.',
    input: z.strictObject({
      filters: z
        .strictObject(filters('any'))
        .optional()
        .meta({ examples: [{ source: 'https://wiki.example/runbooks/checkout' }] })
        .describe('Which memories to remove. At least one filter is needed, unless `all` is true.'),
      all: z.boolean().default(false).describe('Whether to remove all memories of the tenant.'),
      dry_run: z.boolean().default(false).describe('Whether to count only, and remove nothing.'),
    }),
    output: erasureReceipt,
    scope: 'admin',
    narrows: ['filters', 'dry_run'],
  }),
  getErasure: route({
    method: 'GET',
    path: '/erasures/{id}',
    summary: 'Fetch the receipt of an erasure',
    input: z.strictObject({ id: id.describe('The id of the receipt.') }),
    output: erasureReceipt,
    problems: ['malformed_id', 'erasure_not_found'],
    scope: 'admin',
  }),
}
