import { ServiceError } from '../../contract/problems.ts'
import * as store from '../../store/jobs/jobs.ts'
import type { Handler } from '../handler.ts'
import { pauseOf } from './queue.ts'

export const listJobs: Handler<'listJobs'> = async (ctx, input) => {
  const filter = { state: input.state, kind: input.kind, memoryId: input.memory_id }
  const [jobs, counts, pause] = await Promise.all([
    store.listJobs(ctx, filter, input.limit + 1),
    store.countJobs(ctx, filter),
    pauseOf(ctx),
  ])
  return { jobs: jobs.slice(0, input.limit), counts, has_more: jobs.length > input.limit, ...pause }
}

export const retryJob: Handler<'retryJob'> = async (ctx, { id }) => {
  const retried = await store.retryJob(ctx, id)
  if (!retried) throw new ServiceError('job_not_found', `There is no job ${id}.`)
  if (!retried.wasFailed)
    throw new ServiceError('job_not_failed', `The job ${id} is ${retried.job.state}, not failed.`)
  ctx.app.wake()
  return retried.job
}
