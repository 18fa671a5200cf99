import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import { connectNeighbours } from '../../store/connections/discovery.ts'
import { leasedMemories } from '../../store/connections/dry-run.ts'
import { neighbours } from '../../store/connections/neighbours.ts'
import { hasWaiting, readRule, sampleByText } from '../../store/connections/rules.ts'
import { getSubject } from '../../store/connections/subjects.ts'
import { getTexts } from '../../store/connections/suspicions.ts'
import { storeVector } from '../../store/embeddings/vectors.ts'
import { jobLanes } from '../../store/jobs/lanes.ts'
import { type LeasedJob, leaseJobs } from '../../store/jobs/leases.ts'
import { int } from '../../store/neo4j/statements.ts'
import { rolledBack } from '../dry-run.ts'

/** The first is alone in its group commit, and the others share one: Neo4j plans a list of one row for itself. */
const JOBS = 3

/** Runs all statements of discovery for memories that exist only within transactions that are rolled back. */
export async function dryRunDiscovery(ctx: Context): Promise<void> {
  const jobs = Array.from({ length: JOBS }, () => jobOf(ctx))
  const [embedding] = await ctx.embedder.embed([''], { kind: 'document', signal: ctx.signal })
  const vector = embedding?.vector ?? new Float32Array(ctx.space.dimensions)
  await leaseJobs(ctx, ctx.tenant, randomUUID(), jobLanes.usual.jobsALease)
  await Promise.all(jobs.map(job => getSubject(ctx, job, [ctx.space])))
  const stored = { revision: 1, vector, truncated: false }
  await Promise.all(jobs.map(({ memoryId }) => storeVector(ctx, ctx.space, { id: memoryId, ...stored })))
  await Promise.all(jobs.map(job => neighbours(ctx, job, ctx.discoveryThreshold, ctx.breadth, true)))
  await Promise.all(jobs.map(({ memoryId }) => getTexts(ctx, [memoryId], 1)))
  await Promise.all([readRule(ctx), hasWaiting(ctx), sampleByText(ctx, 1, 1)])
  await connectAll(ctx, jobs)
  const before = leasedMemories(ctx.space, jobs, vector)
  await connectAll({ ...ctx, app: rolledBack(ctx.app, before) }, jobs)
}

const jobOf = ({ tenant }: Context): LeasedJob => ({
  id: `discover:${randomUUID()}:1`,
  kind: 'discover',
  tenant,
  memoryId: randomUUID(),
  revision: 1,
  attempt: 1,
  owner: randomUUID(),
  trace: null,
})

const connectAll = (ctx: Context, jobs: readonly LeasedJob[]) =>
  Promise.all(
    jobs.map((job, at) => connectNeighbours(ctx, job, neighbourOf(jobs[(at + 1) % JOBS]!.memoryId))),
  )

const neighbourOf = (id: string) => ({
  found: [{ id, cosine: 1 }],
  suspected: [{ id, revision: int(1), rule: '', reason: '' }],
  report: null,
  threshold: 1,
  byRule: true,
  measures: true,
})
