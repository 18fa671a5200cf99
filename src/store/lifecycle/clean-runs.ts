import type { Context } from '../../context.ts'
import type { MaintenanceRun } from '../../contract/maintenance.ts'
import { lockNow } from '../neo4j/lock.ts'
import { int, type Parameters } from '../neo4j/statements.ts'
import type { PlannedChange } from './figures.ts'

type Run = <T>(text: string, parameters: Parameters) => Promise<T[]>

/**
 * Takes memories that are removed for good out of what plans and runs keep, of all kinds or of some. A plan that was not applied goes as a whole: without
 * them it would be another plan.
 */
export async function cleanRuns(
  ctx: Context,
  { run }: { run: Run },
  ids: readonly string[],
  kinds?: readonly MaintenanceRun['kind'][],
): Promise<void> {
  if (ids.length === 0) return
  const parameters = { tenant: ctx.tenant, ids, kinds: kinds ?? null }
  await run(dropOpenPlans, parameters)
  const rows = await run<{ run: string; number: number; json: string }>(changesOfRuns, parameters)
  const removed = new Set(ids)
  const cleaned = rows.map(({ run: id, number, json }) => {
    const changes = JSON.parse(json) as PlannedChange[]
    return {
      run: id,
      number: int(number),
      json: JSON.stringify(changes.flatMap(each => without(each, removed))),
    }
  })
  if (cleaned.length > 0) await run(keepCleaned, { tenant: ctx.tenant, cleaned })
}

const ANY_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** A memory that took over from a removed one keeps its change, but not what it took over: an undo needs only what was before. */
function without(change: PlannedChange, removed: ReadonlySet<string>): PlannedChange[] {
  if (removed.has(change.memory_id)) return []
  const { supersededBy } = change
  if (supersededBy && removed.has(supersededBy.id))
    return [{ ...change, reason: 'superseded by a removed memory' }]
  const { mergedIds, before, after } = change
  const reason = change.reason.replaceAll(ANY_ID, id => (removed.has(id) ? 'a removed memory' : id))
  if (!mergedIds?.some(id => removed.has(id))) return [{ ...change, reason }]
  const { given } = before
  return [
    {
      ...change,
      reason,
      mergedIds: mergedIds.filter(id => !removed.has(id)),
      after: { ...after, ...(given && { given }) },
    },
  ]
}

/** What plans and runs keep of memories, those of `$kinds` alone where it is not null. */
export const changesAbout = `MATCH (r:MaintenanceRun) WHERE r.tenant = $tenant AND r.createdAt IS NOT NULL AND r.id IS NOT NULL
    AND ($kinds IS NULL OR r.kind IN $kinds)
  MATCH (c:MaintenanceChanges {runId: r.id}) WHERE c.tenant = $tenant AND any(id IN $ids WHERE c.json CONTAINS id)`

const dropOpenPlans = `CYPHER 25
  ${changesAbout}
  WITH DISTINCT r WHERE r.state IN ['planned', 'waiting']
  CALL (r) { MATCH (c:MaintenanceChanges {runId: r.id}) WHERE c.tenant = $tenant DETACH DELETE c }
  DETACH DELETE r`

const changesOfRuns = `CYPHER 25
  ${changesAbout}
  ${lockNow('c')}
  RETURN c.runId AS run, 1.0 * c.number AS number, c.json AS json`

const keepCleaned = `CYPHER 25
  UNWIND $cleaned AS row
  MATCH (c:MaintenanceChanges {runId: row.run}) WHERE c.tenant = $tenant AND c.number = row.number
  SET c.json = row.json`
