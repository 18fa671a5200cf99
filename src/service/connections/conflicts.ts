import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import { audit } from '../../store/access/audit.ts'
import * as store from '../../store/connections/conflicts.ts'
import type { ConnectionPlace } from '../../store/connections/connections.ts'
import { listSuspicions, placeOfSuspicion, type SuspicionPlace } from '../../store/connections/suspicions.ts'
import { withMemoryLocks } from '../../store/memories/lock.ts'
import { lockStates } from '../../store/memories/states.ts'
import { transact } from '../../store/neo4j/statements.ts'
import type { Handler } from '../handler.ts'
import { isUnexpected } from '../memories/rules.ts'
import { archiveSuperseded, type Superseding } from '../memories/supersede.ts'
import { readPageOf } from '../pages.ts'
import { confirmSuspicion } from './suspicions.ts'

export const listConflicts: Handler<'listConflicts'> = async (ctx, input) => {
  const { status } = input
  if (status !== 'confirmed') return listSuspected(ctx, { ...input, status })
  const { page, ...rest } = await readPageOf<store.Conflict, ConnectionPlace>(ctx, 'listConflicts', input, {
    read: reach => store.listConflicts(ctx, reach),
    placeOf: page => placeOfConflict(page.at(-1) as store.Conflict),
  })
  return { conflicts: page.map(each => ({ ...each, status })), ...rest }
}

async function listSuspected(
  ctx: Context,
  input: Parsed<'listConflicts'> & { status: 'suggested' | 'rejected' },
): Promise<Output<'listConflicts'>> {
  const { status } = input
  const { page, ...rest } = await readPageOf<store.Conflict, SuspicionPlace>(ctx, 'listConflicts', input, {
    read: reach => listSuspicions(ctx, status, reach),
    placeOf: found => placeOfSuspicion(ctx, found.at(-1) as store.Conflict),
  })
  return { conflicts: page.map(each => ({ ...each, status })), ...rest }
}

const placeOfConflict = ({ source, target, created_at }: store.Conflict): ConnectionPlace => ({
  createdAt: Date.parse(created_at),
  sourceId: source.id,
  targetId: target.id,
  type: 'contradicts',
})

export const resolveConflict: Handler<'resolveConflict'> = async (
  ctx,
  { keep_id: keepId, archive_id: archiveId, reason },
) => {
  if (keepId === archiveId)
    throw invalid('/archive_id', 'same_memory', 'must be another memory than `keep_id`')
  const writeId = mintId()
  const because = `superseded by ${keepId}${reason === undefined ? '' : `: ${reason}`}`
  const pair = { id: keepId, oldId: archiveId, writeId, reason: because }
  const resolve = () => withMemoryLocks(ctx, [keepId, archiveId], () => archiveFor(ctx, pair))
  let resolved = await resolve()
  // Who keeps one of two that may contradict each other says that they do.
  if (resolved === 'unconnected' && (await confirmSuspicion(ctx, [keepId, archiveId])))
    resolved = await resolve()
  switch (resolved) {
    case 'resolved':
      return { kept_id: keepId, archived_id: archiveId, archived_reason: 'superseded' }
    case 'missing':
      throw new ServiceError('memory_not_found', `There is no memory ${keepId}, or no memory ${archiveId}.`)
    case 'archived':
      throw new ServiceError('memory_archived', 'One of the two memories is archived: there is no conflict.')
    case 'version_mismatch':
      throw new ServiceError(
        'version_mismatch',
        `The memory ${archiveId} is no longer at the version that was named.`,
      )
    case 'unconnected':
      throw new ServiceError(
        'connection_not_found',
        `Neither of ${keepId} and ${archiveId} contradicts the other.`,
      )
  }
}

type Resolved = 'resolved' | 'missing' | 'archived' | 'unconnected' | 'version_mismatch'

/** Archives one of two active memories that contradict each other in favour of the other one. */
const archiveFor = (ctx: Context, pair: Superseding): Promise<Resolved> =>
  transact(ctx, async (transaction): Promise<Resolved> => {
    const { tenant } = ctx
    const { id, oldId, writeId } = pair
    const states = await lockStates(transaction, ctx.space, [
      { tenant, id },
      { tenant, id: oldId, writeId },
    ])
    const [kept, old] = [id, oldId].map(each => states.find(state => state.id === each))
    if (!kept || !old) return 'missing'
    if (!old.isWritten) {
      if (kept.state !== 'active' || old.state !== 'active') return 'archived'
      if (isUnexpected(old, ctx)) return 'version_mismatch'
      if (!(await store.areOpposed(transaction, tenant, [id, oldId]))) return 'unconnected'
      await archiveSuperseded(transaction, ctx, [pair], states)
    }
    await audit(ctx, transaction, { target: oldId })
    return 'resolved'
  })
