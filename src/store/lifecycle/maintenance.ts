import type { Context } from '../../context.ts'
import type { ChangeKind } from '../../contract/changes.ts'
import type { Change } from '../../contract/maintenance.ts'
import { recordMemoryChangeAs } from '../feed/record.ts'
import { queueDiscovery } from '../jobs/enqueue.ts'
import { int, read, type Transaction, time, transact } from '../neo4j/statements.ts'
import { liveUntil, policyToken, scopeToken } from '../neo4j/tokens.ts'

/** What maintenance reads and writes of a memory; times in milliseconds, null where the property is missing. */
export type Figures = {
  state: 'active' | 'archived' | 'removed'
  policy: string
  health: number
  importance: number
  version: number
  updatedAt: number
  archivedAt: number | null
  /** Until when the figures are reckoned; null is since it was made. */
  maintainedAt: number | null
  /** How many of the recalls are in the figures; null is none. */
  foldedRecalls: number | null
  /** The last run that changed it and was not undone. */
  lastRun: string | null
}

export type LifecycleRow = Figures & {
  id: string
  createdAt: number
  expiresAt: number | null
  /** When a caller last set the importance. */
  importanceSince: number | null
  recallCount: number
  connections: number
  /** When the recalls came that are not in the figures yet. */
  recalls: number[]
}

/** A change as it is planned, with all that it was reckoned from and leads to. */
export type PlannedChange = Omit<Change, 'before' | 'after'> & {
  recallCount: number
  unfolded: number
  /** They go with a memory that is removed. */
  connections: number
  before: Figures
  after: Figures
}

/** What decides for the memories of a policy whether anything may be due at a time. */
export type Term = {
  policy: string
  /** Whether time changes anything at all. */
  ages: boolean
  /** With this health or less a memory may end before a day is full. */
  endsSoonAt: number | null
  /** Those archived until then are removed, in milliseconds. */
  removedBefore: number | null
}

/** A row for each id takes several times the memory, and so does all in one row, which the driver reads in one piece. */
const IDS_A_ROW = 1_000

/** The ids of all memories of the tenant for which anything may be due at a time, in order. Reads each memory once. */
export async function readDue(ctx: Context, at: number, terms: readonly Term[]): Promise<string[]> {
  const rows = await read<{ ids: string[] }>(
    ctx,
    `CYPHER 25
    MATCH (m:Memory) WHERE m.tenant = $tenant
    WITH m, $terms[m.policy] AS term WHERE term IS NOT NULL AND (
      m.recallCount > coalesce(m.foldedRecalls, 0)
      OR (m.state = 'archived' AND m.archivedAt.epochMillis <= term.removedBefore)
      OR (m.state = 'active' AND (m.liveUntil <= $at OR m.health <= term.endsSoonAt
        OR (term.ages AND coalesce(m.maintainedAt, m.createdAt) <= datetime({epochMillis: $at - 86400000, timezone: 'Z'})))))
    WITH m.id AS id ORDER BY id
    WITH collect(id) AS due
    UNWIND range(0, size(due) - 1, $most) AS from
    RETURN due[from..from + $most] AS ids`,
    {
      tenant: ctx.tenant,
      most: int(IDS_A_ROW),
      at: int(at),
      terms: Object.fromEntries(
        terms.map(({ policy, ages, endsSoonAt, removedBefore }) => [
          policy,
          { ages, endsSoonAt, removedBefore: removedBefore === null ? null : int(removedBefore) },
        ]),
      ),
    },
  )
  return rows.flatMap(({ ids }) => ids)
}

