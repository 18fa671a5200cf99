import { ownerOf } from '../../contract/private.ts'
import { ServiceError } from '../../contract/problems.ts'
import * as store from '../../store/access/tenants.ts'
import type { Handler } from '../handler.ts'
import { eraseWithReceipt } from '../lifecycle/erasure.ts'
import { operatorOnly } from './operator.ts'

/** Reads one more than is returned: it says whether there are more. */
export const listTenants: Handler<'listTenants'> = async (ctx, { limit, after = '' }) => {
  operatorOnly(ctx)
  const found = await store.listTenants(ctx, after, limit + 1)
  const tenants = found.slice(0, limit)
  return { tenants, next_after: found.length > limit ? (tenants.at(-1)?.tenant ?? null) : null }
}

/** One receipt, in the tenant, for it and the private memories of its owners. */
export const eraseTenant: Handler<'eraseTenant'> = async (ctx, { tenant }) => {
  operatorOnly(ctx)
  const inside = { ...ctx, tenant }
  const owned = ownerOf(tenant) === undefined ? await store.privateTenants(inside, tenant) : []
  const has = await Promise.all([tenant, ...owned].map(name => store.isTenant(inside, name)))
  if (!has.includes(true)) throw new ServiceError('tenant_not_found', `There is no tenant ${tenant}.`)
  return eraseWithReceipt(inside, { of: 'tenant' })
}
