import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import type { PlannedChange } from '../lifecycle/figures.ts'
import { restoreIn } from '../memories/archive.ts'
import { lockMemories } from '../memories/lock.ts'
import { supersede } from '../memories/supersede.ts'
import { int, type Transaction, transact } from '../neo4j/statements.ts'

type Frame = {
  /** Comes first. False when an earlier try has done everything and its answer was lost. */
  begin: (transaction: Transaction) => Promise<boolean>
  /** What it throws undoes it all. */
  refuse: () => Error
}

/** Archives a memory in favour of the one that a plan names, if both still say what they said. */
export const supersedePlanned = (
  ctx: Context,
  { memory_id: oldId, supersededBy }: PlannedChange,
  writeId: string,
  { begin, refuse }: Frame,
): Promise<void> =>
  transact(ctx, async transaction => {
    if (!(await begin(transaction))) return
    const { tenant } = ctx
    const id = String(supersededBy?.id)
    await lockMemories(transaction, [
      { tenant, id },
      { tenant, id: oldId },
    ])
    const [current] = await transaction.run(bothCurrent, {
      tenant,
      id,
      oldId,
      revision: int(supersededBy?.revision ?? 0),
      ofRevision: int(supersededBy?.ofRevision ?? 0),
    })
    if (!current) throw refuse()
    await supersede(transaction, ctx, [{ id, oldId, writeId }])
  })

const bothCurrent = `CYPHER 25
  MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id)
  MATCH (old:Memory {tenant: $tenant, id: $oldId}) USING INDEX SEEK old:Memory(tenant, id)
  WHERE m.state = 'active' AND old.state = 'active' AND m.revision = $revision AND old.revision = $ofRevision
  RETURN m.id AS id`

/** Brings back a memory that a plan has archived, unless it has changed since. Returns the ids of those that stay as they are. */
export function revertSupersession(
  ctx: Context,
  _runId: string,
  changes: readonly PlannedChange[],
  begin: Frame['begin'],
): Promise<string[]> {
  let skipped: string[] = []
  const writeId = mintId()
  return transact(ctx, async transaction => {
    if (!(await begin(transaction))) return skipped
    const stayed: string[] = []
    for (const { memory_id: oldId, supersededBy } of changes) {
      const parameters = { tenant: ctx.tenant, oldId, id: supersededBy?.id ?? null }
      const [superseded] = await transaction.run(stillSuperseded, parameters)
      if (superseded) await restoreIn(transaction.run, ctx, oldId, writeId)
      else stayed.push(oldId)
    }
    skipped = stayed
    return skipped
  })
}

const stillSuperseded = `CYPHER 25
  MATCH (m:Memory {tenant: $tenant, id: $oldId}) USING INDEX SEEK m:Memory(tenant, id)
  WHERE m.state = 'archived' AND m.archivedReason = 'superseded' AND m.supersededBy = $id
  RETURN m.id AS id`
