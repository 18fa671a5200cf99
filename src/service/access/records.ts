import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { ownerOf } from '../../contract/private.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import { restoreEntries } from '../../store/access/audit.ts'
import { createRecords, readRecords } from '../../store/access/records.ts'
import { openRemoved } from '../../store/access/tenants.ts'
import { numberChanges } from '../../store/feed/feed.ts'
import { operatorOnly } from './operator.ts'

export async function exportRecords(
  ctx: Context,
  { tenant }: Parsed<'exportRecords'>,
): Promise<Output<'exportRecords'>> {
  operatorOnly(ctx)
  return readRecords({ ...ctx, tenant })
}

/** The audit log comes first, as what else is restored is recorded in it. */
export async function importRecords(
  ctx: Context,
  { tenant, entries, keys, webhooks, quota }: Parsed<'importRecords'>,
): Promise<Output<'importRecords'>> {
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
