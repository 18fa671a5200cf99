import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { audit } from '../access/audit.ts'
import { archiveSuperseded } from '../memories/supersede.ts'
import { isUnexpected, targetOf } from '../memories/write.ts'
import { isWritten } from '../memories/written.ts'
import { lockNow } from '../neo4j/lock.ts'
import {
  isoTime,
  type MemoryColumns,
  memoryColumns,
  memoryOf,
  NOW,
  otherEnd,
  spaceParameter,
} from '../neo4j/projections.ts'
import { int, read, transact } from '../neo4j/statements.ts'
import { holdsNow, live, scopeToken } from '../neo4j/tokens.ts'
import { type ConnectionReach, isOlderThanPlace, placeParameters } from './connections.ts'

export type Conflict = { source: Memory; target: Memory; created_at: string; reason: string | null }

/** Two active memories of which one contradicts the other; the newest contradiction first. */
export async function listConflicts(
  ctx: Context,
  { after, offset, limit }: ConnectionReach,
): Promise<Conflict[]> {
  const rows = await read<Row>(
    ctx,
    `CYPHER 25
    MATCH (a:Memory)-[r:CONTRADICTS]->(b:Memory)
    WHERE r.tenant = $tenant AND ${isOlderThanPlace('r')} AND a.tenant = $tenant AND b.tenant = $tenant AND ${live('a')} AND ${live('b')}
      AND ${holdsNow('r')}
    WITH a, r, b ORDER BY r.tenant DESC, r.createdAt DESC, r.key DESC SKIP $offset LIMIT $limit
    RETURN ${memoryColumns('a')} AS source, ${memoryColumns('b')} AS target, ${isoTime('r.createdAt')} AS createdAt,
      r.reason AS reason`,
    {
      tenant: ctx.tenant,
      ...placeParameters(ctx, after),
      offset: int(offset),
      limit: int(limit),
      space: spaceParameter(ctx),
    },
  )
  return rows.map(({ source, target, createdAt, reason }) => ({
    source: memoryOf(ctx, source),
    target: memoryOf(ctx, target),
    created_at: createdAt,
    reason,
  }))
}

type Row = { source: MemoryColumns; target: MemoryColumns; createdAt: string; reason: string | null }

/** For each memory the ids of the active ones that contradict it, or that it contradicts. */
export async function conflictsOf(ctx: Context, ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await read<{ id: string; conflicts: string[] }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    MATCH (m)-[r:CONTRADICTS]-${otherEnd('other')} WHERE other.tenant = $tenant AND ${live('other')} AND ${holdsNow('r')}
    WITH DISTINCT id, other.id AS conflict ORDER BY conflict
    RETURN id, collect(conflict) AS conflicts`,
    { tenant: ctx.tenant, ids },
  )
  return new Map(rows.map(({ id, conflicts }) => [id, conflicts]))
}

export type Resolved = 'resolved' | 'missing' | 'archived' | 'unconnected' | 'version_mismatch'

/**
 * Archives one of two active memories that contradict each other, and ends its validity if that is open. `writeId`
 * names this write: running it again changes nothing.
 */
export function resolveConflict(
  ctx: Context,
  { keepId, archiveId, reason }: { keepId: string; archiveId: string; reason: string | undefined },
  writeId: string,
): Promise<Resolved> {
  const parameters = {
    ...targetOf(ctx, archiveId),
    ids: [keepId, archiveId].sort(),
    keepId,
    archiveId,
    reason: `superseded by ${keepId}${reason === undefined ? '' : `: ${reason}`}`,
    writeId,
    scope: scopeToken(ctx.tenant, 'archived'),
  }
  return transact(ctx, async transaction => {
    const [row] = await transaction.run<{ outcome: Resolved | 'resolve' }>(resolve, parameters)
    const outcome = row?.outcome ?? 'missing'
    if (outcome !== 'resolve' && outcome !== 'resolved') return outcome
    await audit(ctx, transaction, { target: archiveId })
    return 'resolved'
  })
}

const resolve = `CYPHER 25
  UNWIND $ids AS id
  OPTIONAL MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id) WHERE m.removedBy IS NULL
  CALL (m) { WITH m WHERE m IS NOT NULL ${lockNow('m')} }
  WITH collect(m) AS both
  WITH [each IN both WHERE each.id = $keepId][0] AS kept, [each IN both WHERE each.id = $archiveId][0] AS m
  WITH kept, m, CASE
    WHEN kept IS NULL OR m IS NULL THEN 'missing'
    WHEN ${isWritten('m')} THEN 'resolved'
    WHEN kept.state <> 'active' OR m.state <> 'active' THEN 'archived'
    WHEN ${isUnexpected} THEN 'version_mismatch'
    WHEN NOT EXISTS { (kept)-[:CONTRADICTS]-(m) } THEN 'unconnected'
    ELSE 'resolve' END AS outcome
  CALL (kept, m, outcome) {
    WITH kept, m, ${NOW} AS now WHERE outcome = 'resolve'
    ${archiveSuperseded('kept', '$reason', '$writeId')}
  }
  RETURN outcome`
