import type { Context } from '../../context.ts'
import type { LineOf } from '../../contract/bundle.ts'
import { propertiesOf } from '../memories/fields.ts'
import { lockNow } from '../neo4j/lock.ts'
import { isAsInRow } from '../neo4j/projections.ts'
import { int, read, timeOf, write } from '../neo4j/statements.ts'
import { metadataTokens } from '../neo4j/tokens.ts'
import type { LineOutcome } from './import-memories.ts'

export type ImportedVersion = LineOf<'versions'> & { line: number }

/**
 * Adds earlier versions to memories, so that no number names two texts: a number that the memory has or will give stays as it
 * is here. Returns what became of each by its line; one without its memory is missing from the answer.
 */
export const importVersions = (ctx: Context, versions: readonly ImportedVersion[]): Promise<LineOutcome[]> =>
  write<LineOutcome>(
    ctx,
    `UNWIND $rows AS row
    MATCH (m:Memory {tenant: $tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
    ${lockNow('m')}
    WITH m, row
    ${sameNumber}
    WITH m, row, CASE WHEN row.version >= m.version OR NOT $keeps THEN 'kept' ELSE ${outcome} END AS outcome
    FOREACH (_ IN CASE WHEN outcome = 'created' THEN [1] ELSE [] END |
      MERGE (v:Version {tenant: $tenant, memoryId: row.id, version: row.version})
      SET v += row.figures, v.createdAt = m.createdAt, v.metadataKeys = row.metadataKeys)
    RETURN row.line AS line, outcome`,
    { ...parameters(ctx, versions), keeps: ctx.app.config.historyVersions > 0 },
  )

/** What `importVersions` would do. */
export const dryRunVersions = (ctx: Context, versions: readonly ImportedVersion[]): Promise<LineOutcome[]> =>
  read<LineOutcome>(
    ctx,
    `UNWIND $rows AS row
    ${sameNumber}
    RETURN row.line AS line, ${outcome} AS outcome`,
    parameters(ctx, versions),
  )

const sameNumber = 'OPTIONAL MATCH (v:Version {tenant: $tenant, memoryId: row.id, version: row.version})'

const outcome = `CASE WHEN v IS NULL THEN 'created' WHEN ${isAsInRow('v')} THEN 'unchanged' ELSE 'kept' END`

const parameters = ({ tenant }: Context, versions: readonly ImportedVersion[]) => ({
  tenant,
  rows: versions.map(rowOf).sort((a, b) => (a.id < b.id ? -1 : 1)),
})

function rowOf({ section: _, line, memory_id: id, version, at, author, reason, ...fields }: ImportedVersion) {
  const figures = { ...propertiesOf(fields), at: timeOf(at), author, reason }
  return {
    line: int(line),
    id,
    version: int(version),
    figures,
    metadataKeys: metadataTokens(fields.metadata),
  }
}
