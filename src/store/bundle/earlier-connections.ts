import type { Context } from '../../context.ts'
import type { LineOf } from '../../contract/bundle.ts'
import { allConnectionProperties } from '../connections/fields.ts'
import { filterParameters, type MemoryFilter, passes } from '../memories/filter.ts'
import { isoTime, shownFields, typeInGraph } from '../neo4j/projections.ts'
import { int, read, timeOf, transact } from '../neo4j/statements.ts'
import { lockEnds } from './import-connections.ts'
import type { LineOutcome } from './import-memories.ts'

type Line = LineOf<'earlier_connections'>

/** Where a walk over the earlier connections of a tenant stands: behind the one of this key from the memory. */
export type EarlierPlace = { sourceId: string; key: string }

/** One line for each: the time of its end, its target and its type tell it from the others of its source. */
const keyOf = (c: string) =>
  `format(${c}.until, "uuuu-MM-dd'T'HH:mm:ss.SSSX") + ' ' + ${c}.targetId + ' ' + ${c}.type`

/** The earlier connections behind a place; `line` is null where an end is gone or does not pass the filter. */
export const exportEarlier = (
  ctx: Context,
  { from, filter }: { from: EarlierPlace; filter: MemoryFilter },
  count: number,
): Promise<(EarlierPlace & { line: Omit<Line, 'section'> | null })[]> =>
  read(
    ctx,
    `MATCH (c:EarlierConnection) WHERE c.tenant = $tenant AND c.sourceId >= $sourceId AND c.until IS NOT NULL
    WITH c, ${keyOf('c')} AS key WHERE c.sourceId > $sourceId OR key > $key
    WITH c, key ORDER BY c.sourceId, key LIMIT $count
    OPTIONAL MATCH (s:Memory {tenant: $tenant, id: c.sourceId}) USING INDEX SEEK s:Memory(tenant, id) WHERE ${passes('s')}
    OPTIONAL MATCH (t:Memory {tenant: $tenant, id: c.targetId}) USING INDEX SEEK t:Memory(tenant, id) WHERE ${passes('t')}
    RETURN c.sourceId AS sourceId, key, CASE WHEN s IS NOT NULL AND t IS NOT NULL THEN {
      source_id: c.sourceId, target_id: c.targetId, relationship_type: toLower(c.type), ${shownFields('c')},
      at: ${isoTime('c.at')}, until: ${isoTime('c.until')}} END AS line
    ORDER BY sourceId, key`,
    { tenant: ctx.tenant, ...filterParameters(filter), ...from, count: int(count) },
  )

export type ImportedEarlier = Line & { line: number }

/** Adds earlier connections. Answers what became of each by its line; one without both ends is missing from the answer. */
export const importEarlier = (ctx: Context, lines: readonly ImportedEarlier[]): Promise<LineOutcome[]> =>
  transact(ctx, async ({ run }) => {
    await lockEnds(ctx, run, lines)
    return run<LineOutcome>(
      `UNWIND $rows AS row
      MATCH (s:Memory {tenant: $tenant, id: row.source}) USING INDEX SEEK s:Memory(tenant, id)
      MATCH (t:Memory {tenant: $tenant, id: row.target}) USING INDEX SEEK t:Memory(tenant, id)
      WITH row, ${isKnown} AS known
      FOREACH (_ IN CASE WHEN known THEN [] ELSE [1] END |
        CREATE (c:EarlierConnection {tenant: $tenant, sourceId: row.source, targetId: row.target, type: row.type})
        SET c += row.figures)
      RETURN row.line AS line, ${outcome} AS outcome`,
      { tenant: ctx.tenant, rows: lines.map(rowOf) },
    )
  })

/** What `importEarlier` would do. */
export const classifyEarlier = (ctx: Context, lines: readonly ImportedEarlier[]): Promise<LineOutcome[]> =>
  read<LineOutcome>(
    ctx,
    `UNWIND $rows AS row
    WITH row, ${isKnown} AS known
    RETURN row.line AS line, ${outcome} AS outcome`,
    { tenant: ctx.tenant, rows: lines.map(rowOf) },
  )

const isKnown = `EXISTS {
      MATCH (c:EarlierConnection {tenant: $tenant, sourceId: row.source, until: row.figures.until})
      WHERE c.targetId = row.target AND c.type = row.type
    }`

const outcome = `CASE WHEN known THEN 'unchanged' ELSE 'created' END`

const rowOf = (row: ImportedEarlier) => ({
  line: int(row.line),
  source: row.source_id,
  target: row.target_id,
  type: typeInGraph(row.relationship_type),
  figures: { ...allConnectionProperties(row), at: timeOf(row.at), until: timeOf(row.until) },
})
