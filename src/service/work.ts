import type { App, Context } from '../context.ts'
import { ServiceError } from '../contract/problems.ts'
import { EmbeddingUnavailable } from '../platform/embeddings/index.ts'
import type { Log } from '../platform/log.ts'
import { timeLimit } from '../platform/time-limit.ts'
import { type ClaimedJob, completeJob } from '../store/jobs.ts'
import { discover } from './discovery.ts'
import { maintain } from './maintenance.ts'
import { rediscoverAll } from './queue.ts'
import { fill } from './spaces.ts'

/** What the queue holds, by kind. */
const kinds: Record<string, (ctx: Context, job: ClaimedJob) => Promise<void>> = {
  discover,
  fill,
  rediscover: discover,
  rediscover_all: rediscoverAll,
  async maintain(ctx, job) {
    await maintain(ctx)
    await completeJob(ctx, job)
  },
}

/** Longest time for one job; it is tried again after that. */
const JOB_MS = 120_000

/** Does one job of the queue and settles it. */
export async function doJob(app: App, job: ClaimedJob, signal: AbortSignal): Promise<void> {
  const work = kinds[job.kind]
  if (!work) throw new Error(`There is no work of the kind ${job.kind}`)
  using limit = timeLimit(signal, JOB_MS)
  try {
    await work(contextOf(app, job, limit.signal), job)
    app.feed.notice(job.tenant)
  } catch (error) {
    throw limit.isOver() ? new TooLong(`it took longer than ${JOB_MS / 1000} s`, { cause: error }) : error
  }
}

/** A job that took all its time: a try of it, however it ended. */
class TooLong extends Error {}

const contextOf = (app: App, job: ClaimedJob, signal: AbortSignal): Context => ({
  app,
  ...app.embeddings.active(),
  tenant: job.tenant,
  scopes: new Set(),
  operator: false,
  requestId: job.id,
  signal,
  log: app.log.child({ job: job.id, tenant: job.tenant }),
})

/** A provider or a database that is down is no fault of the job; a text that the provider refuses is. */
export function judgeSetback(error: unknown, log: Log) {
  const reason = error instanceof Error ? error.message : String(error)
  if (error instanceof EmbeddingUnavailable)
    return {
      reason,
      retryAfterMs: error.retryAfterMs,
      hopeless: error.itemFault && error.permanent,
      external: !error.itemFault,
    }
  if (error instanceof ServiceError) return { reason, retryAfterMs: null, hopeless: false, external: true }
  if (error instanceof TooLong) return { reason, retryAfterMs: null, hopeless: false, external: false }
  log.error({ error: error instanceof Error ? error.stack : String(error) }, 'fault in a job')
  return {
    reason: 'an unexpected fault; the log of the service has it',
    retryAfterMs: null,
    hopeless: false,
    external: false,
  }
}
