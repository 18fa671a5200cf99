/**
 * A worker that is stopped in the midst of its work: `node late.ts <uri> <tenant> <model> <dimensions>`. It takes one
 * job and says so; once it hears a line it tries every write that a worker may make, and prints which were refused.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Context } from '../../src/context.ts'
import { connectNeighbours } from '../../src/store/connections/discovery.ts'
import { spaceOf } from '../../src/store/embeddings/spaces.ts'
import { completeJob, continueJob, recordFailure } from '../../src/store/jobs/ending.ts'
import { type LeasedJob, leaseJobs, releaseJobs, renewLeases } from '../../src/store/jobs/leases.ts'
import { connectDriver } from '../../src/store/neo4j/driver.ts'
import { createGroupCommits } from '../../src/store/neo4j/group-commit.ts'

const [uri, tenant, model, dimensions] = process.argv.slice(2) as [string, string, string, string]
const password = process.env.NEO4J_PASSWORD as string
await using neo4j = connectDriver({ uri, username: 'neo4j', password, database: 'neo4j' })
const groupCommits = createGroupCommits({ neo4j })
const space = spaceOf({ provider: 'openai', model, dimensions: Number(dimensions) })
const ctx = () =>
  ({
    app: { neo4j, groupCommits, config: { discovery: { maxEdges: 1_000 } } },
    tenant,
    space,
    signal: AbortSignal.timeout(60_000),
  }) as unknown as Context

let job: LeasedJob | undefined
// Another process may already have taken the job that was seen.
while (!job) [job] = await leaseJobs(ctx(), tenant, randomUUID(), 1)
const held = job
process.stdout.write(`${JSON.stringify({ held })}\n`)
await once(process.stdin, 'data')
process.stdin.pause()

const others = await neo4j.driver.executeQuery(
  'MATCH (m:Memory) WHERE m.tenant = $tenant AND m.id <> $id RETURN m.id AS id',
  { tenant, id: held.memoryId },
)
const found = others.records.map(record => ({ id: record.get('id') as string, cosine: 1 }))
const failure = { reason: 'late', retryInMs: null, countsAsAttempt: true }
/** These do not say whether they were taken: the parent compares the graph before and after. */
const silent = async (write: Promise<unknown>) => {
  await write
  return true
}
const writes: Record<string, () => Promise<boolean>> = {
  extend: async () => (await renewLeases(ctx(), [held])).size === 0,
  connect: async () =>
    (await connectNeighbours(ctx(), held, {
      found,
      suspected: [],
      report: null,
      threshold: -1,
      byRule: false,
      measures: false,
    })) === undefined,
  complete: async () => !(await completeJob(ctx(), held)),
  fail: () => silent(recordFailure(ctx(), held, failure)),
  release: () => silent(releaseJobs(ctx(), [held])),
  'go on': () => silent(continueJob(ctx(), held, { place: { createdAt: 0, id: '' } })),
}
for (const [write, refused] of Object.entries(writes))
  process.stdout.write(`${JSON.stringify({ write, refused: await refused() })}\n`)
