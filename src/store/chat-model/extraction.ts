import type { Context } from '../../context.ts'
import type { Summary } from '../../contract/maintenance.ts'
import type { Text } from '../connections/suspicions.ts'
import { recordConnectionChange } from '../feed/record.ts'
import { endJob } from '../jobs/ending.ts'
import { queueJob } from '../jobs/enqueue.ts'
import { queuedAgain } from '../jobs/lanes.ts'
import { fence, type LeasedJob, ours } from '../jobs/leases.ts'
import type { PlannedChange } from '../lifecycle/figures.ts'
import { changeRows, keepChanges } from '../lifecycle/run-changes.ts'
import type { MemoryRow } from '../memories/insert.ts'
import { lock, lockNow, unlock } from '../neo4j/lock.ts'
import { BEGINNING, connectionKey, inMillis, NOW } from '../neo4j/projections.ts'
import { int, type Running, read, type Transaction, write } from '../neo4j/statements.ts'

export type TurnToRead = {
  readonly id: string
  readonly content: string
  readonly speaker: string | null
  readonly revision: number
  /** When it was said, in milliseconds. */
  readonly at: number
  readonly source: string | null
  readonly session: string
  readonly tags: readonly string[]
}

const turnsOf = (
  session: string,
) => `MATCH (m:Memory) USING INDEX SEEK m:Memory(tenant, sessionId, createdAt, id)
    WHERE m.tenant = $tenant AND m.sessionId = ${session} AND m.createdAt >= ${BEGINNING} AND m.id IS NOT NULL
      AND m.kind = 'turn' AND m.state = 'active'`

/**
 * Queues the job of a session, which reads the turns that no job has read. One that runs may be past them: it is told to look
 * again. Returns the id of the job, and how many turns it has to read.
 */
export async function queueExtraction(
  ctx: Context,
  session: string,
  repeat: boolean,
): Promise<{ id: string; turns: number }> {
  const [row] = await write<{ id: string; turns: number }>(
    ctx,
    `CALL () {
      ${turnsOf('$session')} AND ($repeat OR m.extracted IS NULL)
      WITH m ORDER BY m.tenant, m.id
      REMOVE m.extracted
      RETURN count(m) AS turns
    }
    ${queueJob({ kind: 'extract', id: "'extract:' + $tenant + ':' + $session", tenant: '$tenant' })}
    SET j.session = $session, j.again = CASE j.state WHEN 'running' THEN true END
    RETURN j.id AS id, 1.0 * turns AS turns`,
    { tenant: ctx.tenant, session, repeat },
  )
  return row as { id: string; turns: number }
}

/** The oldest turns of the job's session that no job has read. */
export const readTurns = (ctx: Context, { id }: LeasedJob, most: number): Promise<TurnToRead[]> =>
  read<TurnToRead>(
    ctx,
    `MATCH (j:Job {id: $id}) WHERE j.tenant = $tenant
    WITH j.session AS session
    ${turnsOf('session')} AND m.extracted IS NULL
    WITH m ORDER BY m.tenant, m.sessionId, m.createdAt, m.id LIMIT $most
    RETURN m.id AS id, m.content AS content, m.speaker AS speaker, 1.0 * m.revision AS revision,
      ${inMillis('coalesce(m.validFrom, m.createdAt)')} AS at, m.source AS source, m.sessionId AS session, m.tags AS tags`,
    { id, tenant: ctx.tenant, most: int(most) },
  )

