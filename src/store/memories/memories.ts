import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memories.ts'
import { ownVector } from '../embeddings/vectors.ts'
import { recordMemoryChange } from '../feed/record.ts'
import { queueDiscovery } from '../jobs/enqueue.ts'
import {
  isoTime,
  type MemoryColumns,
  memoryColumns,
  memoryOf,
  NOW,
  spaceParameter,
} from '../neo4j/projections.ts'
import { int, read, remove, write } from '../neo4j/statements.ts'
import { liveUntil, policyProperties, scopeToken, tagProperties } from '../neo4j/tokens.ts'

/**
 * Reads one memory. With `record`, appends a recall event in the same transaction, unless one began within the last
 * 30 seconds: of those who come at once the first appends it, and the others find it.
 */
export async function getMemory(
  ctx: Context,
  id: string,
  { record, embedding }: { record: boolean; embedding: boolean },
): Promise<Memory | undefined> {
  const parameters = { id, tenant: ctx.tenant, space: spaceParameter(ctx) }
  const answer = `WITH m WHERE m.version IS NOT NULL AND m.removedBy IS NULL
      RETURN ${memoryColumns('m')} AS memory${embedding ? ', m[$space.property] AS vector' : ''}`
  const text = record
    ? `CYPHER 25
      MATCH (m:Memory {id: $id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = $tenant
      CALL (m) {
        WITH m, ${NOW} AS now WHERE ${isOver('m', 'now')}
        ${lockMemory}
        WITH m, ${NOW} AS now
        WITH m, now, ${isOver('m', 'now')} AS isFirst
        ${unlock}
        WITH m, now WHERE isFirst
        CREATE (:Recall {id: randomUUID(), tenant: m.tenant, memoryId: m.id, at: now})
        SET m.recallCount = m.recallCount + 1, m.lastRecalledAt = now, m.recallOrder = now.epochMillis,
          m.recallBurstEnds = now.epochMillis + ${BURST_MS}
      }
      ${answer}`
    : `CYPHER 25
      MATCH (m:Memory {id: $id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = $tenant
      ${answer}`
  const [row] = await (record ? write : read)<{ memory: MemoryColumns; vector?: number[] | null }>(
    ctx,
    text,
    parameters,
  )
  if (!row) return undefined
  const memory = memoryOf(ctx, row.memory)
  if (embedding) memory.embedding.vector = row.vector ?? null
  return memory
}

/** So long repeats of a recall merge into one. */
export const BURST_MS = 30_000

/** Whether the last burst of recalls has ended; one that ends later than it could was written by a clock that ran ahead. */
const isOver = (m: string, now: string) =>
  `NOT 0 < coalesce(${m}.recallBurstEnds - ${now}.epochMillis, 0) <= ${BURST_MS}`

