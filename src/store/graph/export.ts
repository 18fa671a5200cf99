import type { Context } from '../../context.ts'
import type { Connection, RelationshipType } from '../../contract/connections.ts'
import { filterParameters, type MemoryFilter, passes, passesValidity } from '../memories/filter.ts'
import { BEGINNING, connectionProjection, isBehind, isoTime, typeInGraph } from '../neo4j/projections.ts'
import { int, read, readValues } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'

/** Where a page of connections of one type begins: behind this one, in the order in which they were made. */
export type EdgePosition = { createdAt: number; key: string }

export type EdgeWalk = {
  type: RelationshipType
  origin?: 'asserted' | 'discovered' | undefined
  /** Whose connections are shown: of active memories, also of archived ones, or also of those whose time is over. */
  ends: 'active' | 'archived' | 'all'
  filter: MemoryFilter
  after: EdgePosition | undefined
}

/**
 * The next connections of a type whose ends are both shown, oldest first, each with its place in that order, and whether
 * it holds when the filters say and both ends pass them: a page reads so many connections, however few of them do.
 */
export const scanConnections = (
  ctx: Context,
  { type, origin, ends, filter, after }: EdgeWalk,
  count: number,
): Promise<(Connection & { recorded_at: string | null; position: EdgePosition; passes: boolean })[]> =>
  read(
    ctx,
    `MATCH ()-[r:${typeInGraph(type)}]->()
    WHERE r.tenant = $tenant AND ${isBehind('r', 'key')}
      AND ($origin = '' OR r.origin = $origin)
    WITH r, startNode(r) AS source, endNode(r) AS target
    WHERE source.tenant = $tenant AND target.tenant = $tenant AND ${shown('source')} AND ${shown('target')}
    WITH r, source, target ORDER BY r.tenant, r.createdAt, r.key LIMIT $count
    RETURN source.id AS source_id, ${connectionProjection('r', 'target')} AS connection,
      ${isoTime('r.recordedAt')} AS recorded_at, {createdAt: r.createdAt.epochMillis, key: r.key} AS position,
      all(m IN [source, target] WHERE ${passes('m')}) AND ${passesValidity('r')} AS passes`,
    {
      tenant: ctx.tenant,
      origin: origin ?? '',
      ends,
      ...filterParameters(filter),
      createdAt: int(after?.createdAt ?? 0),
      key: after?.key ?? '',
      count: int(count),
    },
  )

/** When the latest connection of a type was made, in milliseconds; 0 if there is none. */
export async function lastConnectionAt(ctx: Context, type: RelationshipType): Promise<number> {
  const [at = 0] = await readValues<number>(
    ctx,
    `MATCH ()-[r:${typeInGraph(type)}]->() WHERE r.tenant = $tenant AND r.createdAt >= ${BEGINNING} AND r.key IS NOT NULL
    WITH r ORDER BY r.tenant DESC, r.createdAt DESC, r.key DESC LIMIT 1
    RETURN 1.0 * r.createdAt.epochMillis AS at`,
    { tenant: ctx.tenant },
  )
  return at
}

const shown = (m: string) =>
  `($ends = 'all' OR (${m}.state = 'archived' AND $ends = 'archived') OR ${live(m)})`
