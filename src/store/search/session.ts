import type { Context } from '../../context.ts'
import { filterParameters, isFound, type MemoryFilter } from '../memories/filter.ts'
import { int, read } from '../neo4j/statements.ts'

/** Bounds the work: if none of the next so many memories passes the filter, there is no neighbour on that side. */
const LOOKED = 20
/** A memory of the session of another one, so many places after it; before it if `offset` is negative. */
export type SessionNeighbour = { id: string; digest: string | null; nextTo: string; offset: number }

/** For each of the memories that has a session, the `reach` nearest ones before and after it in the session that pass the filter. */
export const sessionNeighbours = (
  ctx: Context,
  ids: readonly string[],
  filter: MemoryFilter,
  reach: number,
): Promise<SessionNeighbour[]> =>
  read(
    ctx,
    `UNWIND $ids AS id
    MATCH (hit:Memory {tenant: $tenant, id: id}) USING INDEX SEEK hit:Memory(tenant, id)
    CALL (hit) {
      ${side('<', 'DESC')}
      UNION ALL
      ${side('>', 'ASC')}
    }
    RETURN id AS nextTo, 1.0 * offset AS offset, m.id AS id, m.textDigest AS digest`,
    {
      tenant: ctx.tenant,
      ...filterParameters(filter),
      ids,
      looked: int(LOOKED),
      reach: int(reach),
    },
  )

const side = (sign: '<' | '>', order: 'ASC' | 'DESC') =>
  `MATCH (m:Memory) USING INDEX SEEK m:Memory(tenant, sessionId, createdAt, id)
      WHERE m.tenant = $tenant AND m.sessionId = hit.sessionId AND m.createdAt ${sign}= hit.createdAt
        AND m.id IS NOT NULL AND (m.createdAt ${sign} hit.createdAt OR m.id ${sign} hit.id)
      WITH hit, m ORDER BY m.tenant ${order}, m.sessionId ${order}, m.createdAt ${order}, m.id ${order} LIMIT $looked
      WITH m WHERE ${isFound('m')}
      WITH m ORDER BY m.createdAt ${order}, m.id ${order} LIMIT $reach
      WITH collect(m) AS side
      UNWIND range(1, size(side)) AS distance
      RETURN side[distance - 1] AS m, ${sign === '<' ? '-' : ''}distance AS offset`
