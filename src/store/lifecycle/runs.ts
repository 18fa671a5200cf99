import type { Context } from '../../context.ts'
import type { MaintenanceRun, Summary } from '../../contract/maintenance.ts'
import { openTime } from '../neo4j/closed.ts'
import { lockNow } from '../neo4j/lock.ts'
import { isoTime, NOW } from '../neo4j/projections.ts'
import { int, type Parameters, read, readValues, type Transaction, time, write } from '../neo4j/statements.ts'
import type { PlannedChange } from './figures.ts'
import { UNDO_DAYS } from './retention.ts'
import { changeRows, changesOf, keepChanges, removeChanges } from './run-changes.ts'

type State = MaintenanceRun['state']

export type NewRun = {
  id: string
  state: State
  origin: MaintenanceRun['origin']
  kind: MaintenanceRun['kind']
  at: number
  summary: Summary
  changes: readonly PlannedChange[]
}

/**
 * Keeps a plan or a run with its changes, in the transaction that made them where there is one. Keyed by id. A new
 * plan of the schedule that waits replaces the last one.
 */
export async function saveRun(ctx: Context, run: NewRun, transaction?: Transaction): Promise<void> {
  const store = transaction
    ? transaction.run
    : (text: string, parameters: Parameters) => write(ctx, text, parameters)
  await store(
    `CALL () {
      MATCH (old:MaintenanceRun) WHERE old.tenant = $tenant AND old.createdAt IS NOT NULL AND old.id <> $id
        AND $state = 'waiting' AND old.state = 'waiting' AND $kind = 'lifecycle' AND coalesce(old.kind, $kind) = $kind
      ${removeChanges('old')}
      DETACH DELETE old
    }
    MERGE (r:MaintenanceRun {id: $id})
    ON CREATE SET r.tenant = $tenant, r.state = $state, r.origin = $origin, r.kind = $kind, r.at = $at, r.summary = $summary,
      r.appliedAt = CASE $state WHEN 'applied' THEN ${NOW} END
    SET r.createdAt = coalesce(r.createdAt, ${openTime('$tenant')})
    WITH r
    ${keepChanges}`,
    {
      id: run.id,
      tenant: ctx.tenant,
      state: run.state,
      origin: run.origin,
      kind: run.kind,
      at: time(run.at),
      summary: JSON.stringify(run.summary),
      changes: changeRows(run.changes),
    },
  )
}

/** Keeps of a run what was made of its plan. */
export async function keepApplied(
  ctx: Context,
  { run }: Transaction,
  { id, summary, changes }: Pick<NewRun, 'id' | 'summary' | 'changes'>,
) {
  await run(
    `MATCH (r:MaintenanceRun {id: $id}) WHERE r.tenant = $tenant
    SET r.summary = $summary
    WITH r
    ${removeChanges('r')}`,
    { tenant: ctx.tenant, id, summary: JSON.stringify(summary) },
  )
  await run(keepChanges, { tenant: ctx.tenant, id, changes: changeRows(changes) })
}

/** Whether a run is recorded already: an earlier try has made it. */
export async function hasRun(ctx: Context, { run }: Transaction, id: string): Promise<boolean> {
  const rows = await run(
    `MATCH (r:MaintenanceRun {id: $id}) WHERE r.tenant = $tenant
    RETURN r.id AS id`,
    { id, tenant: ctx.tenant },
  )
  return rows.length > 0
}

/** `repeated`: an earlier try of this very call has done it. */
export type MoveOutcome = 'moved' | 'repeated' | 'refused'

type Move = {
  from: readonly State[]
  to: 'applied' | 'undone'
  /** Names this call, so that it knows its own work again. */
  call: string
  /** Not for runs that were applied longer ago than this. */
  withinDays?: number
}

/** Marks a run as applied or undone, first in the transaction that does it: no other does it at the same time. */
export async function moveRun(
  ctx: Context,
  { run }: Transaction,
  id: string,
  { from, to, call, withinDays }: Move,
): Promise<MoveOutcome> {
  const [row] = await run<{ outcome: MoveOutcome }>(
    `MATCH (r:MaintenanceRun {id: $id}) WHERE r.tenant = $tenant
    ${lockNow('r')}
    WITH r, ${NOW} AS now
    WITH r, now, CASE
      WHEN r.movedBy = $call THEN 'repeated'
      WHEN NOT r.state IN $from THEN 'refused'
      WHEN $days IS NOT NULL AND r.appliedAt + duration({days: coalesce($days, 0)}) < now THEN 'refused'
      ELSE 'moved' END AS outcome
    CALL (r, now, outcome) {
      WITH r, now WHERE outcome = 'moved'
      SET r.state = $to, r.movedBy = $call, r[$stamp] = now
    }
    RETURN outcome`,
    {
      id,
      tenant: ctx.tenant,
      from,
      to,
      call,
      stamp: `${to}At`,
      days: withinDays === undefined ? null : int(withinDays),
    },
  )
  return row?.outcome ?? 'refused'
}

