import { ownerOf } from '../../contract/private.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import { restoreEntries } from '../../store/access/audit.ts'
import { createRecords, readRecords } from '../../store/access/records.ts'
import { openRemoved } from '../../store/access/tenants.ts'
import { numberChanges } from '../../store/feed/feed.ts'
import type { Handler } from '../handler.ts'
import { operatorOnly } from './operator.ts'

export const exportRecords: Handler<'exportRecords'> = async (ctx, { tenant }) => {
  operatorOnly(ctx)
  return readRecords({ ...ctx, tenant })
}

/** The audit log comes first, as what else is restored is recorded in it. */
export const importRecords: Handler<'importRecords'> = async (
  ctx,
  { tenant, entries, keys, webhooks, quota },
) => {
  operatorOnly(ctx)
  if (ownerOf(tenant) !== undefined && keys.length > 0)
    throw invalid('/keys', 'private', 'must be empty: keys belong to tenants, not to private memories')
  const inside = { ...ctx, tenant }
  await openRemoved(ctx, tenant)
  const restored = entries.length === 0 ? 0 : await restoreEntries(inside, entries)
  if (restored === undefined)
    throw new ServiceError('audit_log_differs', `The audit log of ${tenant} has other entries.`)
  const isMore = keys.length > 0 || webhooks.length > 0 || quota !== null
  if (!isMore) return { keys: 0, webhooks: 0, entries: restored }
  const { last: position } = await numberChanges(inside)
  const created = await createRecords(inside, { keys, webhooks, quota, position })
  ctx.app.quotas.forget()
  return { ...created, entries: restored }
}
