import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
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

/** The keys go first, so that nobody writes in the meantime. */
export async function eraseTenant(
  ctx: Context,
  { tenant }: Parsed<'eraseTenant'>,
): Promise<Output<'eraseTenant'>> {
  operatorOnly(ctx)
  const inside = { ...ctx, tenant }
  if (!(await store.isTenant(inside, tenant)))
    throw new ServiceError('tenant_not_found', `There is no tenant ${tenant}.`)
  await store.removeKeys(inside, tenant)
  const receipt = await eraseWithReceipt(inside, toFilter())
  if (!receipt.complete) return receipt
  await store.removeRemains(inside, tenant)
  await deleteOldChanges(inside, 0)
  ctx.app.feed.notice(tenant)
  return receipt
}
