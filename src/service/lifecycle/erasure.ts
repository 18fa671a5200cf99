import { createHash } from 'node:crypto'
import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import type { ErasureCounts, ErasureReceipt } from '../../contract/erasures.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import {
  countErasure,
  eraseSome,
  eraseVersions,
  findReceipt,
  isErased,
  saveReceipt,
} from '../../store/lifecycle/erase.ts'
import { isFiltered, type MemoryFilter } from '../../store/memories/filter.ts'
import { toFilter } from '../memories/filters.ts'
import { refuseEmptyFilters } from './forget.ts'

/** Memories of one transaction. */
const AT_ONCE = 500
const VERSIONS_AT_ONCE = 5_000

export async function eraseMemories(
  ctx: Context,
  { filters, all, dry_run }: Parsed<'eraseMemories'>,
): Promise<Output<'eraseMemories'>> {
  refuseEmptyFilters(filters)
  const filter = toFilter(filters)
  if (all === isFiltered(filter))
    throw invalid(
      '/filters',
      'custom',
      all ? 'must be left out where `all` is true' : 'must have at least one filter',
    )
  if (dry_run) {
    const counts = await countErasure(ctx, filter)
    const at = new Date().toISOString()
    return {
      id: null,
      requested_by: ctx.key ?? 'operator',
      at,
      counts,
      digest: null,
      verified: false,
      complete: false,
    }
  }
  return eraseWithReceipt(ctx, filter)
}

/** Erases what matches, and keeps a receipt of it. The audit log names the receipt. */
export async function eraseWithReceipt(ctx: Context, filter: MemoryFilter): Promise<ErasureReceipt> {
  const id = mintId()
  const { ids, counts, complete } = await eraseInSteps(ctx, filter, id)
  const verified = complete && (await isErased(ctx, ids, filter))
  const digest = createHash('sha256').update(ids.toSorted().join('\n')).digest('hex')
  const at = Date.now()
  const receipt = { id, requested_by: ctx.key ?? 'operator', at, counts, digest, verified, complete }
  await saveReceipt(ctx, receipt)
  ctx.log.info({ erasure: id, memories: counts.memories }, 'memories were erased')
  return { ...receipt, at: new Date(at).toISOString() }
}

export async function getErasure(ctx: Context, { id }: Parsed<'getErasure'>): Promise<Output<'getErasure'>> {
  const receipt = await findReceipt(ctx, id)
  if (!receipt) throw new ServiceError('erasure_not_found', `There is no erasure ${id}.`)
  return receipt
}

const none: ErasureCounts = { memories: 0, connections: 0, versions: 0, recalls: 0, jobs: 0, answers: 0 }

/** Erases until nothing matches, or half of the time for the request is over. */
async function eraseInSteps(ctx: Context, filter: MemoryFilter, receipt: string) {
  const until = performance.now() + ctx.app.config.requestTimeoutMs / 2
  const ids: string[] = []
  let counts = none
  for (let isMore = true; isMore; ) {
    const erased = await eraseSome(ctx, filter, AT_ONCE, receipt)
    ids.push(...erased.ids)
    counts = sum(counts, erased.counts)
    isMore = erased.ids.length === AT_ONCE
    if (isMore && performance.now() > until) return { ids, counts, complete: false }
  }
  for (let isMore = true; isMore; ) {
    const versions = await eraseVersions(ctx, filter, VERSIONS_AT_ONCE)
    counts = sum(counts, { ...none, versions })
    isMore = versions === VERSIONS_AT_ONCE
    if (isMore && performance.now() > until) return { ids, counts, complete: false }
  }
  return { ids, counts, complete: true }
}

const sum = (a: ErasureCounts, b: ErasureCounts): ErasureCounts => ({
  memories: a.memories + b.memories,
  connections: a.connections + b.connections,
  versions: a.versions + b.versions,
  recalls: a.recalls + b.recalls,
  jobs: a.jobs + b.jobs,
  answers: a.answers + b.answers,
})