/** Memories by id, those of the tenant only, in no order. */
export async function getMemories(ctx: Context, ids: readonly string[]): Promise<Map<string, Memory>> {
  const rows = await read<{ memory: MemoryColumns }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {id: id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = $tenant
    RETURN ${memoryColumns('m')} AS memory`,
    { ids, tenant: ctx.tenant, space: spaceParameter(ctx) },
  )
  return new Map(rows.map(({ memory }) => [memory[0], memoryOf(ctx, memory)]))
}

export type MemoryChanges = {
  content?: { text: string; embedding: { vector: Float32Array; truncated: boolean } | null } | undefined
  policy?: string | undefined
  ttlSeconds?: number | undefined
  tags?: readonly string[] | undefined
  importance?: number | undefined
}

export type WriteVerdict = 'applied' | 'archived' | 'version_mismatch' | 'pinned_with_limit'

/**
 * Locks `m`, so that what is read after this is what is changed. The lock is let go at the end of the statement. One that
 * was removed while this waited for it goes no further: to write to it does nothing, without an error.
 */
const lock = 'SET m.lock = true WITH * WHERE m.lock'
/** The same for what is a memory still: maintenance may have removed it. */
const lockMemory = `${lock} AND m.removedBy IS NULL`
const unlock = 'REMOVE m.lock'

const unexpected = '$expectedVersions IS NOT NULL AND NOT m.version IN $expectedVersions'

/**
 * Changes what is given. One whose time was over and that gets a new limit is discovered anew: what was written meanwhile
 * did not find it. `writeId` names this write: running it again changes nothing.
 */
export async function updateMemory(
  ctx: Context,
  id: string,
  writeId: string,
  changes: MemoryChanges,
): Promise<{ verdict: WriteVerdict; memory: Memory } | undefined> {
  const { content, policy, ttlSeconds, tags, importance } = changes
  const [row] = await write<{ verdict: WriteVerdict; memory: MemoryColumns }>(
    ctx,
    `CYPHER 25
    MATCH (m:Memory {id: $id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = $tenant
    ${lockMemory}
    WITH m, ${NOW} AS now, CASE
      WHEN m.writeId = $writeId THEN 'applied'
      WHEN m.state = 'archived' THEN 'archived'
      WHEN ${unexpected} THEN 'version_mismatch'
      WHEN coalesce($changes.policy, m.policy) = 'pinned' AND coalesce($ttlSeconds, m.ttlSeconds) > 0 THEN 'pinned_with_limit'
      ELSE 'apply' END AS verdict
    CALL (m, now, verdict) {
      WITH m, now, $content IS NOT NULL AND $content <> m.content AS rewritten,
        $ttlSeconds IS NOT NULL AND m.liveUntil <= now.epochMillis AS revived WHERE verdict = 'apply'
      SET m.maintainedAt = CASE WHEN $changes.policy <> m.policy THEN now ELSE m.maintainedAt END,
        m.importanceSince = CASE WHEN $changes.importance IS NULL THEN m.importanceSince ELSE now END
      SET m += $changes, m.updatedAt = now, m.version = m.version + 1, m.writeId = $writeId
      ${recordMemoryChange('updated', 'm')}
      WITH m, now, rewritten, revived
      CALL (m, now) {
        WITH m, now WHERE $ttlSeconds IS NOT NULL
        SET m.ttlSeconds = $ttlSeconds,
          m.expiresAt = CASE WHEN $ttlSeconds > 0 THEN now + duration({seconds: $ttlSeconds}) END
        SET m.liveUntil = ${liveUntil('m')}
      }
      CALL (m, rewritten) {
        WITH m WHERE rewritten
        SET m.content = $content, m.revision = m.revision + 1
        FOREACH (name IN [key IN keys(m) WHERE key STARTS WITH 'embedding'] | REMOVE m[name])
        SET m[$space.truncated] = $truncated
      }
      CALL (m, rewritten, revived) {
        WITH m WHERE rewritten OR revived
        REMOVE m.discoveredRevision
        WITH m
        ${queueDiscovery}
      }
      CALL (m, rewritten) {
        WITH m WHERE rewritten AND $vector IS NOT NULL
        CALL db.create.setNodeVectorProperty(m, $space.property, $vector)
      }
    }
    ${unlock}
    RETURN CASE verdict WHEN 'apply' THEN 'applied' ELSE verdict END AS verdict, ${memoryColumns('m')} AS memory`,
    {
      ...target(ctx, id),
      writeId,
      changes: {
        ...(policy === undefined ? {} : policyProperties(policy)),
        ...(tags === undefined ? {} : tagProperties(tags)),
        ...(importance === undefined ? {} : { importance }),
      },
      content: content?.text ?? null,
      vector: content?.embedding ? ownVector(id, content.embedding.vector) : null,
      truncated: content?.embedding?.truncated ?? null,
      ttlSeconds: ttlSeconds === undefined ? null : int(ttlSeconds),
      space: spaceParameter(ctx),
    },
  )
  return row && { verdict: row.verdict, memory: memoryOf(ctx, row.memory) }
}

type Archived = { verdict: WriteVerdict; archived_at: string }

/** Takes a memory out of active search and lists. One that is archived already stays as it is. */
export async function archiveMemory(
  ctx: Context,
  id: string,
  writeId: string,
): Promise<Archived | undefined> {
  const [row] = await write<Archived>(
    ctx,
    `CYPHER 25
    MATCH (m:Memory {id: $id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = $tenant
    ${lockMemory}
    WITH m, CASE
      WHEN m.writeId = $writeId THEN 'applied'
      WHEN ${unexpected} THEN 'version_mismatch'
      WHEN m.state = 'archived' THEN 'applied'
      ELSE 'apply' END AS verdict
    CALL (m, verdict) {
      WITH m, ${NOW} AS now WHERE verdict = 'apply'
      SET m.state = 'archived', m.liveUntil = 0, m.scope = $scope, m.archivedAt = now, m.updatedAt = now, m.version = m.version + 1,
        m.writeId = $writeId
      ${recordMemoryChange('archived', 'm')}
    }
    ${unlock}
    RETURN CASE verdict WHEN 'apply' THEN 'applied' ELSE verdict END AS verdict,
      ${isoTime('m.archivedAt')} AS archived_at`,
    {
      ...target(ctx, id),
      writeId,
      scope: scopeToken(ctx.tenant, 'archived'),
    },
  )
  return row
}

/**
 * Removes a memory with its connections, recall events, queued work and stored answers; also one that maintenance had
 * removed and that is still kept for an undo.
 */
export const removeMemory = (ctx: Context, id: string): Promise<{ verdict: WriteVerdict } | undefined> =>
  remove(ctx, removal, target(ctx, id))

const removal = `CYPHER 25
  CALL () {
    MATCH (m:Memory {id: $id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = $tenant RETURN m
    UNION ALL
    MATCH (m:RemovedMemory {id: $id}) WHERE m.tenant = $tenant RETURN m
  }
  ${lock}
  WITH m, CASE WHEN ${unexpected} THEN 'version_mismatch' ELSE 'applied' END AS verdict
  CALL (m, verdict) {
    WITH m WHERE verdict = 'version_mismatch'
    ${unlock}
  }
  CALL (m, verdict) {
    WITH m WHERE verdict = 'applied'
    CALL (m) { WITH m WHERE m:Memory ${recordMemoryChange('removed', 'm')} }
    CALL (m) { MATCH (j:Job {memoryId: m.id}) WHERE j.tenant = m.tenant DETACH DELETE j }
    CALL (m) { MATCH (r:Recall {memoryId: m.id}) WHERE r.tenant = m.tenant DETACH DELETE r }
    CALL (m) { MATCH (m)<-[:ANSWERED]-(i:IdempotentRequest) SET i.state = 'gone' REMOVE i.answer }
    DETACH DELETE m
  }
  RETURN verdict`

/**
 * Makes a memory active with full health. A time limit that had run out starts anew. Undefined also for one that
 * was removed while this waited for it.
 */
export async function restoreMemory(ctx: Context, id: string): Promise<Memory | undefined> {
  const [row] = await write<{ memory: MemoryColumns }>(
    ctx,
    `CYPHER 25
    MATCH (m:Memory {id: $id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = $tenant
    ${lockMemory}
    ${unlock}
    WITH m, ${NOW} AS now
    WITH m, now, coalesce(m.expiresAt <= now, false) AS expired
    CALL (m, now, expired) {
      WITH m, now, expired WHERE m.state = 'archived' OR expired
      SET m.state = 'active', m.scope = $scope, m.health = 100.0, m.maintainedAt = now, m.updatedAt = now, m.version = m.version + 1
      REMOVE m.archivedAt, m.discoveredRevision
      SET m.expiresAt = CASE WHEN expired THEN now + duration({seconds: m.ttlSeconds}) ELSE m.expiresAt END
      SET m.liveUntil = ${liveUntil('m')}
      ${recordMemoryChange('restored', 'm')}
      WITH m
      ${queueDiscovery}
    }
    RETURN ${memoryColumns('m')} AS memory`,
    { ...target(ctx, id), scope: scopeToken(ctx.tenant, 'active'), space: spaceParameter(ctx) },
  )
  return row && memoryOf(ctx, row.memory)
}

const target = (ctx: Context, id: string) => ({
  id,
  tenant: ctx.tenant,
  expectedVersions: ctx.expectedVersions?.map(int) ?? null,
})
