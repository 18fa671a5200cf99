import type { Context } from '../../context.ts'
import type { LineOf } from '../../contract/bundle.ts'
import { relationshipTypes } from '../../contract/connections.ts'
import { keepChanged, keepConnection } from '../connections/earlier.ts'
import { allConnectionProperties } from '../connections/fields.ts'
import { COSINE_TOLERANCE } from '../connections/neighbours.ts'
import { recordConnectionChange } from '../feed/record.ts'
import { queueDiscovery } from '../jobs/enqueue.ts'
import { lockMemories } from '../memories/lock.ts'
import { BEGINNING, connectionKey, isAsInRow, NOW, ofTexts, typeInGraph } from '../neo4j/projections.ts'
import { int, read, type Transaction, time, timeOf, transact, write } from '../neo4j/statements.ts'
import { type ImportOptions, isOlder, type LineOutcome } from './import-memories.ts'

export type ImportedConnection = LineOf<'connections'> & { line: number }

/**
 * Takes connections over, in one transaction that locks their ends in the order of their ids first. Returns what became
 * of each by its line; one without both ends in the tenant is missing from the answer.
 */
export const importConnections = (
  ctx: Context,
  connections: readonly ImportedConnection[],
  options: ImportOptions,
): Promise<LineOutcome[]> =>
  transact(ctx, async ({ run }) => {
    await lockEnds(ctx, run, connections)
    return run<LineOutcome>(importAll, {
      tenant: ctx.tenant,
      ...options,
      property: ctx.space.property,
      model: ctx.space.model,
      threshold: ctx.discoveryThreshold,
      tolerance: COSINE_TOLERANCE,
      rows: connections.map(connectionRow),
    })
  })

/** Locks the memories that lines are about. */
export const lockEnds = (
  { tenant }: Context,
  run: Transaction['run'],
  lines: readonly { source_id: string; target_id: string }[],
) =>
  lockMemories(
    { run },
    lines.flatMap(({ source_id, target_id }) => [source_id, target_id].map(id => ({ tenant, id }))),
  )

const connectionRow = (row: ImportedConnection) => ({
  line: int(row.line),
  source: row.source_id,
  target: row.target_id,
  type: typeInGraph(row.relationship_type),
  recordedAt: timeOf(row.recorded_at),
  figures: allConnectionProperties(row),
})

/** Whether a row is what similarity has discovered: a chat model discovers connections of other types. */
const isBySimilarity = "(row.figures.origin = 'discovered' AND row.type = 'RELATED_TO')"

/** Whether a row is what a chat model has found: it is judged again when a text changes here. */
const isJudged =
  "(row.figures.origin = 'discovered' AND row.type <> 'RELATED_TO' AND row.figures.reason IS NOT NULL)"

/** Of a connection `there` between `s` and `t`. Two memories have at most one discovered one, whichever way it points. */
const connectionOutcome = `CASE
    WHEN ${isAsInRow('there')} THEN 'unchanged'
    WHEN unwarranted THEN 'kept'
    WHEN there IS NULL AND ${isBySimilarity} AND related AND NOT $replace THEN 'kept'
    WHEN there IS NULL THEN 'created'
    WHEN $replace OR (there.origin = 'discovered' AND row.figures.origin = 'asserted') THEN 'updated'
    ELSE 'kept' END`

/**
 * Whether `s` and `t` are not as near as a discovered connection says: one of them has got another content. Not known while
 * a vector is missing: the discovery of that end is still to come, and decides.
 */
const isUnwarranted = `CASE WHEN ${isBySimilarity} THEN
    2 * vector.similarity.cosine(s[$property], t[$property]) - 1
      < CASE WHEN row.figures.model = $model THEN row.figures.threshold ELSE $threshold END - $tolerance END`

/** What `importConnections` would do if both ends of each were there, with the contents that the bundle has. */
export const dryRunConnections = (
  ctx: Context,
  connections: readonly ImportedConnection[],
  { replace }: ImportOptions,
): Promise<LineOutcome[]> =>
  read(ctx, dryRunAll, { tenant: ctx.tenant, replace, rows: connections.map(connectionRow) })

