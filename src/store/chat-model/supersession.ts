import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import type { Frame } from '../lifecycle/apply.ts'
import type { PlannedChange } from '../lifecycle/figures.ts'
import type { Revert } from '../lifecycle/undo.ts'
import { restoreIn } from '../memories/archive.ts'
import { lockMemories } from '../memories/lock.ts'
import { supersede } from '../memories/supersede.ts'
import { int, transact } from '../neo4j/statements.ts'

/** Archives a memory in favour of the one that a plan names, if both still say what they said. What `refuse` makes undoes it all. */
export const supersedePlanned = (
  ctx: Context,
  { memory_id: oldId, supersededBy }: PlannedChange,
  writeId: string,
  { begin, finish, refuse }: Frame<void> & { refuse: () => Error },
): Promise<void> =>
  transact(ctx, async transaction => {
    const { tenant } = ctx
    const id = String(supersededBy?.id)
    await lockMemories(transaction, [
      { tenant, id },
      { tenant, id: oldId },
    ])
    if (!(await begin(transaction))) return
    const [current] = await transaction.run(bothCurrent, {
      tenant,
      id,
      oldId,
      revision: int(supersededBy?.revision ?? 0),
      ofRevision: int(supersededBy?.ofRevision ?? 0),
    })
    if (!current) throw refuse()
    await supersede(transaction, ctx, [{ id, oldId, writeId }])
    await finish(transaction)
  })

const bothCurrent = `CYPHER 25
  MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id)
  MATCH (old:Memory {tenant: $tenant, id: $oldId}) USING INDEX SEEK old:Memory(tenant, id)
  WHERE m.state = 'active' AND old.state = 'active' AND m.revision = $revision AND old.revision = $ofRevision
  RETURN m.id AS id`

/** Brings back a memory that a plan has archived, unless it has changed since. */
export const revertSupersession: Revert = async (ctx, { run }, _runId, changes) => {
  const stayed: string[] = []
  for (const { memory_id: oldId, supersededBy } of changes) {
    const parameters = { tenant: ctx.tenant, oldId, id: supersededBy?.id ?? null }
    const [superseded] = await run(stillSuperseded, parameters)
    if (superseded) await restoreIn(run, ctx, oldId, mintId())
    else stayed.push(oldId)
  }
  return stayed
}

const stillSuperseded = `CYPHER 25
  MATCH (m:Memory {tenant: $tenant, id: $oldId}) USING INDEX SEEK m:Memory(tenant, id)
  WHERE m.state = 'archived' AND m.archivedReason = 'superseded' AND m.supersededBy = $id
  RETURN m.id AS id`
