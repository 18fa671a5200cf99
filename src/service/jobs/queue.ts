import type { Context } from '../../context.ts'
import { invalid } from '../../contract/problems.ts'
import { auditAlone } from '../../store/access/audit.ts'
import * as rediscovery from '../../store/connections/rediscovery.ts'
import { completeJob, continueJob, walkOf } from '../../store/jobs/ending.ts'
import { retryJobs as retryFailed } from '../../store/jobs/jobs.ts'
import type { LeasedJob } from '../../store/jobs/leases.ts'
import * as store from '../../store/jobs/pauses.ts'
import { operatorOnly } from '../access/operator.ts'
import { settleRule } from '../connections/rules.ts'
import type { Handler } from '../handler.ts'

export const retryJobs: Handler<'retryJobs'> = async (ctx, { kind }) => {
  let retried = 0
  for (let count = await retryFailed(ctx, kind); count > 0; count = await retryFailed(ctx, kind))
    retried += count
  if (retried === 0) await auditAlone(ctx, { target: kind ?? null })
  ctx.app.wake()
  return { retried }
}

const LONGEST_PAUSE_DAYS = 30

export const pauseQueue: Handler<'pauseQueue'> = async (ctx, { until, all_tenants }) => {
  if (all_tenants) operatorOnly(ctx)
  const outcome = await store.pauseJobs(ctx, all_tenants, Date.parse(until), LONGEST_PAUSE_DAYS)
  if (outcome === 'too_early') throw invalid('/until', 'in_the_past', 'must be in the future')
  if (outcome === 'too_late')
    throw invalid('/until', 'too_big', `must be at most ${LONGEST_PAUSE_DAYS} days ahead`)
  return pauseOf(ctx)
}

export const resumeQueue: Handler<'resumeQueue'> = async (ctx, { all_tenants }) => {
  if (all_tenants) operatorOnly(ctx)
  await store.resume(ctx, all_tenants)
  ctx.app.wake()
  return pauseOf(ctx)
}

/** Until when the tenant's queue is paused, on its own or with all others. */
export async function pauseOf(ctx: Context): Promise<{ paused_until: string | null }> {
  const until = await store.pausedUntil(ctx)
  return { paused_until: until === null ? null : new Date(until).toISOString() }
}

export const rediscoverMemories: Handler<'rediscoverMemories'> = async ctx => {
  const { threshold = (await settleRule(ctx)).near } = ctx.app.config.discovery
  const job_id = await rediscovery.queueRediscovery(ctx)
  ctx.app.wake()
  return {
    job_id,
    memories: await rediscovery.countActive(ctx),
    threshold,
  }
}

const WINDOW = 500

/** Queues a discovery for the next memories, then releases the job so that other jobs can run. */
export async function rediscoverAll(ctx: Context, job: LeasedJob): Promise<void> {
  const walk = await walkOf(ctx, job)
  const next = walk && (await rediscovery.queueRediscoveries(ctx, walk.place, WINDOW))
  await (next ? continueJob(ctx, job, { place: next }) : completeJob(ctx, job))
  ctx.app.wake()
}
