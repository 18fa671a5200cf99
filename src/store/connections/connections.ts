import type { Context } from '../../context.ts'
import { type Connection, type RelationshipType, relationshipTypes } from '../../contract/connections.ts'
import { recordConnectionChange } from '../feed/record.ts'
import { lockNow } from '../neo4j/lock.ts'
import {
  BEGINNING,
  connectionKey,
  connectionProjection,
  NOW,
  typeInGraph,
  typesInGraph,
} from '../neo4j/projections.ts'
import { int, read, remove, write } from '../neo4j/statements.ts'

type Ends = { sourceId: string; targetId: string }

export type ConnectVerdict =
  | 'connected'
  | 'source_missing'
  | 'target_missing'
  | 'source_archived'
  | 'target_archived'

/**
 * Connects two memories of the tenant. Both are locked in the order of their ids first, so that two writers of the
 * same pair run one after the other. An edge that exists keeps its age, takes the strength when one is sent, and is asserted now.
 */
export async function connectMemories(
  ctx: Context,
  { sourceId, targetId }: Ends,
  type: RelationshipType,
  strength: number | undefined,
): Promise<{ verdict: ConnectVerdict; connection: Connection | null }> {
  const [row] = await write<{ verdict: ConnectVerdict; connection: Connection | null }>(
    ctx,
    `CYPHER 25
    OPTIONAL MATCH (source:Memory {tenant: $tenant, id: $sourceId}) USING INDEX SEEK source:Memory(tenant, id)
    OPTIONAL MATCH (target:Memory {tenant: $tenant, id: $targetId}) USING INDEX SEEK target:Memory(tenant, id)
    ${lockEnds}
    WITH source, target, CASE
      WHEN source IS NULL THEN 'source_missing'
      WHEN target IS NULL THEN 'target_missing'
      WHEN source.state = 'archived' THEN 'source_archived'
      WHEN target.state = 'archived' THEN 'target_archived'
      ELSE 'connected' END AS verdict
    CALL (source, target, verdict) {
      WITH source, target WHERE verdict = 'connected'
      OPTIONAL MATCH (source)-[before:${typeInGraph(type)}]->(target)
      WITH source, target, before IS NULL OR before.origin <> 'asserted'
        OR coalesce(before.strength <> $strength, $strength IS NOT NULL) AS changed
      MERGE (source)-[r:${typeInGraph(type)}]->(target)
      ON CREATE SET r.key = ${connectionKey('$tenant', 'source', 'target')}, r.tenant = $tenant,
        r.createdAt = ${NOW}
      SET r.origin = 'asserted', r.strength = coalesce($strength, r.strength)
      REMOVE r.model, r.threshold
      WITH source, target, r, changed
      CALL (source, target, r, changed) {
        WITH source, target, r WHERE changed
        ${recordConnectionChange('connected', 'r', 'source', 'target')}
      }
      RETURN {source_id: source.id, connection: ${connectionProjection('r', 'target')}} AS connection
      UNION ALL
      WITH verdict WHERE verdict <> 'connected'
      RETURN null AS connection
    }
    RETURN verdict, connection`,
    { tenant: ctx.tenant, sourceId, targetId, strength: strength ?? null },
  )
  return row as NonNullable<typeof row>
}

/**
 * Removes the connections from one memory to another, of one type or of all. Answers how many there were. Of two who
 * remove the same only one finds it.
 */
export async function disconnectMemories(
  ctx: Context,
  { sourceId, targetId }: Ends,
  type: RelationshipType | undefined,
): Promise<number> {
  const row = await remove<{ deleted: number }>(
    ctx,
    `CYPHER 25
    MATCH (source:Memory {tenant: $tenant, id: $sourceId}) USING INDEX SEEK source:Memory(tenant, id)
    MATCH (target:Memory {tenant: $tenant, id: $targetId}) USING INDEX SEEK target:Memory(tenant, id)
    ${lockEnds}
    WITH source, target
    MATCH (source)-[r:${typesInGraph(type && [type])}]->(target)
    ${recordConnectionChange('disconnected', 'r', 'source', 'target')}
    DELETE r
    WITH count(*) AS deleted WHERE deleted > 0
    RETURN deleted`,
    { tenant: ctx.tenant, sourceId, targetId },
  )
  return row?.deleted ?? 0
}

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
}

/** One page of connections, newest first, and how many there are in all. */
export async function listConnections(
  ctx: Context,
  filter: ConnectionFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ connections: Connection[]; total: number }> {
  const matches = matching(filter)
  // A branch of one type comes in the order of its index; one over all types meets a pair once for each.
  const order = filter.sourceId || filter.targetId ? `${newestFirst}, type(r)` : newestFirst
  const branches = matches.map(match => `${match} RETURN r ORDER BY ${order} LIMIT $reach`)
  const counts = matches.map(match => `${match} RETURN count(r) AS n`)
  const [row] = await read<{ connections: Connection[]; total: number }>(
    ctx,
    `CYPHER 25
    CALL () { ${counts.join(' UNION ALL ')} }
    WITH sum(n) AS total
    CALL () {
      CALL () { ${branches.join(' UNION ALL ')} }
      WITH r ORDER BY ${newestFirst}, type(r) SKIP $offset LIMIT $limit
      WITH startNode(r) AS source, r, endNode(r) AS target WHERE source.tenant = $tenant AND target.tenant = $tenant
      RETURN collect({source_id: source.id, connection: ${connectionProjection('r', 'target')}}) AS connections
    }
    RETURN connections, total`,
    {
      tenant: ctx.tenant,
      sourceId: filter.sourceId ?? null,
      targetId: filter.targetId ?? null,
      origin: filter.origin ?? null,
      reach: int(offset + limit),
      offset: int(offset),
      limit: int(limit),
    },
  )
  return row ?? { connections: [], total: 0 }
}

const newestFirst = 'r.tenant DESC, r.createdAt DESC, r.key DESC'

/** With an end given one walk begins there, else one for each type in its index that is ordered by age. */
function matching({ sourceId, targetId, type }: ConnectionFilter): string[] {
  const source = sourceId ? '(s:Memory {tenant: $tenant, id: $sourceId})' : '()'
  const target = targetId ? '(t:Memory {tenant: $tenant, id: $targetId})' : '()'
  const seeks = [...(sourceId ? ['s'] : []), ...(targetId ? ['t'] : [])].map(
    end => `USING INDEX SEEK ${end}:Memory(tenant, id)`,
  )
  const types = type ? [type] : relationshipTypes
  return (sourceId || targetId ? [typesInGraph(types)] : types.map(typeInGraph)).map(
    each => `MATCH ${source}-[r:${each}]->${target} ${seeks.join(' ')}
    WHERE r.tenant = $tenant AND r.createdAt >= ${BEGINNING} AND r.key IS NOT NULL
      AND ($origin IS NULL OR r.origin = $origin)`,
  )
}
