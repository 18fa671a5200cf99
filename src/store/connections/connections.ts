import type { Context } from '../../context.ts'
import { type Connection, type RelationshipType, relationshipTypes } from '../../contract/connections.ts'
import { recordConnectionChange } from '../feed/record.ts'
import { passesValidity, validityParameter } from '../memories/filter.ts'
import { lockNow } from '../neo4j/lock.ts'
import {
  BEGINNING,
  connectionProjection,
  fromMillis,
  rejection,
  typeInGraph,
  typeNames,
  typesInGraph,
} from '../neo4j/projections.ts'
import { END_OF_TIME, int, read, readValue, remove } from '../neo4j/statements.ts'
import type { Validity } from '../neo4j/tokens.ts'
import { keepConnection } from './earlier.ts'

type Ends = { sourceId: string; targetId: string }

/**
 * Removes the connections from one memory to another, of one type or of all. Returns how many there were. Of two who
 * remove the same only one finds it.
 */
export async function disconnectMemories(
  ctx: Context,
  { sourceId, targetId }: Ends,
  type: RelationshipType | undefined,
): Promise<number> {
  const row = await remove<{ deleted: number }>(
    ctx,
    `MATCH (source:Memory {tenant: $tenant, id: $sourceId}) USING INDEX SEEK source:Memory(tenant, id)
    MATCH (target:Memory {tenant: $tenant, id: $targetId}) USING INDEX SEEK target:Memory(tenant, id)
    ${lockEnds}
    WITH source, target
    MATCH (source)-[r:${typesInGraph()}]->(target) WHERE type(r) IN $types
    ${recordConnectionChange('disconnected', 'r', 'source', 'target')}
    ${keepConnection('r', 'source', 'target')}
    ${rememberRejection}
    DELETE r
    WITH count(*) AS deleted WHERE deleted > 0
    RETURN deleted`,
    { tenant: ctx.tenant, sourceId, targetId, types: typeNames(type && [type]) },
  )
  return row?.deleted ?? 0
}

/**
 * Discovery does not relate two memories again whose `related_to` somebody removed, until the content of an end changes: the start keeps the
 * other end and the revisions of both.
 */
const rememberRejection = `FOREACH (_ IN CASE WHEN type(r) = 'RELATED_TO' THEN [1] ELSE [] END |
      SET source.rejected = [each IN coalesce(source.rejected, []) WHERE each ENDS WITH ':' + source.revision] +
        [${rejection('source', 'target')}])`

/** In the order of the ids, so that writers from both sides do not wait for each other. */
const lockEnds = `CALL (source, target) {
      UNWIND CASE WHEN $sourceId < $targetId THEN [source, target] ELSE [target, source] END AS end
      WITH end WHERE end IS NOT NULL
      ${lockNow('end')}
    }`

export type ConnectionFilter = {
  sourceId: string | undefined
  targetId: string | undefined
  type: RelationshipType | undefined
  origin: 'asserted' | 'discovered' | undefined
  /** When connections must hold. */
  validAt: Validity
}

/** How many connections there are, and of which types. */
export type ConnectionCount = { total: number; types: readonly RelationshipType[] }

/** Where a page begins: behind this connection. */
export type ConnectionPlace = Ends & { createdAt: number; type: RelationshipType }

export type ConnectionReach = { after: ConnectionPlace | undefined; offset: number; limit: number }

export async function countConnections(ctx: Context, filter: ConnectionFilter): Promise<ConnectionCount> {
  const walks = walksOf(filter, typesOf(filter))
  const counts = await Promise.all(walks.map(types => count(ctx, filter, types)))
  return {
    total: counts.reduce((sum, n) => sum + n, 0),
    types: walks.filter((_, at) => counts[at] !== 0).flat(),
  }
}

/** One page of the connections of these types, newest first. */
export async function listConnections(
  ctx: Context,
  filter: ConnectionFilter,
  types: readonly RelationshipType[],
  { after, offset, limit }: ConnectionReach,
): Promise<Connection[]> {
  if (types.length === 0) return []
  const walks = walksOf(filter, types)
  const reach = offset + limit
  if (walks.length < 2) return page(ctx, filter, walks, { after, offset, limit })
  if (reach > MOST_MERGED)
    return page(ctx, filter, walksOf(filter, typesOf(filter)), { after, offset, limit })
  const first = { after, offset: 0, limit: reach }
  const pages = await Promise.all(walks.map(each => page(ctx, filter, [each], first)))
  return pages.flat().sort(byAge).slice(offset, reach)
}

/** Pages of types are merged here up to this place, and in the database beyond it, whose plan for all types takes long. */
const MOST_MERGED = 1_000

/** With an end given one walk begins there, else one for each type in its index that is ordered by age. */
export const walksOf = ({ sourceId, targetId }: ConnectionFilter, types: readonly RelationshipType[]) =>
  sourceId || targetId ? [types] : types.map(each => [each])

