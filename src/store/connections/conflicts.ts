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
import { int, type Running, read } from '../neo4j/statements.ts'
import { holdsNow, live } from '../neo4j/tokens.ts'
import { type ConnectionReach, isOlderThanPlace, placeParameters } from './connections.ts'

/** Two memories that contradict each other, or may. The rule is unknown of one that somebody asserted or a bundle brought. */
export type Conflict = {
  source: Memory
  target: Memory
  created_at: string
  rule: string | null
  reason: string | null
}

/** Two active memories of which one contradicts the other; the newest contradiction first. */
export async function listConflicts(
  ctx: Context,
  { after, offset, limit }: ConnectionReach,
): Promise<Conflict[]> {
  const rows = await read<ConflictRow>(
    ctx,
    `MATCH (a:Memory)-[r:CONTRADICTS]->(b:Memory)
    WHERE r.tenant = $tenant AND ${isOlderThanPlace('r')} AND a.tenant = $tenant AND b.tenant = $tenant AND ${live('a')} AND ${live('b')}
      AND ${holdsNow('r')}
    WITH a, r, b ORDER BY r.tenant DESC, r.createdAt DESC, r.key DESC SKIP $offset LIMIT $limit
    RETURN ${conflictColumns('a', 'b')}, null AS rule`,
    {
      tenant: ctx.tenant,
      ...placeParameters(ctx, after),
      offset: int(offset),
      limit: int(limit),
      space: spaceParameter(ctx),
    },
  )
  return rows.map(row => conflictOf(ctx, row))
}

export type ConflictRow = Omit<Conflict, 'source' | 'target'> & Record<'source' | 'target', MemoryColumns>

/** What `conflictOf` reads, besides the rule, of a connection `r` between two memories, in a statement with `$space`. */
export const conflictColumns = (source: string, target: string) =>
  `${memoryColumns(source)} AS source, ${memoryColumns(target)} AS target, ${isoTime('r.createdAt')} AS created_at,
      r.reason AS reason`

export const conflictOf = (ctx: Context, { source, target, ...row }: ConflictRow): Conflict => ({
  source: memoryOf(ctx, source),
  target: memoryOf(ctx, target),
  ...row,
})

/** Whether one of two memories contradicts the other. */
export async function areOpposed(
  { run }: Running,
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
