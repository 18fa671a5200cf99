import type { Context } from '../../context.ts'
import type { LineOf } from '../../contract/bundle.ts'
import { connectionKey, isOfTexts, NOW, ofTexts, rejection } from '../neo4j/projections.ts'
import { int, read, timeOf, transact } from '../neo4j/statements.ts'
import { lockEnds } from './import-connections.ts'
import type { ImportOptions, LineOutcome } from './import-memories.ts'

export type ImportedRejection = LineOf<'rejections'> & { line: number }

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
    const conflicts = rejections.filter(each => isConflict(each) && !each.suggested)
    const suggested = rejections.filter(each => each.suggested)
    const related = rejections.filter(each => !isConflict(each))
    const { tenant } = ctx
    const runOf = async (text: string, lines: readonly ImportedRejection[]) =>
      lines.length === 0 ? [] : run<LineOutcome>(text, { tenant, rows: lines.map(rowOf) })
    const kept = [...(await runOf(rejectConflicts, conflicts)), ...(await runOf(suggestConflicts, suggested))]
    if (related.length === 0) return kept
    const found = await run<LineOutcome>(
      `UNWIND $rows AS row
      MATCH (s:Memory {tenant: $tenant, id: row.source}) USING INDEX SEEK s:Memory(tenant, id)
      MATCH (t:Memory {tenant: $tenant, id: row.target}) USING INDEX SEEK t:Memory(tenant, id)
      WITH s, t, row, CASE
        WHEN ${rejection('s', 't')} IN coalesce(s.rejected, []) THEN 'unchanged'
        WHEN NOT $replace AND EXISTS { (s)-[r:RELATED_TO]-(t) WHERE r.origin = 'discovered' } THEN 'kept'
        ELSE 'created' END AS outcome
      FOREACH (_ IN CASE WHEN outcome = 'created' THEN [1] ELSE [] END |
        SET s.rejected = coalesce(s.rejected, []) + [${rejection('s', 't')}])
      RETURN row.line AS line, outcome`,
      { tenant, replace, rows: related.map(rowOf) },
    )
    return [...kept, ...found]
  })

const isConflict = ({ relationship_type: type }: ImportedRejection) => type === 'contradicts'

const rejectConflicts = `UNWIND $rows AS row
  MATCH (s:Memory {tenant: $tenant, id: row.source}) USING INDEX SEEK s:Memory(tenant, id)
  MATCH (t:Memory {tenant: $tenant, id: row.target}) USING INDEX SEEK t:Memory(tenant, id)
  MERGE (s)-[r:MAY_CONTRADICT {pair: ${connectionKey('$tenant', 's', 't')}}]->(t)
  ON CREATE SET r.ofTenant = $tenant, r.createdAt = ${NOW}
  WITH r, row, ${ofTexts('s', 't')} AS revisions
  WITH r, row, revisions, CASE WHEN r.status = 'rejected' AND r.revisions = revisions THEN 'unchanged' ELSE 'created' END AS outcome
  SET r.status = 'rejected', r.revisions = revisions
  RETURN row.line AS line, outcome`

/** Where the two memories say here what they said there, unless they are compared already. */
const suggestConflicts = `UNWIND $rows AS row
  MATCH (s:Memory {tenant: $tenant, id: row.source}) USING INDEX SEEK s:Memory(tenant, id)
  MATCH (t:Memory {tenant: $tenant, id: row.target}) USING INDEX SEEK t:Memory(tenant, id)
  OPTIONAL MATCH (s)-[there:MAY_CONTRADICT {pair: ${connectionKey('$tenant', 's', 't')}}]->(t)
  WITH s, t, row, CASE
    WHEN [s.textDigest, t.textDigest] <> row.digests THEN 'kept'
    WHEN there IS NULL OR NOT ${isOfTexts('there', 's', 't')} THEN 'created'
    WHEN there.status = 'suggested' THEN 'unchanged'
    ELSE 'kept' END AS outcome
  CALL (s, t, row, outcome) {
    WITH s, t, row WHERE outcome = 'created'
    MERGE (s)-[r:MAY_CONTRADICT {pair: ${connectionKey('$tenant', 's', 't')}}]->(t)
    SET r.ofTenant = $tenant, r.status = 'suggested', r.createdAt = row.createdAt, r.revisions = ${ofTexts('s', 't')},
      r.rule = row.rule, r.reason = row.reason
  }
  RETURN row.line AS line, outcome`

/** What `importRejections` would do. */
export const dryRunRejections = (
  ctx: Context,
  rejections: readonly ImportedRejection[],
): Promise<LineOutcome[]> =>
  read<LineOutcome>(
    ctx,
    `UNWIND $rows AS row
    OPTIONAL MATCH (s:Memory {tenant: $tenant, id: row.source}) USING INDEX SEEK s:Memory(tenant, id)
    OPTIONAL MATCH (t:Memory {tenant: $tenant, id: row.target}) USING INDEX SEEK t:Memory(tenant, id)
    RETURN row.line AS line, CASE
      WHEN coalesce(${rejection('s', 't')} IN s.rejected, false) THEN 'unchanged' ELSE 'created' END AS outcome`,
    { tenant: ctx.tenant, rows: rejections.map(rowOf) },
  )

const rowOf = ({ line, source_id: source, target_id: target, suggested }: ImportedRejection) => ({
  line: int(line),
  source,
  target,
  ...(suggested && {
    rule: suggested.rule,
    reason: suggested.reason,
    digests: suggested.digests,
    createdAt: timeOf(suggested.created_at),
  }),
})
