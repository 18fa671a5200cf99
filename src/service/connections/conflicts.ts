import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import * as store from '../../store/connections/conflicts.ts'
import { withMemoryLocks } from '../../store/memories/lock.ts'

/** Reads one more than is returned: it says whether there are more. */
export async function listConflicts(
  ctx: Context,
  { limit, offset }: Parsed<'listConflicts'>,
): Promise<Output<'listConflicts'>> {
  const found = await store.listConflicts(ctx, { limit: limit + 1, offset })
  return { conflicts: found.slice(0, limit), has_more: found.length > limit, limit, offset }
}

export async function resolveConflict(
  ctx: Context,
  { keep_id: keepId, archive_id: archiveId, reason }: Parsed<'resolveConflict'>,
): Promise<Output<'resolveConflict'>> {
  if (keepId === archiveId)
    throw invalid('/archive_id', 'same_memory', 'must be another memory than `keep_id`')
  const writeId = mintId()
  const resolved = await withMemoryLocks(ctx, [keepId, archiveId], () =>
    store.resolveConflict(ctx, { keepId, archiveId, reason }, writeId),
  )
  switch (resolved) {
    case 'resolved':
      return { kept_id: keepId, archived_id: archiveId, archived_reason: 'superseded' }
    case 'missing':
      throw new ServiceError('memory_not_found', `There is no memory ${keepId}, or no memory ${archiveId}.`)
    case 'archived':
      throw new ServiceError('memory_archived', 'One of the two memories is archived: there is no conflict.')
    case 'unconnected':
      throw new ServiceError(
        'connection_not_found',
        `Neither of ${keepId} and ${archiveId} contradicts the other.`,
      )
  }
}