export const typesOf = ({ type }: ConnectionFilter) => (type ? [type] : relationshipTypes)

const count = (ctx: Context, filter: ConnectionFilter, types: readonly RelationshipType[]): Promise<number> =>
  readValue(
    ctx,
    `${matching(filter, types)} RETURN count(r) AS n`,
    parametersOf(ctx, filter, [types], undefined),
  )

async function page(
  ctx: Context,
  filter: ConnectionFilter,
  walks: readonly (readonly RelationshipType[])[],
  { after, offset, limit }: ConnectionReach,
): Promise<Connection[]> {
  // A walk of one type comes in the order of its index; one over all types meets a pair once for each.
  const order = filter.sourceId || filter.targetId ? `${newestFirst}, type(r)` : newestFirst
  const matches = walks.map(types => matching(filter, types))
  const branches = matches.map(match => `${match} RETURN r ORDER BY ${order} LIMIT $reach`)
  const found =
    matches.length === 1
      ? `${matches[0]} WITH r ORDER BY ${order}`
      : `CALL () { ${branches.join(' UNION ALL ')} } WITH r ORDER BY ${newestFirst}, type(r)`
  const connections = await read<Connection>(
    ctx,
    `${found} SKIP $offset LIMIT $limit
    WITH startNode(r) AS source, r, endNode(r) AS target WHERE source.tenant = $tenant AND target.tenant = $tenant
    RETURN source.id AS source_id, ${connectionProjection('r', 'target')} AS connection`,
    {
      ...parametersOf(ctx, filter, walks, after),
      reach: int(offset + limit),
      offset: int(offset),
      limit: int(limit),
    },
  )
  return connections.sort(byAge)
}

const parametersOf = (
  ctx: Context,
  { sourceId = '', targetId = '', origin, validAt }: ConnectionFilter,
  walks: readonly (readonly RelationshipType[])[],
  after: ConnectionPlace | undefined,
) => ({
  tenant: ctx.tenant,
  sourceId,
  targetId,
  types: typeNames(walks.flat()),
  origin: origin ?? '',
  filter: validityParameter(validAt),
  ...placeParameters(ctx, after),
})

/** What stands behind a place (`placeParameters`), newest first: a condition for each property of the index. */
export const isOlderThanPlace = (r: string) =>
  `${r}.createdAt >= ${BEGINNING} AND ${r}.createdAt <= ${fromMillis('$until')} AND ${r}.key IS NOT NULL
      AND NOT (${r}.createdAt = ${fromMillis('$until')}
        AND (${r}.key > $key OR (${r}.key = $key AND type(${r}) <= $type)))`

/** A key begins with the name of the tenant: none lies behind the key of the first page. */
export const placeParameters = ({ tenant }: Context, after: ConnectionPlace | undefined) => ({
  until: int(after?.createdAt ?? END_OF_TIME),
  key: after ? [tenant, after.sourceId, after.targetId].join(':') : '~',
  type: after ? typeInGraph(after.type) : '',
})

const newestFirst = 'r.tenant DESC, r.createdAt DESC, r.key DESC'

/** The same order. Times are of one length, keys of one tenant compare as their ids do. */
const byAge = (a: Connection, b: Connection) =>
  compare(b.connection.created_at, a.connection.created_at) ||
  compare(b.source_id, a.source_id) ||
  compare(b.connection.target_id, a.connection.target_id) ||
  compare(a.connection.relationship_type, b.connection.relationship_type)

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

const matching = (filter: ConnectionFilter, types: readonly RelationshipType[]) =>
  `${between(filter, types)} r.tenant = $tenant AND ${isOlderThanPlace('r')}
      AND ($origin = '' OR r.origin = $origin) AND ${passesValidity('r')}`

/**
 * The beginning of a statement with `$types` that finds connections `r` of these types, from an end where one is given. An
 * index has the connections of one type.
 */
export function between(
  { sourceId, targetId }: Pick<ConnectionFilter, 'sourceId' | 'targetId'>,
  types: readonly RelationshipType[],
): string {
  const source = sourceId ? '(s:Memory {tenant: $tenant, id: $sourceId})' : '()'
  const target = targetId ? '(t:Memory {tenant: $tenant, id: $targetId})' : '()'
  const seeks = [...(sourceId ? ['s'] : []), ...(targetId ? ['t'] : [])].map(
    end => `USING INDEX SEEK ${end}:Memory(tenant, id)`,
  )
  return seeks.length > 0
    ? `MATCH ${source}-[r:${typesInGraph()}]->${target} ${seeks.join(' ')} WHERE type(r) IN $types AND`
    : `MATCH ()-[r:${typeNames(types).join('|')}]->() WHERE`
}
