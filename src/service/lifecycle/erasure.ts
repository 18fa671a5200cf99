import { createHash } from 'node:crypto'
import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import type { ErasureReceipt } from '../../contract/erasures.ts'
import type { Parsed } from '../../contract/index.ts'
import { ownerOf } from '../../contract/private.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import * as tenants from '../../store/access/tenants.ts'
import { deleteOldChanges } from '../../store/feed/feed.ts'
import { continueJob } from '../../store/jobs/ending.ts'
import type { LeasedJob } from '../../store/jobs/leases.ts'
import { countErasure, isLeft, isMatched } from '../../store/lifecycle/erase.ts'
import * as receipts from '../../store/lifecycle/receipts.ts'
import { isFiltered } from '../../store/memories/filter.ts'
import { untilEarlierEnded } from '../../store/neo4j/earlier-transactions.ts'
import type { Handler } from '../handler.ts'
import { toFilter } from '../memories/filters.ts'
import { refuseEmptyFilters } from './forget.ts'

/** What an erasure is of: the memories that match, all of a tenant, or the tenant with all that it has. */
type Asked = {
  readonly filters?: Parsed<'eraseMemories'>['filters']
  readonly of: 'matching' | 'all' | 'tenant'
}

export const eraseMemories: Handler<'eraseMemories'> = async (ctx, { filters, all, dry_run }) => {
  refuseEmptyFilters(filters)
  const filter = toFilter(filters)
  if (all === isFiltered(filter))
    throw invalid(
      '/filters',
      'custom',
      all ? 'must be left out where `all` is true' : 'must have at least one filter',
    )
  if (!dry_run) return eraseWithReceipt(ctx, all ? { of: 'all' } : { filters, of: 'matching' })
  const counts = await countErasure(ctx, filter)
  const [at, requested_by] = [new Date().toISOString(), ctx.key ?? 'operator']
  return {
    id: null,
    state: 'dry_run',
    requested_by,
    at,
    counts,
    digest: null,
    verified: false,
    complete: false,
  }
}

export const getErasure: Handler<'getErasure'> = async (ctx, { id }) => {
  const receipt = await receipts.findReceipt(ctx, id)
  if (!receipt) throw new ServiceError('erasure_not_found', `There is no erasure ${id}.`)
  return receipt
}

/** Erases for half of the time for a request. What is left then is done by a job. */
export async function eraseWithReceipt(ctx: Context, asked: Asked): Promise<ErasureReceipt> {
  const of = { asked: JSON.stringify(asked), closes: asked.of !== 'matching' }
  const id = await receipts.beginErasure(ctx, mintId(), of)
  await resume(ctx, id, ctx.app.config.requestTimeoutMs / 2)
  return getErasure(ctx, { id })
}

/** Resumes an erasure that was stopped, for so long. Its last step ends the job. */
export async function continueErasure(ctx: Context, job: LeasedJob, forMs: number): Promise<void> {
  if (!(await resume(ctx, receipts.erasureOfJob(job.id), forMs))) await continueJob(ctx, job)
}

/** Returns whether the erasure has ended. */
async function resume(ctx: Context, id: string, forMs: number): Promise<boolean> {
  const until = performance.now() + forMs
  const erasure = await receipts.findErasure(ctx, id)
  if (!erasure) return true
  const asked = JSON.parse(erasure.asked) as Asked
  const filter = toFilter(asked.filters)
  if (erasure.parts === null) {
    const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(forMs)])
    if (!(await closed({ ...ctx, signal }, id, asked))) return false
  }
  while (await receipts.eraseStep(ctx, id, filter)) if (performance.now() > until) return false
  await complete(ctx, id, asked)
  return true
}

/** Makes sure that nobody writes any more, and finds out over which tenants to walk. False if the time was over before. */
async function closed(ctx: Context, id: string, { of }: Asked): Promise<boolean> {
  try {
    if (of === 'tenant') await tenants.removeKeys(ctx, ctx.tenant)
    await untilEarlierEnded(ctx)
    const isWhole = of === 'tenant' && ownerOf(ctx.tenant) === undefined
    const owned = isWhole ? await tenants.privateTenants(ctx, ctx.tenant) : []
    await receipts.setParts(ctx, id, [...owned, ctx.tenant])
    return true
  } catch (error) {
    if (ctx.signal.aborted) return false
    throw error
  }
}

async function complete(ctx: Context, id: string, asked: Asked) {
  const filter = toFilter(asked.filters)
  const parts = (await receipts.findErasure(ctx, id))?.tenants ?? []
  const removes = asked.of === 'tenant'
  let verified = true
  for (const tenant of parts) {
    if (removes) await removeRemains({ ...ctx, tenant })
    verified &&=
      !(await isMatched(ctx, tenant, filter)) && !(removes && (await tenants.isTenant(ctx, tenant)))
  }
  const ids = new Set<string>()
  for (const step of await receipts.readErased(ctx, id)) {
    for (const each of step.ids) ids.add(each)
    verified &&= !(await isLeft(ctx, step.tenant, step.ids))
  }
  const digest = createHash('sha256')
    .update([...ids].sort().join('\n'))
    .digest('hex')
  // The owner of private memories keeps the key, and may write again.
  const staysClosed = removes && ownerOf(ctx.tenant) === undefined
  await receipts.completeErasure(ctx, id, { digest, verified, staysClosed })
  ctx.log.info({ erasure: id, memories: ids.size, verified }, 'memories were erased')
}

async function removeRemains(ctx: Context) {
  await tenants.removeRemains(ctx, ctx.tenant)
  await deleteOldChanges(ctx, 0)
  ctx.app.feed.notice(ctx.tenant)
}