const dryRunAll = `UNWIND $rows AS row
  OPTIONAL MATCH (s:Memory {tenant: $tenant, id: row.source})-[there:$(row.type)]->(t:Memory {tenant: $tenant, id: row.target})
    USING INDEX SEEK s:Memory(tenant, id) USING INDEX SEEK t:Memory(tenant, id)
  WITH row, there, EXISTS {
    MATCH (a:Memory {tenant: $tenant, id: row.source})-[:RELATED_TO]-(b:Memory {tenant: $tenant, id: row.target})
    USING INDEX SEEK a:Memory(tenant, id) USING INDEX SEEK b:Memory(tenant, id)
  } AS related, false AS unwarranted
  RETURN row.line AS line, ${connectionOutcome} AS outcome`

const importAll = `UNWIND $rows AS row
  MATCH (s:Memory {tenant: $tenant, id: row.source}) USING INDEX SEEK s:Memory(tenant, id)
  MATCH (t:Memory {tenant: $tenant, id: row.target}) USING INDEX SEEK t:Memory(tenant, id)
  OPTIONAL MATCH (s)-[there:$(row.type)]->(t)
  WITH s, t, row, there, EXISTS { (s)-[:RELATED_TO]-(t) } AS related, ${isUnwarranted} AS unwarranted
  WITH s, t, row, ${connectionOutcome} AS outcome
  CALL (s, t, row) {
    WITH s, t WHERE $replace AND ${isBySimilarity}
    MATCH (t)-[back:RELATED_TO]->(s) WHERE back.origin = 'discovered'
    ${recordConnectionChange('disconnected', 'back', 't', 's')}
    ${keepConnection('back', 't', 's')}
    DELETE back
  }
  CALL (s, t, row, outcome) {
    WITH s, t, row, ${NOW} AS now WHERE outcome IN ['created', 'updated']
    MERGE (s)-[r:$(row.type)]->(t)
    ON CREATE SET r.recordedAt = row.recordedAt
    ${keepChanged('r.key IS NOT NULL', 'r', 's', 't')}
    SET r.key = ${connectionKey('$tenant', 's', 't')}, r.tenant = $tenant, r += row.figures,
      r.judged = CASE WHEN ${isJudged} THEN ${ofTexts('s', 't')} END
    ${recordConnectionChange('connected', 'r', 's', 't')}
  }
  CALL (s, t, row, outcome) {
    WITH s, t, row WHERE $replace OR outcome <> 'kept'
    MATCH (s)-[r:$(row.type)]->(t)
    SET r.importedBy = CASE WHEN $replace THEN $run ELSE r.importedBy END
    REMOVE r.copiedBy
  }
  RETURN row.line AS line, outcome`

/**
 * Removes at most `most` connections of each type that were there before an import began and are not in it. What was related is
 * discovered again: a bundle does not know of discoveries after it was made.
 */
export async function removeOtherConnections(
  ctx: Context,
  run: string,
  before: number,
  most: number,
): Promise<number> {
  const [row] = await write<{ removed: number }>(
    ctx,
    `CALL () { ${relationshipTypes
      .map(
        type => `MATCH ()-[r:${typeInGraph(type)}]->()
        WHERE r.tenant = $tenant AND r.createdAt >= ${BEGINNING} AND ${isOlder('r')}
          AND r.key IS NOT NULL AND coalesce(r.importedBy, '') <> $run
        RETURN r LIMIT $most`,
      )
      .join(' UNION ALL ')} }
    WITH r, startNode(r) AS s, endNode(r) AS t
    WITH r, s, t, type(r) = 'RELATED_TO' AND s.state = 'active' AND t.state = 'active' AS related
    ${recordConnectionChange('disconnected', 'r', 's', 't')}
    ${keepConnection('r', 's', 't')}
    DELETE r
    WITH count(*) AS removed, collect(DISTINCT CASE WHEN related THEN s END) AS starts
    CALL (starts) {
      UNWIND starts AS m
      REMOVE m.discoveredRevision
      WITH m
      ${queueDiscovery}
    }
    RETURN removed`,
    { tenant: ctx.tenant, run, before: time(before), most: int(most) },
  )
  return row?.removed ?? 0
}
