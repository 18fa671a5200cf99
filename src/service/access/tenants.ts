import type { Context } from '../../context.ts'
import type { ErasureReceipt } from '../../contract/erasures.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { ownerOf } from '../../contract/private.ts'
import { ServiceError } from '../../contract/problems.ts'
import * as store from '../../store/access/tenants.ts'
import { deleteOldChanges } from '../../store/feed/feed.ts'
import { eraseWithReceipt } from '../lifecycle/erasure.ts'
import { toFilter } from '../memories/filters.ts'
import { operatorOnly } from './operator.ts'

/** Reads one more than is returned: it says whether there are more. */
export async function listTenants(
  ctx: Context,
  { limit, after = '' }: Parsed<'listTenants'>,
): Promise<Output<'listTenants'>> {
  operatorOnly(ctx)
  const found = await store.listTenants(ctx, after, limit + 1)
  const tenants = found.slice(0, limit)
  return { tenants, next_after: found.length > limit ? (tenants.at(-1)?.tenant ?? null) : null }
}

/** The keys go first, so that nobody writes in the meantime; then the private memories of the owners. */
export async function eraseTenant(
  ctx: Context,
  { tenant }: Parsed<'eraseTenant'>,
): Promise<Output<'eraseTenant'>> {
  operatorOnly(ctx)
  const inside = { ...ctx, tenant }
  const owned = ownerOf(tenant) === undefined ? await store.privateTenants(inside, tenant) : []
  const all: string[] = []
  for (const name of [tenant, ...owned]) if (await store.isTenant(inside, name)) all.push(name)
  if (all.length === 0) throw new ServiceError('tenant_not_found', `There is no tenant ${tenant}.`)
  await store.removeKeys(inside, tenant)
  const receipts = []
  for (const name of [...all.filter(name => name !== tenant), tenant]) {
    const receipt = await eraseOne({ ...ctx, tenant: name })
    receipts.push(receipt)
    if (!receipt.complete) break
  }
  return withCounts(receipts)
}

async function eraseOne(ctx: Context): Promise<ErasureReceipt> {
  const receipt = await eraseWithReceipt(ctx, toFilter())
  if (!receipt.complete) return receipt
  await store.removeRemains(ctx, ctx.tenant)
  await deleteOldChanges(ctx, 0)
  ctx.app.feed.notice(ctx.tenant)
  return receipt
}

/** The last receipt, with what all of them count. */
function withCounts(receipts: readonly ErasureReceipt[]): ErasureReceipt {
  const last = receipts.at(-1) as ErasureReceipt
  const names = Object.keys(last.counts) as (keyof ErasureReceipt['counts'])[]
  const counts = { ...last.counts }
  for (const name of names) counts[name] = receipts.reduce((total, each) => total + each.counts[name], 0)
  return { ...last, counts, verified: receipts.every(({ verified }) => verified) }
}
