import type { Context } from '../../context.ts'
import { recordRemoval } from '../feed/record.ts'
import { cleanRuns } from '../lifecycle/run-changes.ts'
import { versionsOf } from '../memories/history.ts'
import { removeWithAll } from '../memories/remove.ts'
import { lockPresent } from '../neo4j/lock.ts'
import { int, type Running, time, transact, write } from '../neo4j/statements.ts'

export type ImportOutcome = 'created' | 'updated' | 'unchanged' | 'kept'
/** What became of a line of a bundle. */
export type LineOutcome = { line: number; outcome: ImportOutcome }
/** How an import goes about what is there already; `run` marks what the bundle has, if `marks` is set. */
export type ImportOptions = { run: string; replace: boolean; marks: boolean }

/** The greatest version that memories of these ids have had, also of those that maintenance has removed. */
export async function lastVersions(
  { run }: Running,
  tenant: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await run<{ id: string; version: number }>(
    `UNWIND $ids AS id
    CALL (id) {
      ${versionsOf('$tenant', 'id')} RETURN v.version AS version
      UNION ALL
      MATCH (gone:RemovedMemory {tenant: $tenant, id: id}) RETURN gone.version AS version
    }
    RETURN id, 1.0 * max(version) AS version`,
    { tenant, ids },
  )
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/** Makes room for memories that an import creates: nobody has them, or the transaction fails. What maintenance has removed under their ids goes. */
export const makeRoom = ({ run }: Running, tenant: string, ids: readonly string[]) =>
  run(
    `UNWIND $ids AS id
    CREATE (m:Memory {tenant: $tenant, id: id})
    WITH m.id AS id
    MATCH (gone:RemovedMemory {tenant: $tenant, id: id})
    DETACH DELETE gone`,
    { tenant, ids },
  )

export type ImportedRecalls = { readonly id: string; readonly recalls: readonly number[] }

/** Gives memories the recalls of the bundle that no run has accounted for, in milliseconds, in place of those that they have. */
export const putRecalls = ({ run }: Running, tenant: string, rows: readonly ImportedRecalls[]) =>
  run(
    `UNWIND $rows AS row
    CALL (row) {
      MATCH (r:Recall {tenant: $tenant, memoryId: row.id}) WHERE r.foldedBy IS NULL AND NOT r.at IN row.recalls
      DETACH DELETE r
    }
    UNWIND row.recalls AS at
    WITH row, at WHERE NOT EXISTS {
      MATCH (r:Recall {tenant: $tenant, memoryId: row.id}) WHERE r.foldedBy IS NULL AND r.at = at
    }
    MERGE (r:Recall {id: $tenant + ':' + row.id + ':imported:' + toString(at.epochMillis)})
    SET r.tenant = $tenant, r.memoryId = row.id, r.at = at
    REMOVE r.foldedBy, r.foldedAt`,
    { tenant, rows: rows.map(({ id, recalls }) => ({ id, recalls: recalls.map(time) })) },
  )

/** Marks memories that the bundle has too, though they are not taken over: `removeOthers` leaves them. */
export const markMemories = (ctx: Context, ids: readonly string[], run: string) =>
  write(
    ctx,
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    SET m.importedBy = $run`,
    { tenant: ctx.tenant, ids: ids.toSorted(), run },
  )

/** Whether something was there before `$before`: what is of the future came by an import, and was not made since. */
export const isOlder = (what: string) => `NOT ($before <= ${what}.createdAt <= datetime.realtime('Z'))`

/** Removes at most `most` memories that were there before an import began and are not in it, with all that hangs on them. */
export const removeOthers = (
  ctx: Context,
  importRun: string,
  before: number,
  most: number,
): Promise<number> =>
  transact(ctx, async ({ run }) => {
    const removed = await run<{ id: string }>(
      `MATCH (m:Memory) WHERE m.tenant = $tenant AND ${isOlder('m')} AND coalesce(m.importedBy, '') <> $run
      WITH m, m.id AS id LIMIT $most
      WITH m, id ORDER BY id
      ${lockPresent('m')}
      CALL (m) { ${recordRemoval('m')} }
      ${removeWithAll('m')}
      RETURN id`,
      { tenant: ctx.tenant, run: importRun, before: time(before), most: int(most) },
    )
    await cleanRuns(
      ctx.tenant,
      { run },
      removed.map(({ id }) => id),
    )
    return removed.length
  })