/** Those of some memories that are no turns, and not too long to be compared. */
export const readKnown = (ctx: Context, ids: readonly string[], longest: number): Promise<Text[]> =>
  read<Text>(
    ctx,
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    WHERE m.state = 'active' AND coalesce(m.kind <> 'turn', true) AND size(m.content) <= $longest
    RETURN id, m.content AS content, 1.0 * m.revision AS revision`,
    { tenant: ctx.tenant, ids, longest: int(longest) },
  )

/** A fact with the turns that it is from. */
export type Fact = {
  readonly row: MemoryRow
  readonly turns: readonly string[]
  readonly confidence: number
  /** What no longer holds because of it, as the model says. */
  readonly supersedes: readonly Text[]
}

/** What the job has done so far, all of it in one run. */
export type ExtractionProgress = {
  readonly run: string
  readonly stored: number
  readonly unread: number
}

export type Reading = {
  readonly turns: readonly TurnToRead[]
  readonly facts: readonly Fact[]
  readonly model: string
  readonly progress: ExtractionProgress
  readonly changeOf: (fact: Fact) => PlannedChange
  /** Comes last, with what was stored. */
  readonly finish: (transaction: Transaction, stored: readonly Fact[]) => Promise<unknown>
  readonly summaryOf: (stored: number) => Summary
}

/** Locks the job of a transaction. False when it is no longer ours. */
export async function holdJob({ run }: Running, job: LeasedJob): Promise<boolean> {
  const held = await run(
    `MATCH (j:Job {id: $job.id}) ${lockNow('j')}
    WITH j WHERE ${ours('j', '$job')}
    RETURN j.id AS id`,
    { job: fence(job) },
  )
  return held.length > 0
}

/** Marks the turns as read, connects the facts that were stored with theirs, and adds them to the run of the job. */
export async function keepRun(
  { tenant }: Context,
  { run }: Transaction,
  { turns, model, progress, changeOf, summaryOf }: Reading,
  stored: readonly Fact[],
) {
  await run(markRead, { tenant, ids: turns.map(({ id }) => id), run: progress.run })
  if (stored.length === 0) return
  const links = stored.flatMap(({ row, turns, confidence }) =>
    turns.map(turn => ({ fact: row.id, turn, confidence })),
  )
  await run(linkFacts, { tenant, links, model, run: progress.run })
  await run(addToRun, {
    id: progress.run,
    tenant,
    changes: changeRows(stored.map(changeOf), progress.stored),
    summary: JSON.stringify(summaryOf(progress.stored + stored.length)),
  })
}

const markRead = `UNWIND $ids AS id
  MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
  SET m.extracted = $run`

const linkFacts = `UNWIND $links AS link
  MATCH (fact:Memory {tenant: $tenant, id: link.fact}) USING INDEX SEEK fact:Memory(tenant, id)
  MATCH (turn:Memory {tenant: $tenant, id: link.turn}) USING INDEX SEEK turn:Memory(tenant, id)
  SET fact.extractedBy = $run
  CREATE (fact)-[r:DERIVED_FROM {key: ${connectionKey('$tenant', 'fact', 'turn')}, tenant: $tenant, origin: 'discovered',
    strength: link.confidence, model: $model, createdAt: ${NOW}}]->(turn)
  ${recordConnectionChange('connected', 'r', 'fact', 'turn')}`

const addToRun = `MERGE (r:MaintenanceRun {id: $id})
  ON CREATE SET r.tenant = $tenant, r.state = 'applied', r.origin = 'model', r.kind = 'extract', r.at = ${NOW},
    r.createdAt = datetime.realtime('Z')
  SET r.summary = $summary, r.appliedAt = ${NOW}
  WITH r
  ${keepChanges}`

/** Ends the job of a session, or lets it begin again where turns have come since. */
export const endExtraction = (ctx: Context, job: LeasedJob, report: string | null) =>
  write(
    ctx,
    `MATCH (j:Job {id: $job.id}) ${lock('j')}
    WITH j WHERE ${ours('j', '$job')}
    CALL (j) {
      WITH j WHERE j.again
      SET j.state = ${queuedAgain('j')}, j.attempt = 0, j.runAt = datetime.realtime('Z')
      REMOVE j.again, j.progress, j.owner, j.leaseUntil
      ${unlock('j')}
      RETURN count(*) AS continued
    }
    WITH j WHERE continued = 0
    ${endJob('j', '$report')}`,
    { job: fence(job), report },
  )
