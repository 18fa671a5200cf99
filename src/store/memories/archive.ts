import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { recordMemoryChange } from '../feed/record.ts'
import { queueDiscovery } from '../jobs/enqueue.ts'
import { unlock } from '../neo4j/lock.ts'
import {
  isoTime,
  type MemoryColumns,
  memoryColumns,
  memoryOf,
  NOW,
  spaceParameter,
} from '../neo4j/projections.ts'
import { type Transaction, write } from '../neo4j/statements.ts'
import { liveUntil, scopeToken } from '../neo4j/tokens.ts'
import { keepVersion } from './history.ts'
import { reopen } from './supersede.ts'
import { isUnexpected, lockMemory, targetOf, type WriteOutcome } from './write.ts'
import { isWritten, recordWrite } from './written.ts'

/** Why a memory is archived, in the words of the contract. */
export type ArchivedReason = 'deleted' | 'expired' | 'faded' | 'forgotten' | 'merged' | 'superseded'

/** What makes a memory `m` an archived one at `now`, for `SET`. */
export const asArchived = (reason: string) =>
  `m.state = 'archived', m.liveUntil = 0, m.scope = $scope, m.archivedAt = now, m.archivedReason = ${reason}, m.updatedAt = now,
        m.version = m.version + 1`

type Archived = { outcome: WriteOutcome; archived_at: string }

/** Takes a memory out of active search and lists. One that is archived already stays as it is. */
export async function archiveMemory(
  ctx: Context,
  id: string,
  writeId: string,
  reason: ArchivedReason,
): Promise<Archived | undefined> {
  const [row] = await write<Archived>(
    ctx,
    `CYPHER 25
    MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id)
    ${lockMemory}
    WITH m, CASE
      WHEN ${isWritten('m')} THEN 'applied'
      WHEN ${isUnexpected} THEN 'version_mismatch'
      WHEN m.state = 'archived' THEN 'applied'
      ELSE 'apply' END AS outcome
    CALL (m, outcome) {
      WITH m, ${NOW} AS now WHERE outcome = 'apply'
      ${keepVersion('m')}
      SET m.author = $by.author, m.reason = null
      SET ${asArchived('$reason')}
      ${recordWrite('m')}
      ${recordMemoryChange('archived', 'm')}
    }
    ${unlock('m')}
    RETURN CASE outcome WHEN 'apply' THEN 'applied' ELSE outcome END AS outcome,
      ${isoTime('m.archivedAt')} AS archived_at`,
    {
      ...targetOf(ctx, id),
      writeId,
      reason,
      scope: scopeToken(ctx.tenant, 'archived'),
    },
  )
  return row
}

/**
 * Makes a memory active with full health. A time limit that had run out starts again, and a validity that a supersession
 * had ended is open again. Undefined also for one that was removed while this waited for it. `writeId` names this write.
 */
export async function restoreMemory(
  ctx: Context,
  id: string,
  writeId: string,
): Promise<{ outcome: WriteOutcome; memory: Memory } | undefined> {
  const row = await restoreIn((text, parameters) => write(ctx, text, parameters), ctx, id, writeId)
  return row && { outcome: row.outcome, memory: memoryOf(ctx, row.memory) }
}

/** The same in a transaction of the caller. */
export async function restoreIn(
  run: Transaction['run'],
  ctx: Context,
  id: string,
  writeId: string,
): Promise<{ outcome: WriteOutcome; memory: MemoryColumns } | undefined> {
  const [row] = await run<{ outcome: WriteOutcome; memory: MemoryColumns }>(
    `CYPHER 25
    MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id)
    ${lockMemory}
    ${unlock('m')}
    WITH m, ${NOW} AS now, CASE
      WHEN ${isWritten('m')} THEN 'applied'
      WHEN ${isUnexpected} THEN 'version_mismatch'
      ELSE 'apply' END AS outcome
    WITH m, now, outcome, coalesce(m.expiresAt <= now, false) AS expired
    CALL (m, now, outcome, expired) {
      WITH m, now, expired WHERE outcome = 'apply' AND (m.state = 'archived' OR expired)
      ${keepVersion('m')}
      SET m.author = $by.author, m.reason = null
      ${reopen('m')}
      SET m.state = 'active', m.scope = $scope, m.health = 100.0, m.maintainedAt = now, m.updatedAt = now, m.version = m.version + 1
      ${recordWrite('m')}
      REMOVE m.archivedAt, m.archivedReason, m.discoveredRevision
      SET m.expiresAt = CASE WHEN expired THEN now + duration({seconds: m.ttlSeconds}) ELSE m.expiresAt END
      SET m.liveUntil = ${liveUntil('m')}
      ${recordMemoryChange('restored', 'm')}
      WITH m
      ${queueDiscovery}
    }
    RETURN CASE outcome WHEN 'apply' THEN 'applied' ELSE outcome END AS outcome, ${memoryColumns('m')} AS memory`,
    {
      ...targetOf(ctx, id),
      writeId,
      scope: scopeToken(ctx.tenant, 'active'),
      space: spaceParameter(ctx),
    },
  )
  return row
}
