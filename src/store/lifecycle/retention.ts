import type { Context } from '../../context.ts'
import { removeWithAll } from '../memories/remove.ts'
import { clear } from '../neo4j/clear.ts'
import { lock, unlock } from '../neo4j/lock.ts'
import { int, write } from '../neo4j/statements.ts'
import { removeChanges } from './run-changes.ts'

/** For so long a run can be undone. */
export const UNDO_DAYS = 7
/** For so long a plan that nobody applies is kept. */
const PLAN_DAYS = 1
const RUNS_KEPT_DAYS = 90
/** What can no longer be undone stays a little longer: an undo may be in progress. */
const GRACE_HOURS = 1

/** Ends what can no longer be undone: removed memories, folded recalls, changes of runs; and what is over: jobs, pauses. */
export async function applyRetention(ctx: Context): Promise<void> {
  const parameters = {
    tenant: ctx.tenant,
    undo: int(UNDO_DAYS),
    plan: int(PLAN_DAYS),
    kept: int(RUNS_KEPT_DAYS),
    grace: int(GRACE_HOURS),
  }
  for (const statement of many) await clear(ctx, statement, parameters)
  for (const statement of few) await write(ctx, statement, parameters)
}

const beyondUndo = "datetime.realtime('Z') - duration({days: $undo, hours: $grace})"

const many = [
  // Before their memories, of which a few may have very many.
  `MATCH (m:RemovedMemory) WHERE m.tenant = $tenant AND m.removedAt < ${beyondUndo}
  MATCH (m)-[r WHERE r.removedKey IS NOT NULL]-()
  WITH DISTINCT r LIMIT $most
  DELETE r
  RETURN count(*) AS cleared`,
  `MATCH (m:RemovedMemory) WHERE m.tenant = $tenant AND m.removedAt < ${beyondUndo}
  WITH m LIMIT $most
  ${removeWithAll('m')}
  RETURN count(*) AS cleared`,
  `MATCH (r:Recall) WHERE r.tenant = $tenant AND r.at < ${beyondUndo}
    AND r.foldedBy IS NOT NULL AND coalesce(r.foldedAt, r.at) < ${beyondUndo}
  WITH r LIMIT $most
  DETACH DELETE r
  RETURN count(*) AS cleared`,
  `MATCH (j:Job) WHERE j.tenant = $tenant AND j.id IS NOT NULL AND j.state = 'done'
    AND j.createdAt < datetime.realtime('Z') - duration({days: $undo})
  WITH j ORDER BY j.id LIMIT $most
  ${lock('j')}
  WITH j, j.state = 'done' AS over
  ${unlock('j')}
  FOREACH (_ IN CASE WHEN over THEN [1] ELSE [] END | DETACH DELETE j)
  RETURN count(*) AS cleared`,
]

const few = [
  `MATCH (r:MaintenanceRun) WHERE r.tenant = $tenant AND r.id IS NOT NULL
    AND r.createdAt < datetime.realtime('Z') - duration({days: $plan})
  WITH r, CASE
    WHEN r.state = 'planned' THEN 'delete'
    WHEN coalesce(r.appliedAt, r.createdAt) >= ${beyondUndo} THEN 'keep'
    WHEN r.state = 'waiting' OR r.createdAt < datetime.realtime('Z') - duration({days: $kept}) THEN 'delete'
    ELSE 'shorten' END AS fate
  WHERE fate <> 'keep'
  ${removeChanges('r')}
  WITH r WHERE fate = 'delete'
  DETACH DELETE r`,
  `MATCH (p:Setting) WHERE p.pauses = $tenant AND p.until < datetime.realtime('Z') - duration({days: $plan})
  DELETE p`,
  `MATCH (u:ModelUse) WHERE u.tenant = $tenant AND u.day < toString(date(datetime.realtime('Z')) - duration({days: $kept}))
  DELETE u`,
]
