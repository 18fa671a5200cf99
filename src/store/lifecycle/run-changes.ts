import type { MaintenanceRun } from '../../contract/maintenance.ts'
import { lockNow } from '../neo4j/lock.ts'
import { int, type Running } from '../neo4j/statements.ts'
import type { PlannedChange } from './figures.ts'

const ANY_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Changes as a run keeps them: nodes, each found by its memory and by every other one that it tells of. */
export const changeRows = (changes: readonly PlannedChange[], from = 0) =>
  changes.map((change, at) => ({
    number: int(from + at),
    memoryId: change.memory_id,
    json: JSON.stringify(change),
    about: othersIn(change),
  }))

/** The ids of runs aside, which tell of no memory. */
function othersIn(change: PlannedChange): string[] {
  const text = JSON.stringify(change, (name, value) => (name === 'lastRun' ? undefined : value))
  const ids = new Set(text.match(ANY_ID))
  ids.delete(change.memory_id)
  return [...ids]
}

/** The part of a statement that keeps `$changes` of the run `$id`. Keyed by their numbers. */
export const keepChanges = `UNWIND $changes AS change
    MERGE (c:RunChange {runId: $id, number: change.number})
    SET c.tenant = $tenant, c.memoryId = change.memoryId, c.json = change.json
    WITH c, change
    UNWIND change.about AS about
    MERGE (c)-[:MENTIONS]->(:RunMention {tenant: $tenant, memoryId: about})`

/** The changes of a run `r`: the index is used where all of its properties are named. */
export const changesOf = (r: string) =>
  `MATCH (c:RunChange) WHERE c.runId = ${r}.id AND c.number >= 0 AND c.tenant = $tenant`

/** The part of a statement that removes the changes of a run `r`. */
export const removeChanges = (r: string) =>
  `CALL (${r}) { ${changesOf(r)} OPTIONAL MATCH (c)-[:MENTIONS]->(about) DETACH DELETE about, c }`

/** Changes of memories, and changes of others that tell of them: of all kinds of runs, or of some. */
const ofKinds = `MATCH (r:MaintenanceRun {id: c.runId}) WHERE r.tenant = $tenant AND ($of.kinds IS NULL OR r.kind IN $of.kinds)`
const changesOfIds = `UNWIND $ids AS id MATCH (c:RunChange {tenant: $tenant, memoryId: id}) ${ofKinds}`
const mentionsOfIds = `UNWIND $ids AS id
  MATCH (about:RunMention {tenant: $tenant, memoryId: id})<-[:MENTIONS]-(c:RunChange) ${ofKinds}`

/** Whether a run keeps anything of a memory. */
export const isInRuns = (id: string) => `EXISTS { MATCH (c:RunChange {tenant: $tenant, memoryId: ${id}}) }
    OR EXISTS { MATCH (about:RunMention {tenant: $tenant, memoryId: ${id}}) }`

/**
 * Takes memories that are removed for good out of what plans and runs keep, of all kinds or of some. A plan that was not
 * applied goes as a whole: without them it would be another plan.
 */
export async function cleanRuns(
  tenant: string,
  { run }: Running,
  ids: readonly string[],
  kinds: readonly MaintenanceRun['kind'][] | null = null,
): Promise<void> {
  if (ids.length === 0) return
  const parameters = { tenant, ids, of: { kinds } }
  await run(dropOpenPlans, parameters)
  await run(dropChanges, parameters)
  const rows = await run<{ run: string; number: number; json: string }>(readMentions, parameters)
  const removed = new Set(ids)
  const cleaned = rows.map(({ run: id, number, json }) => ({
    run: id,
    number: int(number),
    json: JSON.stringify(without(JSON.parse(json) as PlannedChange, removed)),
  }))
  if (cleaned.length > 0) await run(keepCleaned, { tenant, ids, cleaned })
}

/** A memory that took over from a removed one keeps its change, but not what it took over: an undo needs only what was before. */
function without(change: PlannedChange, removed: ReadonlySet<string>): PlannedChange {
  const { supersededBy, mergedIds, before, after } = change
  if (supersededBy && removed.has(supersededBy.id))
    return { ...change, reason: 'superseded by a removed memory' }
  const reason = change.reason.replaceAll(ANY_ID, id => (removed.has(id) ? 'a removed memory' : id))
  if (!mergedIds?.some(id => removed.has(id))) return { ...change, reason }
  const { given } = before
  return {
    ...change,
    reason,
    mergedIds: mergedIds.filter(id => !removed.has(id)),
    after: { ...after, ...(given && { given }) },
  }
}

const isOpen = "r.state IN ['planned', 'waiting']"

const dropOpenPlans = `CALL () { ${changesOfIds} AND ${isOpen} RETURN r UNION ${mentionsOfIds} AND ${isOpen} RETURN r }
  ${removeChanges('r')}
  DETACH DELETE r`

const dropChanges = `${changesOfIds}
  OPTIONAL MATCH (c)-[:MENTIONS]->(about)
  DETACH DELETE about, c`

const readMentions = `${mentionsOfIds}
  WITH DISTINCT c ORDER BY c.runId, c.number
  ${lockNow('c')}
  RETURN c.runId AS run, 1.0 * c.number AS number, c.json AS json`

const keepCleaned = `UNWIND $cleaned AS row
  MATCH (c:RunChange {runId: row.run, number: row.number}) WHERE c.tenant = $tenant
  SET c.json = row.json
  WITH c
  MATCH (c)-[:MENTIONS]->(about:RunMention) WHERE about.memoryId IN $ids
  DETACH DELETE about`
