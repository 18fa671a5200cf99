import type { App, Context } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'
import { ModelUnavailable } from '../../platform/chat-model/failures.ts'
import { EmbeddingUnavailable } from '../../platform/embeddings/index.ts'
import type { Log } from '../../platform/log.ts'
import { NoRoomError } from '../../platform/thread-room.ts'
import { timeLimit } from '../../platform/time-limit.ts'
import type { LeasedJob } from '../../store/jobs/leases.ts'
import { failedForAll } from '../../store/neo4j/failures.ts'
import { extractFacts } from '../chat-model/extraction.ts'
import { judge } from '../chat-model/judge.ts'
import { discover } from '../connections/discovery.ts'
import { measureTenant } from '../connections/rules.ts'
import { fillSpace } from '../embeddings/spaces.ts'
import { analyseGraph } from '../graph/communities/analyse.ts'
import { continueErasure } from '../lifecycle/erasure.ts'
import { maintainInSteps } from '../lifecycle/scheduled.ts'
import { jobsOf } from '../memories/waiting.ts'
import { rediscoverAll } from './queue.ts'

/** What the queue holds, by kind. */
const kinds: Record<string, (ctx: Context, job: LeasedJob) => Promise<void>> = {
  discover,
  fill: fillSpace,
  measure: measureTenant,
  rediscover: discover,
  rediscover_all: rediscoverAll,
  analyse: analyseGraph,
  extract: extractFacts,
  judge,
  erase: (ctx, job) => continueErasure(ctx, job, RUNS_MS),
  maintain: (ctx, job) => maintainInSteps(ctx, job, RUNS_MS),
}

/** The longest time for one job. The worker retries it after that. */
const JOB_MS = 120_000
/** A large graph is read and written page by page, and none of it is in the way of others. */
const ANALYSIS_MS = 30 * 60_000
/** The time for one step of an erasure or of maintenance. Its last plan and run use the rest. */
const RUNS_MS = JOB_MS / 2

/** Does one job of the queue and ends it. */
export function runJob(app: App, job: LeasedJob, signal: AbortSignal): Promise<void> {
  const { tracing } = app.neo4j
  if (!tracing) return doJob(app, job, signal)
  const attributes = { 'mnemograph.job': job.id, 'mnemograph.tenant': job.tenant }
  const options = { name: `job ${job.kind}`, kind: 'consumer', attributes, parent: job.trace } as const
  return tracing.span(options, () => doJob(app, job, signal))
}

async function doJob(app: App, job: LeasedJob, signal: AbortSignal): Promise<void> {
  const work = kinds[job.kind]
  if (!work) throw new Error(`There is no handler for jobs of the kind ${job.kind}`)
  const longestMs = job.kind === 'analyse' ? ANALYSIS_MS : JOB_MS
  using limit = timeLimit(signal, longestMs)
  try {
    await work(backgroundContext(app, job, limit.signal), job)
    app.feed.notice(job.tenant)
    app.notices.give(jobsOf(job.tenant, job.memoryId))
  } catch (error) {
    throw limit.isOver() ? new TooLong(`it took longer than ${longestMs / 1000} s`, { cause: error }) : error
  }
}

/** A job that took all its time: a try of it, however it ended. */
class TooLong extends Error {}

/** What the service does on its own for a tenant, under the name `id`. */
export const backgroundContext = (
  app: App,
  { id, tenant }: Pick<LeasedJob, 'id' | 'tenant'>,
  signal: AbortSignal,
): Context => ({
  app,
  ...app.embeddings.active(),
  tenant,
  scopes: new Set(),
  operator: false,
  requestId: id,
  signal,
  log: app.log.child({ job: id, tenant }),
})

/**
 * A provider or a database that is down is no fault of the job; a text that the provider refuses is, and so is a
 * statement that fails while the database is there.
 */
export function toJobFailure(error: unknown, log: Log) {
  const reason = error instanceof Error ? error.message : String(error)
  if (error instanceof EmbeddingUnavailable)
    return {
      reason,
      retryAfterMs: error.retryAfterMs,
      isPermanent: error.itemFault && error.permanent,
      external: !error.itemFault,
    }
  if (error instanceof ModelUnavailable)
    return {
      reason,
      retryAfterMs: error.retryAfterMs,
      isPermanent: error.isFinal,
      external: !error.ofQuestion,
      ofTenant: error.ofTenant,
    }
  const failure = { reason, retryAfterMs: null, isPermanent: false, external: failedForAll(error) }
  if (error instanceof NoRoomError) return { ...failure, retryAfterMs: REST_MS }
  if (failure.external || error instanceof TooLong || isClosed(error)) return failure
  const isOfDatabase = error instanceof ServiceError
  const fault = isOfDatabase ? error.cause : error
  log.error({ error: fault instanceof Error ? fault.stack : String(fault) }, 'fault in a job')
  return {
    ...failure,
    reason: 'an unexpected fault; the log of the service has it',
    retryAfterMs: isOfDatabase ? REST_MS : null,
  }
}

/** What an erasure of its tenant has not come to yet. */
const isClosed = (error: unknown) => error instanceof ServiceError && error.code === 'tenant_closed'

/** A process or a database that is short of memory may have more of it in some minutes: not all tries are to be over by then. */
const REST_MS = 60_000
