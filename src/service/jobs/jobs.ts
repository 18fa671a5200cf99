import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { ServiceError } from '../../contract/problems.ts'
import * as store from '../../store/jobs/jobs.ts'
import { pauseOf } from './queue.ts'

export async function listJobs(ctx: Context, input: Parsed<'listJobs'>): Promise<Output<'listJobs'>> {
  const filter = { state: input.state, kind: input.kind, memoryId: input.memory_id }
  const [jobs, counts, pause] = await Promise.all([
    store.listJobs(ctx, filter, input.limit + 1),
    store.countJobs(ctx, filter),
    pauseOf(ctx),
  ])
  return { jobs: jobs.slice(0, input.limit), counts, has_more: jobs.length > input.limit, ...pause }
}

export async function retryJob(ctx: Context, { id }: Parsed<'retryJob'>): Promise<Output<'retryJob'>> {
  const retried = await store.retryJob(ctx, id)
  if (!retried) throw new ServiceError('job_not_found', `There is no job ${id}.`)
  if (!retried.wasFailed)
    throw new ServiceError('job_not_failed', `The job ${id} is ${retried.job.state}, not failed.`)
  ctx.app.wake()
  return retried.job
}