export async function listRuns(
  ctx: Context,
  state: State | undefined,
  limit: number,
): Promise<MaintenanceRun[]> {
  const runs = await readValues<StoredRun>(
    ctx,
    `MATCH (r:MaintenanceRun) WHERE r.tenant = $tenant AND r.createdAt IS NOT NULL AND r.id IS NOT NULL
      AND ($state = '' OR r.state = $state)
    WITH r ORDER BY r.tenant DESC, r.createdAt DESC, r.id DESC LIMIT $limit
    RETURN ${runProjection} AS run`,
    { tenant: ctx.tenant, state: state ?? '', limit: int(limit) },
  )
  return runs.map(toRun)
}

/** A run with its changes; undefined when there is none. */
export async function findRun<Change>(
  ctx: Context,
  id: string,
): Promise<{ run: MaintenanceRun; changes: Change[] } | undefined> {
  const [row] = await read<{ run: StoredRun; texts: string[] }>(
    ctx,
    `MATCH (r:MaintenanceRun {id: $id}) WHERE r.tenant = $tenant
    CALL (r) {
      ${changesOf('r')}
      WITH c ORDER BY c.number
      RETURN collect(c.json) AS texts
    }
    RETURN ${runProjection} AS run, texts`,
    { id, tenant: ctx.tenant },
  )
  return row && { run: toRun(row.run), changes: row.texts.map(json => JSON.parse(json) as Change) }
}

/** How many memories runs of the schedule have archived and removed. */
export type Taken = { archived: number; removed: number }

/**
 * What the runs of the schedule took from a tenant in the days before a time. A person who applies a waiting plan has
 * looked: neither that plan nor any run before it counts. Runs that were undone took nothing.
 */
export async function takenBySchedule(ctx: Context, days: number, until: number): Promise<Taken> {
  const texts = await readValues<string>(
    ctx,
    `CALL () {
      OPTIONAL MATCH (a:MaintenanceRun) WHERE a.tenant = $tenant AND a.createdAt IS NOT NULL
        AND a.origin = 'scheduled' AND a.state = 'applied' AND a.movedBy IS NOT NULL
      RETURN max(a.appliedAt) AS approvedAt
    }
    MATCH (r:MaintenanceRun) WHERE r.tenant = $tenant AND r.createdAt IS NOT NULL
      AND r.origin = 'scheduled' AND r.state = 'applied' AND r.movedBy IS NULL
      AND $until - r.at.epochMillis < $window AND (approvedAt IS NULL OR r.appliedAt > approvedAt)
    RETURN r.summary AS summary`,
    { tenant: ctx.tenant, until: int(until), window: int(days * 86_400_000) },
  )
  const summaries = texts.map(text => JSON.parse(text) as Summary)
  const sum = (count: (summary: Summary) => number) =>
    summaries.reduce((total, summary) => total + count(summary), 0)
  return { archived: sum(({ archive }) => archive), removed: sum(({ remove }) => remove) }
}

type StoredRun = Omit<MaintenanceRun, 'summary'> & { summary: string }

const toRun = (run: StoredRun): MaintenanceRun => ({
  ...run,
  // A run of an earlier version has extracted nothing.
  summary: { extract: 0, ...(JSON.parse(run.summary) as Omit<Summary, 'extract'>) } as Summary,
})

const runProjection = `{
  id: r.id, state: r.state, kind: coalesce(r.kind, 'lifecycle'), origin: r.origin, at: ${isoTime('r.at')}, applied_at: ${isoTime('r.appliedAt')},
  undone_at: ${isoTime('r.undoneAt')}, summary: r.summary,
  undo_until: CASE r.state WHEN 'applied' THEN ${isoTime(`(r.appliedAt + duration({days: ${UNDO_DAYS}}))`)} END
}`
