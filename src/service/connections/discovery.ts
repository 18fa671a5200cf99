import type { Context, SpaceInUse } from '../../context.ts'
import { baseTenant } from '../../contract/private.ts'
import { EmbeddingUnavailable } from '../../platform/embeddings/index.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import { connectNeighbours } from '../../store/connections/discovery.ts'
import { type Neighbour, neighbours } from '../../store/connections/neighbours.ts'
import { getSubject, type Subject } from '../../store/connections/subjects.ts'
import { MARGIN } from '../../store/embeddings/spaces.ts'
import { queueFill, storeVector } from '../../store/embeddings/vectors.ts'
import type { LeasedJob } from '../../store/jobs/leases.ts'
import { suspectConflicts } from './suspicions.ts'

/**
 * Runs one discovery: makes the vector if it is still missing and commits it, then, in a later transaction, connects
 * the memory with every other at or above the threshold. Of two memories written at the same time, one discovery finds
 * the other, because each searches only after its own vector can be found. Running it again changes nothing.
 * @throws EmbeddingUnavailable
 */
export async function discover(ctx: Context, job: LeasedJob): Promise<void> {
  const kept = ctx.app.embeddings.kept()
  const subject = await getSubject(
    ctx,
    job,
    kept.map(({ space }) => space),
  )
  // Ended with the memory locked: a restore in this moment would queue a job that is about to go.
  if (subject && subject.active !== ctx.space.id) return followSwitch(ctx, job)
  if (!subject?.current) return void (await connectNeighbours(ctx, job, { found: [], suspected: [] }, null))
  if (subject.missing.includes(ctx.space.property)) await embedSubject(ctx, job, ctx, subject)
  await embedInOtherSpaces(ctx, job, kept, subject)
  const { found, capped } = await allAboveThreshold(ctx, job)
  const report =
    capped && ctx.app.config.discovery.reportsLimit
      ? `More than ${found.length} memories are near enough; the strongest were connected`
      : null
  const suspected = await suspectConflicts(ctx, { id: job.memoryId, revision: job.revision }, found)
  const made = await connectNeighbours(ctx, job, { found, suspected }, report)
  ctx.log.debug({ job: job.id, neighbours: found.length, made }, 'discovered')
}

/** Uses a space that another process has just made active: nothing would discover the memory in it again. */
async function followSwitch(ctx: Context, job: LeasedJob): Promise<void> {
  const { embeddings } = ctx.app
  await untilAborted(ctx.signal, embeddings.refresh())
  return discover({ ...ctx, ...embeddings.active() }, job)
}

async function embedSubject(
  ctx: Context,
  job: LeasedJob,
  into: SpaceInUse,
  { content }: Subject,
): Promise<void> {
  const texts = content === null ? [] : [content]
  const [embedding] = await into.embedder.embed(texts, {
    kind: 'document',
    signal: ctx.signal,
    share: baseTenant(ctx.tenant),
    queued: true,
  })
  if (!embedding) throw new Error('The embedder gave no vector')
  await storeVector(ctx, into.space, { id: job.memoryId, revision: job.revision, ...embedding })
}

/** Keeps the other spaces up to date too. If the provider of one is down, its filling is queued instead. */
async function embedInOtherSpaces(
  ctx: Context,
  job: LeasedJob,
  kept: readonly SpaceInUse[],
  subject: Subject,
) {
  const others = kept.filter(
    ({ space }) => space.id !== ctx.space.id && subject.missing.includes(space.property),
  )
  await Promise.all(
    others.map(into =>
      embedSubject(ctx, job, into, subject).catch(async error => {
        if (!(error instanceof EmbeddingUnavailable)) throw error
        if (!error.itemFault) await queueFill(ctx, ctx.tenant, into.space)
      }),
    ),
  )
}

/** Widens the search until its last hit is below the threshold; then only exact cosines decide. */
async function allAboveThreshold(
  ctx: Context,
  job: LeasedJob,
): Promise<{ found: Neighbour[]; capped: boolean }> {
  const { maxEdges } = ctx.app.config.discovery
  const threshold = ctx.discoveryThreshold
  for (let candidates = ctx.breadth; ; candidates *= 4) {
    const { found, last } = await neighbours(ctx, job, threshold, candidates)
    if (last === null || last < threshold - MARGIN || found.length > maxEdges)
      return { found: found.slice(0, maxEdges), capped: found.length > maxEdges }
  }
}
