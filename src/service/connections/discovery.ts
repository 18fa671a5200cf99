import type { Context, KeptRule, SpaceInUse } from '../../context.ts'
import { EmbeddingUnavailable } from '../../platform/embeddings/index.ts'
import { mapInSlices } from '../../platform/time-slices.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import { connectNeighbours, type FoundNeighbour } from '../../store/connections/discovery.ts'
import { type Neighbour, neighbours } from '../../store/connections/neighbours.ts'
import { getSubject, type Subject } from '../../store/connections/subjects.ts'
import { MARGIN } from '../../store/embeddings/spaces.ts'
import { queueFill } from '../../store/embeddings/vectors.ts'
import type { LeasedJob } from '../../store/jobs/leases.ts'
import { embedQueued } from '../embeddings/vectors.ts'
import { readingOf, reasonFor } from './standing-out.ts'
import { suspectConflicts } from './suspicions.ts'

/**
 * Runs one discovery: makes the vector if it is still missing and commits it, then, in a later transaction, connects the
 * memory. Each memory has a list of the nearest pairs that count, `maxEdges` at most, and a pair is connected if each of the
 * two has it in its list. A pair counts at or above the threshold of the settings, and without one by the rule of the tenant,
 * which is measured again when the tenant has changed. So the connections follow from the memories alone, not from
 * the order of their writes: of two memories written at the same time, one discovery finds the other, because each searches
 * only after its own vector can be found, and a memory whose full list changes is discovered again. Running it again changes nothing.
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
  if (!subject?.current) return void (await connectNeighbours(ctx, job, NOTHING))
  if (subject.missing.includes(ctx.space.property)) await embedSubject(ctx, job, ctx, subject)
  await embedInOtherSpaces(ctx, job, kept, subject)
  const { discovery } = ctx.app.config
  const rule =
    discovery.threshold === undefined ? await ctx.app.discoveryRules.of(ctx, subject.rule) : undefined
  const { near, found } = await pairsThatCount(ctx, job, rule)
  const report =
    found.length > discovery.maxEdges && discovery.reportsLimit
      ? `More than ${discovery.maxEdges} memories are near enough; the strongest were connected`
      : null
  const suspected = await suspectConflicts(ctx, { id: job.memoryId, revision: job.revision }, near)
  const made = await connectNeighbours(ctx, job, {
    found: found.slice(0, discovery.maxEdges),
    suspected,
    report,
    threshold: rule?.near ?? ctx.discoveryThreshold,
    byRule: rule !== undefined,
    measures: rule !== undefined && job.kind === 'discover' && isInSample(rule, subject.digest),
  })
  ctx.log.debug({ job: job.id, neighbours: found.length, made }, 'discovered')
}

const NOTHING = { found: [], suspected: [], report: null, threshold: 1, byRule: false, measures: false }

const isInSample = ({ last }: KeptRule, digest: string | null) => last === null || (digest ?? '') <= last

/** Uses a space that another process has just made active: nothing would discover the memory in it again. */
async function followSwitch(ctx: Context, job: LeasedJob): Promise<void> {
  const { embeddings } = ctx.app
  await untilAborted(ctx.signal, embeddings.refresh())
  return discover({ ...ctx, ...embeddings.active() }, job)
}

/** A subject without a vector has its content. */
const embedSubject = (ctx: Context, job: LeasedJob, into: SpaceInUse, { content }: Subject) =>
  embedQueued(ctx, into, { id: job.memoryId, revision: job.revision, content: content as string })

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

/** Among so many candidates pairs are looked for by a rule: of more, all are equally near. */
const FARTHEST = 1_000

type Pairs = { near: readonly Neighbour[]; found: readonly FoundNeighbour[] }

/** Widens the search until its last hit is below the threshold; then only exact cosines decide. Of `found` one too many tells that there are more. */
async function pairsThatCount(ctx: Context, job: LeasedJob, rule: KeptRule | undefined): Promise<Pairs> {
  const { maxEdges } = ctx.app.config.discovery
  const threshold = rule?.near ?? ctx.discoveryThreshold
  for (let candidates = ctx.breadth; ; candidates *= 4) {
    const { found: near, last, words } = await neighbours(ctx, job, threshold, candidates, rule !== undefined)
    const found = rule ? await connectable(rule, words ?? '', near) : near
    const isAll = last === null || last < threshold - MARGIN || (rule && candidates >= FARTHEST)
    if (isAll || found.length > maxEdges) return { near, found: found.slice(0, maxEdges + 1) }
  }
}

/** Other requests run in between: a text may be long. */
async function connectable(
  rule: KeptRule,
  words: string,
  near: readonly Neighbour[],
): Promise<FoundNeighbour[]> {
  const own = readingOf(words)
  const found = await mapInSlices(near, ({ id, cosine, words }) => {
    const reason = reasonFor(rule, own, readingOf(words ?? ''), cosine)
    return reason === undefined ? [] : [{ id, cosine, reason }]
  })
  return found.flat()
}
