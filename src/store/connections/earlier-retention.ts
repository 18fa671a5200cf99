import type { Context } from '../../context.ts'
import { fromMillis, inMillis } from '../neo4j/projections.ts'
import { int, read, readValues, write } from '../neo4j/statements.ts'

/** What decides how long an earlier connection is kept; the time is in milliseconds. */
export type EarlierRow = {
  readonly ref: string
  readonly source: string
  readonly target: string
  readonly type: string
  readonly until: number
}

/** Of the sources in descending order, the next earlier connections behind a place, of each source the latest first. */
export const readEarlierBehind = (
  { app, tenant, signal }: Context,
  { source, until }: { source: string; until: number },
  most: number,
): Promise<EarlierRow[]> =>
  read<EarlierRow>(
    { app, signal },
    `MATCH (c:EarlierConnection) WHERE c.tenant = $tenant AND c.sourceId <= $source AND c.until IS NOT NULL
      AND (c.sourceId < $source OR c.until < ${fromMillis('$until')})
    WITH c ORDER BY c.tenant DESC, c.sourceId DESC, c.until DESC LIMIT $most
    RETURN elementId(c) AS ref, c.sourceId AS source, c.targetId AS target, c.type AS type, ${inMillis('c.until')} AS until`,
    { tenant, source, until: int(until), most: int(most) },
  )

/** Since when something is kept of each of these memories: the memory as it is, or a version. None of one that is gone. */
export async function keptSince(ctx: Context, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await read<{ id: string; at: number | null }>(
    ctx,
    `UNWIND $ids AS id
    CALL (id) {
      MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id) RETURN m.updatedAt AS at
      UNION ALL
      MATCH (m:RemovedMemory {tenant: $tenant, id: id}) USING INDEX SEEK m:RemovedMemory(tenant, id) RETURN m.updatedAt AS at
      UNION ALL
      MATCH (v:Version {tenant: $tenant, memoryId: id}) WHERE v.version IS NOT NULL RETURN v.at AS at
    }
    WITH id, min(at) AS at
    RETURN id, ${inMillis('at')} AS at`,
    { tenant: ctx.tenant, ids },
  )
  return new Map(rows.flatMap(({ id, at }) => (at === null ? [] : [[id, at]])))
}

/** Neo4j may give the place of one that is gone to another one since, so each is compared. */
export const removeEarlierOnes = (ctx: Context, rows: readonly EarlierRow[]) =>
  write(
    ctx,
    `UNWIND $rows AS row
    MATCH (c:EarlierConnection) WHERE elementId(c) = row.ref AND c.tenant = $tenant
      AND c.sourceId = row.source AND c.targetId = row.target AND c.type = row.type AND ${inMillis('c.until')} = row.until
    DELETE c`,
    { tenant: ctx.tenant, rows },
  )

/** How far the last round has come: behind which source the next begins. */
export async function readEarlierPlace(ctx: Context): Promise<string | null> {
  const [place = null] = await readValues<string | null>(
    ctx,
    'MATCH (f:Feed {tenant: $tenant}) RETURN f.earlierPlace AS place',
    { tenant: ctx.tenant },
  )
  return place
}

export const keepEarlierPlace = (ctx: Context, place: string | null) =>
  write(ctx, 'MATCH (f:Feed {tenant: $tenant}) SET f.earlierPlace = $place', {
    tenant: ctx.tenant,
    place,
  })
