import type { Context } from '../../context.ts'
import { type Connection, relationshipTypes } from '../../contract/connections.ts'
import { passesValidity, validityParameter } from '../memories/filter.ts'
import {
  BEGINNING,
  type EdgeColumns,
  earlierColumns,
  edgeColumns,
  typeInGraph,
  typeNames,
} from '../neo4j/projections.ts'
import { END_OF_TIME, int, readValue, readValues, time } from '../neo4j/statements.ts'
import {
  between,
  type ConnectionFilter,
  type ConnectionPlace,
  type ConnectionReach,
  typesOf,
  walksOf,
} from './connections.ts'
import { connectionOf } from './create.ts'
import { recordedAt } from './earlier.ts'

/** One page of the connections that stood at a time, newest first: of today's and the earlier ones. */
export async function listConnectionsAsOf(
  ctx: Context,
  filter: ConnectionFilter,
  asOf: number,
  { after, offset, limit }: ConnectionReach,
): Promise<Connection[]> {
  const edges = await readValues<EdgeColumns>(
    ctx,
    `${standing(filter)}
    WITH edge, source, target, type, edge[4] AS at WHERE at < $place.at OR (at = $place.at AND
      (source < $place.source OR (source = $place.source AND
        (target < $place.target OR (target = $place.target AND type > $place.type)))))
    RETURN edge ORDER BY at DESC, source DESC, target DESC, type SKIP $offset LIMIT $limit`,
    {
      ...parametersOf(ctx, filter, asOf),
      place: placeParameter(after),
      offset: int(offset),
      limit: int(limit),
    },
  )
  return edges.map(connectionOf)
}

/** How many connections stood at a time. */
export const countConnectionsAsOf = (ctx: Context, filter: ConnectionFilter, asOf: number): Promise<number> =>
  readValue(ctx, `${standing(filter)} RETURN count(*) AS n`, parametersOf(ctx, filter, asOf))

/** One row for each. An import may give a connection the age of one that was removed here. */
function standing(filter: ConnectionFilter): string {
  const today = walksOf(filter, relationshipTypes).map(
    types => `WITH 1 AS one WHERE any(type IN ${JSON.stringify(typeNames(types))} WHERE type IN $types)
      ${between(filter, types)} r.tenant = $tenant AND r.createdAt >= ${BEGINNING} AND r.key IS NOT NULL AND ${recordedAt('r')} <= $asOf
        AND ${passesValidity('r')}
      RETURN r, null AS c`,
  )
  const ends = (['sourceId', 'targetId'] as const).map(end =>
    filter[end] ? `c.${end} = $${end}` : `c.${end} IS NOT NULL`,
  )
  const earlier = `MATCH (c:EarlierConnection) WHERE c.tenant = $tenant AND ${ends.join(' AND ')}
      AND c.until > $asOf AND c.at <= $asOf AND c.type IN $types AND ${passesValidity('c')}
      RETURN null AS r, c`
  return `CALL () { ${[...today, earlier].join(' UNION ALL ')} }
    WITH CASE WHEN r IS NULL THEN ${earlierColumns('c')} ELSE ${edgeColumns('r')} END AS edge
    WITH edge WHERE $origin = '' OR edge[5] = $origin
    WITH edge[0] AS source, edge[1] AS target, edge[2] AS type, head(collect(edge)) AS edge`
}

const parametersOf = ({ tenant }: Context, filter: ConnectionFilter, asOf: number) => ({
  tenant,
  sourceId: filter.sourceId ?? '',
  targetId: filter.targetId ?? '',
  origin: filter.origin ?? '',
  types: typeNames(typesOf(filter)),
  filter: validityParameter(filter.validAt),
  asOf: time(asOf),
})

/** Without a place before every connection. */
const placeParameter = (after: ConnectionPlace | undefined) => ({
  at: int(after?.createdAt ?? END_OF_TIME),
  source: after?.sourceId ?? '',
  target: after?.targetId ?? '',
  type: after ? typeInGraph(after.type) : '',
})
