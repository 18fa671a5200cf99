import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import {
  isoTime,
  type MemoryColumns,
  memoryColumns,
  memoryOf,
  otherEnd,
  spaceParameter,
} from '../neo4j/projections.ts'
import { int, read, type Transaction } from '../neo4j/statements.ts'
import { holdsNow, live } from '../neo4j/tokens.ts'
import { type ConnectionReach, isOlderThanPlace, placeParameters } from './connections.ts'

export type Conflict = { source: Memory; target: Memory; created_at: string; reason: string | null }

/** Two active memories of which one contradicts the other; the newest contradiction first. */
export async function listConflicts(
  ctx: Context,
  { after, offset, limit }: ConnectionReach,
): Promise<Conflict[]> {
  const rows = await read<Row>(
    ctx,
    `MATCH (a:Memory)-[r:CONTRADICTS]->(b:Memory)
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

/** Whether one of two memories contradicts the other. */
export async function areOpposed(
  { run }: Pick<Transaction, 'run'>,
  tenant: string,
  [one, other]: readonly [string, string],
): Promise<boolean> {
  const found = await run(
    `MATCH (m:Memory {tenant: $tenant, id: $one}) USING INDEX SEEK m:Memory(tenant, id)
    MATCH (m)-[:CONTRADICTS]-${otherEnd('other')} WHERE other.tenant = $tenant AND other.id = $other
    RETURN true AS opposed LIMIT 1`,
    { tenant, one, other },
  )
  return found.length > 0
}
