import type { Context } from '../../context.ts'
import type { LineOf } from '../../contract/bundle.ts'
import { connectionKey, NOW, ofTexts, rejection } from '../neo4j/projections.ts'
import { int, read, transact } from '../neo4j/statements.ts'
import { lockEnds } from './import-connections.ts'
import type { ImportOptions, ImportOutcome } from './import-memories.ts'

export type ImportedRejection = LineOf<'rejections'> & { line: number }

type LineOutcome = { line: number; outcome: ImportOutcome }

/**
 * Takes over that discovery leaves two memories alone, as their contents are here. A connection that discovery made here stays, unless
 * the bundle replaces. Returns what became of each by its line; one without both memories is missing from the answer.
 */
export const importRejections = (
  ctx: Context,
  rejections: readonly ImportedRejection[],
  { replace }: ImportOptions,
): Promise<LineOutcome[]> =>
  transact(ctx, async ({ run }) => {
    await lockEnds(ctx, run, rejections)
    const conflicts = rejections.filter(isConflict)
    const related = rejections.filter(each => !isConflict(each))
    const kept =
      conflicts.length === 0
        ? []
        : await run<LineOutcome>(rejectConflicts, { tenant: ctx.tenant, rows: conflicts.map(rowOf) })
    if (related.length === 0) return kept
    const found = await run<LineOutcome>(
      `CYPHER 25
      UNWIND $rows AS row
      MATCH (s:Memory {tenant: $tenant, id: row.source}) USING INDEX SEEK s:Memory(tenant, id)
      MATCH (t:Memory {tenant: $tenant, id: row.target}) USING INDEX SEEK t:Memory(tenant, id)
      WITH s, t, row, CASE
        WHEN ${rejection('s', 't')} IN coalesce(s.rejected, []) THEN 'unchanged'
        WHEN NOT $replace AND EXISTS { (s)-[r:RELATED_TO]-(t) WHERE r.origin = 'discovered' } THEN 'kept'
        ELSE 'created' END AS outcome
      FOREACH (_ IN CASE WHEN outcome = 'created' THEN [1] ELSE [] END |
        SET s.rejected = coalesce(s.rejected, []) + [${rejection('s', 't')}])
      RETURN row.line AS line, outcome`,
      { tenant: ctx.tenant, replace, rows: related.map(rowOf) },
    )
    return [...kept, ...found]
  })

const isConflict = ({ relationship_type: type }: ImportedRejection) => type === 'contradicts'

const rejectConflicts = `CYPHER 25
  UNWIND $rows AS row
  MATCH (s:Memory {tenant: $tenant, id: row.source}) USING INDEX SEEK s:Memory(tenant, id)
  MATCH (t:Memory {tenant: $tenant, id: row.target}) USING INDEX SEEK t:Memory(tenant, id)
  MERGE (s)-[r:MAY_CONTRADICT {pair: ${connectionKey('$tenant', 's', 't')}}]->(t)
  ON CREATE SET r.ofTenant = $tenant, r.createdAt = ${NOW}
  WITH r, row, ${ofTexts('s', 't')} AS revisions
  WITH r, row, revisions, CASE WHEN r.status = 'rejected' AND r.revisions = revisions THEN 'unchanged' ELSE 'created' END AS outcome
  SET r.status = 'rejected', r.revisions = revisions
  RETURN row.line AS line, outcome`

/** What `importRejections` would do. */
export const dryRunRejections = (
  ctx: Context,
  rejections: readonly ImportedRejection[],
): Promise<LineOutcome[]> =>
  read<LineOutcome>(
    ctx,
    `CYPHER 25
    UNWIND $rows AS row
    OPTIONAL MATCH (s:Memory {tenant: $tenant, id: row.source}) USING INDEX SEEK s:Memory(tenant, id)
    OPTIONAL MATCH (t:Memory {tenant: $tenant, id: row.target}) USING INDEX SEEK t:Memory(tenant, id)
    RETURN row.line AS line, CASE
      WHEN coalesce(${rejection('s', 't')} IN s.rejected, false) THEN 'unchanged' ELSE 'created' END AS outcome`,
    { tenant: ctx.tenant, rows: rejections.map(rowOf) },
  )

const rowOf = ({ line, source_id: source, target_id: target }: ImportedRejection) => ({
  line: int(line),
  source,
  target,
})
