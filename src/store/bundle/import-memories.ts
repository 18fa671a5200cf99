import type { Context, Space } from '../../context.ts'
import type { LineOf } from '../../contract/bundle.ts'
import { ownerOf } from '../../contract/private.ts'
import { mapInSlices } from '../../platform/time-slices.ts'
import { writeNaming } from '../access/usage.ts'
import { ownVector } from '../embeddings/vectors.ts'
import { recordMemoryChange, recordMemoryChangeAs } from '../feed/record.ts'
import { queueDiscovery } from '../jobs/enqueue.ts'
import { cleanRuns } from '../lifecycle/run-changes.ts'
import { propertiesOf } from '../memories/fields.ts'
import { keepVersion } from '../memories/history.ts'
import { BURST_MS } from '../memories/recalls.ts'
import { removeWithAll } from '../memories/remove.ts'
import { writerOf } from '../memories/write.ts'
import { lock, unlock } from '../neo4j/lock.ts'
import { isAsInRow } from '../neo4j/projections.ts'
import { int, read, time, transact, write } from '../neo4j/statements.ts'
import { keyProperties, live, liveUntil, scopeToken } from '../neo4j/tokens.ts'

export type ImportOutcome = 'created' | 'updated' | 'unchanged' | 'kept'
/** How an import goes about what is there already; `run` marks what the bundle has, if `marks` is set. */
export type ImportOptions = { run: string; replace: boolean; marks: boolean }

export type ImportedMemory = LineOf<'memories'> & {
  vector: { values: Float32Array; truncated: boolean } | null
}

/**
 * Imports memories with their ids, figures and times. Returns a outcome for each. Running it again changes nothing. A memory
 * that changes gets a new version, as no version names two texts; one whose id maintenance has removed takes its place.
 */
export async function importMemories(
  ctx: Context,
  memories: readonly ImportedMemory[],
  space: Space | undefined,
  options: ImportOptions,
): Promise<LineOutcome[]> {
  const done = await importPresent(ctx, memories, space, options)
  const ids = new Set(done.map(({ id }) => id))
  const missed = memories.filter(({ id }) => !ids.has(id))
  return missed.length === 0 ? done : [...done, ...(await importMemories(ctx, missed, space, options))]
}

type LineOutcome = { id: string; outcome: ImportOutcome }

/** The same, in one transaction. A memory that was removed while this waited for it is missing from the result. */
const importPresent = async (
  ctx: Context,
  memories: readonly ImportedMemory[],
  space: Space | undefined,
  options: ImportOptions,
): Promise<LineOutcome[]> =>
  writeNaming<LineOutcome & { grew: boolean }>(
    ctx,
    { policies: [...new Set(memories.map(({ policy }) => policy))], grows: true },
    `CYPHER 25
    UNWIND $rows AS row
    MERGE (m:Memory {tenant: $tenant, id: row.id})
    ${lock('m')}
    WITH m, row, m.lock AND m.removedBy IS NULL AS present
    ${unlock('m')}
    WITH m, row WHERE present
    ${lastVersion}
    WITH m, row, ${memoryOutcome} AS outcome, CASE WHEN lastVersion < row.version THEN row.version ELSE lastVersion + 1 END AS version,
      coalesce(m.content <> row.figures.content, false) AS rewritten,
      coalesce(NOT ${live('m')}, false) AS asleep,
      coalesce(size(row.figures.content) > size(m.content), true) AS longer
    FOREACH (_ IN CASE WHEN $marks THEN [1] ELSE [] END | SET m.importedBy = $run)
    WITH m, row, outcome, version, rewritten, longer, outcome IN ['created', 'updated'] AS taken,
      row.hasVector OR (m[$active] IS NOT NULL AND NOT rewritten) AS embedded, rewritten OR asleep AS stale
    CALL (m, outcome) {
      WITH m WHERE outcome = 'updated'
      ${keepVersion('m')}
    }
    CALL (m, outcome) {
      WITH m WHERE outcome = 'created'
      MATCH (gone:RemovedMemory {tenant: $tenant, id: m.id})
      DETACH DELETE gone
    }
    CALL (m, row, taken, version, rewritten) {
      WITH m, row, version, rewritten WHERE taken
      FOREACH (name IN CASE WHEN rewritten THEN [key IN keys(m) WHERE key STARTS WITH 'embedding'] ELSE [] END |
        REMOVE m[name])
      SET m += row.figures, m += row.derived, m.version = version,
        m.revision = CASE WHEN rewritten THEN m.revision + 1 ELSE coalesce(m.revision, 1) END
      SET m.liveUntil = ${liveUntil('m')}
    }
    CALL (m, outcome, taken) {
      WITH m, outcome WHERE taken
      ${recordMemoryChangeAs('outcome', 'm')}
    }
    CALL (m, row, taken) {
      WITH m, row WHERE taken
      MATCH (r:Recall {tenant: $tenant, memoryId: m.id}) WHERE r.foldedBy IS NULL AND NOT r.at IN row.recalls
      DETACH DELETE r
    }
    CALL (m, row, taken) {
      WITH m, row WHERE taken
      UNWIND row.recalls AS at
      WITH m, at WHERE NOT EXISTS {
        MATCH (r:Recall {tenant: $tenant, memoryId: m.id}) WHERE r.foldedBy IS NULL AND r.at = at
      }
      MERGE (r:Recall {id: $tenant + ':' + m.id + ':imported:' + toString(at.epochMillis)})
      SET r.tenant = $tenant, r.memoryId = m.id, r.at = at
      REMOVE r.foldedBy, r.foldedAt
    }
    CALL (m, row, outcome) {
      WITH m, row WHERE row.vector IS NOT NULL AND (outcome IN ['created', 'updated']
        OR (outcome = 'unchanged' AND m[$property] IS NULL))
      SET m[$truncated] = row.truncated
      WITH m, row
      CALL db.create.setNodeVectorProperty(m, $property, row.vector)
    }
    CALL (m, row, taken, embedded, stale) {
      WITH m WHERE m.state = 'active' AND (row.undiscovered OR (taken AND (stale OR NOT embedded)))
      REMOVE m.discoveredRevision
      WITH m
      ${queueDiscovery}
    }
    CALL (m, outcome, embedded) {
      WITH m WHERE outcome = 'created' AND m.state = 'active' AND embedded
      SET m.discoveredRevision = m.revision
    }
    RETURN row.id AS id, outcome, taken AND longer AS grew`,
    {
      tenant: ctx.tenant,
      ...options,
      active: ctx.space.property,
      by: writerOf(ctx),
      property: space?.property ?? null,
      truncated: space?.truncated ?? null,
      rows: (await mapInSlices(memories, memory => rowOf(ctx, memory, space))).sort((a, b) =>
        a.id < b.id ? -1 : 1,
      ),
    },
  )