/** What the lifecycle of these memories is reckoned from. */
export const readLifecycles = (ctx: Context, ids: readonly string[]): Promise<LifecycleRow[]> =>
  read<LifecycleRow>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {id: id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = $tenant
    CALL (m) {
      MATCH (r:Recall {memoryId: m.id}) WHERE r.tenant = $tenant AND r.foldedBy IS NULL
      RETURN collect(r.at.epochMillis) AS recalls
    }
    RETURN m.id AS id, m.state AS state, m.policy AS policy, m.health AS health, m.importance AS importance,
      m.version AS version, m.updatedAt.epochMillis AS updatedAt, m.archivedAt.epochMillis AS archivedAt,
      m.createdAt.epochMillis AS createdAt, m.expiresAt.epochMillis AS expiresAt,
      m.importanceSince.epochMillis AS importanceSince, m.maintainedAt.epochMillis AS maintainedAt,
      m.recallCount AS recallCount, m.foldedRecalls AS foldedRecalls, m.lastRun AS lastRun, recalls,
      COUNT { (m)--() } AS connections`,
    { ids, tenant: ctx.tenant },
  )

/** The present by the database's clock, in milliseconds, and how many memories the tenant has. */
export async function readTenant(ctx: Context): Promise<{ now: number; memories: number }> {
  const [row] = await read<{ now: number; memories: number }>(
    ctx,
    `CYPHER 25
    CALL () { MATCH (m:Memory) WHERE m.tenant = $tenant RETURN count(m) AS memories }
    RETURN datetime.realtime('Z').epochMillis AS now, memories`,
    { tenant: ctx.tenant },
  )
  return row as NonNullable<typeof row>
}

type Frame = {
  /** Comes first. False when an earlier try has done everything and its answer was lost. */
  begin: (transaction: Transaction) => Promise<boolean>
  /** Comes last, with what was done; what it throws undoes it all. */
  finish: (transaction: Transaction, done: readonly PlannedChange[]) => Promise<unknown>
}

/**
 * Gives memories their new figures, in one transaction, and folds the recalls that are in them. Those that are no
 * longer as they were read are left alone. Answers the changes that were made.
 */
export function applyChanges(
  ctx: Context,
  runId: string,
  changes: readonly PlannedChange[],
  { begin, finish }: Frame,
): Promise<readonly PlannedChange[]> {
  const rows = changes.map(change => rowOf(ctx, runId, change)).sort(byId)
  let done: readonly PlannedChange[] = []
  return transact(ctx, async transaction => {
    if (!(await begin(transaction))) return done
    const parameters = { tenant: ctx.tenant, runId, rows }
    const unmoved = await transaction.run<{ id: string }>(applyUnmoved, parameters)
    const ids = new Set(unmoved.map(({ id }) => id))
    done = changes.filter(({ memory_id }) => ids.has(memory_id))
    await transaction.run(removeMarked, parameters)
    await finish(transaction, done)
    return done
  })
}

const rowOf = (
  ctx: Context,
  runId: string,
  { memory_id: id, change, before, after, recallCount, unfolded }: PlannedChange,
) => ({
  id,
  before: propertiesOf(ctx, before),
  after: propertiesOf(ctx, { ...after, lastRun: runId }),
  recallCount: int(recallCount),
  unfolded: int(unfolded),
  removed: after.state === 'removed',
  told: toldAs[change] ?? null,
})

/** What the feed is told; ageing and recalls are no change of a memory. */
const toldAs: Partial<Record<Change['change'], ChangeKind>> = {
  promote: 'promoted',
  archive: 'archived',
  remove: 'removed',
}

/** All that a change was reckoned from is compared under the lock, as it was not read in one moment. */
const applyUnmoved = `CYPHER 25
  UNWIND $rows AS row
  MATCH (m:Memory {id: row.id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = $tenant
  SET m.lock = true
  WITH m, row
  REMOVE m.lock
  WITH m, row WHERE m.removedBy IS NULL AND m.recallCount = row.recallCount
    AND all(name IN keys(row.before) WHERE m[name] = row.before[name] OR (m[name] IS NULL AND row.before[name] IS NULL))
    AND COUNT { MATCH (r:Recall {memoryId: m.id}) WHERE r.tenant = $tenant AND r.foldedBy IS NULL } = row.unfolded
  SET m += row.after
  SET m.liveUntil = ${liveUntil('m')}
  WITH m, row
  CALL (m, row) {
    MATCH (r:Recall {memoryId: m.id}) WHERE r.tenant = $tenant AND r.foldedBy IS NULL AND NOT row.removed
    SET r.foldedBy = $runId, r.foldedAt = datetime.realtime('Z')
  }
  CALL (m, row) {
    WITH m, row WHERE row.told IS NOT NULL
    ${recordMemoryChangeAs('row.told', 'm')}
  }
  RETURN m.id AS id`

/**
 * A removed memory loses its label, and its connections their keys: no index, search or walk finds them any more. All
 * else stays for as long as the run can be undone. One of the same id that was removed earlier makes room.
 */
const removeMarked = `CYPHER 25
  UNWIND [row IN $rows WHERE row.removed] AS row
  MATCH (m:Memory {id: row.id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = $tenant AND m.lastRun = $runId
  CALL (m) { MATCH (earlier:RemovedMemory {id: m.id}) WHERE earlier.tenant = $tenant DETACH DELETE earlier }
  REMOVE m:Memory
  SET m:RemovedMemory, m.removedAt = datetime.realtime('Z'), m.removedBy = $runId
  WITH m
  CALL (m) { MATCH (j:Job {memoryId: m.id}) WHERE j.tenant = $tenant DETACH DELETE j }
  MATCH (m)-[r]-() WHERE r.key IS NOT NULL
  WITH DISTINCT r, r.key AS key
  SET r.removedKey = key
  REMOVE r.key, r.tenant`

/**
 * Gives memories back the figures from before a run, unless they have changed since. Answers the ids of those that it
 * could not give back.
 */
export function revertChanges(
  ctx: Context,
  runId: string,
  changes: readonly PlannedChange[],
  begin: Frame['begin'],
): Promise<string[]> {
  const rows = changes.map(({ memory_id: id, change, before, after }) => ({
    id,
    version: int(after.version),
    before: propertiesOf(ctx, before),
    told: toldBack[change] ?? null,
    revived: before.state === 'active' && after.state !== 'active',
  }))
  let skipped: string[] = []
  return transact(ctx, async transaction => {
    if (!(await begin(transaction))) return skipped
    const parameters = { tenant: ctx.tenant, runId, rows: rows.sort(byId) }
    await transaction.run(bringBack, parameters)
    const reverted = await transaction.run<{ id: string }>(revertUnmoved, parameters)
    const done = new Set(reverted.map(({ id }) => id))
    skipped = rows.map(({ id }) => id).filter(id => !done.has(id))
    return skipped
  })
}

/** What the feed is told of an undo. */
const toldBack: typeof toldAs = { promote: 'updated', archive: 'restored', remove: 'restored' }

/**
 * A connection comes back as soon as both of its ends have. An id that was given again meanwhile, in whichever tenant,
 * keeps its new owner.
 */
const bringBack = `CYPHER 25
  UNWIND $rows AS row
  MATCH (m:RemovedMemory {id: row.id}) WHERE m.tenant = $tenant AND m.removedBy = $runId
    AND NOT EXISTS { MATCH (other:Memory {id: row.id}) USING INDEX SEEK other:Memory(id) }
  SET m:Memory
  REMOVE m:RemovedMemory, m.removedAt, m.removedBy
  WITH collect(m) AS back
  UNWIND back AS m
  MATCH (m)-[r]-(n:Memory) WHERE r.removedKey IS NOT NULL AND n.tenant = $tenant
  WITH DISTINCT r, r.removedKey AS key
  SET r.key = key, r.tenant = $tenant
  REMOVE r.removedKey`

/** One that is active again is discovered anew: what was written meanwhile did not find it. */
const revertUnmoved = `CYPHER 25
  UNWIND $rows AS row
  MATCH (m:Memory {id: row.id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = $tenant
  SET m.lock = true
  WITH m, row
  REMOVE m.lock
  WITH m, row WHERE m.version = row.version AND m.lastRun = $runId AND m.removedBy IS NULL
  SET m += row.before
  SET m.liveUntil = ${liveUntil('m')}
  WITH m, row
  CALL (m) {
    MATCH (r:Recall {memoryId: m.id}) WHERE r.tenant = $tenant AND r.foldedBy = $runId
    REMOVE r.foldedBy, r.foldedAt
  }
  CALL (m, row) {
    WITH m WHERE row.revived
    ${queueDiscovery}
  }
  CALL (m, row) {
    WITH m, row WHERE row.told IS NOT NULL
    ${recordMemoryChangeAs('row.told', 'm')}
  }
  RETURN m.id AS id`

/** A map with nulls: what is null is taken off the node. */
const propertiesOf = (ctx: Context, figures: Figures) => ({
  state: figures.state === 'removed' ? 'archived' : figures.state,
  scope: scopeToken(ctx.tenant, figures.state === 'active' ? 'active' : 'archived'),
  policy: figures.policy,
  policyKey: policyToken(figures.policy),
  health: figures.health,
  importance: figures.importance,
  version: int(figures.version),
  updatedAt: time(figures.updatedAt),
  archivedAt: figures.archivedAt === null ? null : time(figures.archivedAt),
  maintainedAt: figures.maintainedAt === null ? null : time(figures.maintainedAt),
  foldedRecalls: figures.foldedRecalls === null ? null : int(figures.foldedRecalls),
  lastRun: figures.lastRun,
})

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