const memoryOutcome = `CASE
  WHEN m.version IS NULL THEN 'created'
  WHEN ${isAsInRow('m')} AND (m.version >= row.version OR NOT $replace) THEN 'unchanged'
  WHEN $replace OR row.figures.updatedAt > m.updatedAt THEN 'updated'
  ELSE 'kept' END`

/** The greatest version that a memory with this id has had, also one that maintenance has removed; 0 if there is none. */
const lastVersion = `CALL (m) {
      UNWIND [m.version] + COLLECT { MATCH (v:Version {tenant: $tenant, memoryId: m.id}) WHERE v.version IS NOT NULL RETURN v.version }
        + COLLECT { MATCH (gone:RemovedMemory {tenant: $tenant, id: m.id}) RETURN gone.version } AS version
      RETURN coalesce(max(version), 0) AS lastVersion
    }`

/** What `importMemories` would do. */
export const dryRunMemories = async (
  ctx: Context,
  memories: readonly ImportedMemory[],
  { replace }: ImportOptions,
): Promise<LineOutcome[]> =>
  read(
    ctx,
    `CYPHER 25
    UNWIND $rows AS row
    OPTIONAL MATCH (m:Memory {tenant: $tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
    RETURN row.id AS id, ${memoryOutcome} AS outcome`,
    {
      tenant: ctx.tenant,
      replace,
      rows: await mapInSlices(memories, memory => rowOf(ctx, memory, undefined)),
    },
  )

/** `figures` is what the bundle says and what is compared; `derived` follows from it. */
function rowOf(ctx: Context, { vector, ...line }: ImportedMemory, space: Space | undefined) {
  const { section: _section, id, version, recalls: _recalls, community, ...figures } = line
  const recalls = line.recalls.map(Date.parse)
  const lastRecalled = line.last_recalled_at === null ? null : Date.parse(line.last_recalled_at)
  const hasVectors = space !== undefined && space.id === ctx.space.id
  return {
    id,
    version: int(version),
    recalls: recalls.map(time),
    vector: space && vector ? ownVector(ctx.tenant, id, vector.values) : null,
    truncated: vector?.truncated ?? false,
    hasVector: hasVectors && vector !== null,
    // Its connections are not in the bundle, and those that come with a vector are not discovered.
    undiscovered: hasVectors && vector === null,
    figures: propertiesOf(figures),
    derived: {
      scope: scopeToken(ctx.tenant, line.state),
      owner: ownerOf(ctx.tenant) ?? null,
      ...keyProperties(line),
      community,
      recallOrder: int(lastRecalled ?? 0),
      recallBurstEnds: lastRecalled === null ? null : int(lastRecalled + BURST_MS),
      foldedRecalls: int(line.recall_count - recalls.length),
    },
  }
}

export const timeOf = (value: string | null) => (value === null ? null : time(Date.parse(value)))

/** Marks memories that the bundle has too, though they are not taken over: `removeOthers` leaves them. */
export const markMemories = (ctx: Context, ids: readonly string[], run: string) =>
  write(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
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
      `CYPHER 25
      MATCH (m:Memory) WHERE m.tenant = $tenant AND ${isOlder('m')} AND coalesce(m.importedBy, '') <> $run
      WITH m, m.id AS id LIMIT $most
      CALL (m) { ${recordMemoryChange('removed', 'm')} }
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
