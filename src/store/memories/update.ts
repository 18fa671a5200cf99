import type { Context } from '../../context.ts'
import type { Clearable, Memory } from '../../contract/memory.ts'
import { writeNaming } from '../access/usage.ts'
import { ownVector } from '../embeddings/vectors.ts'
import { recordMemoryChange } from '../feed/record.ts'
import { queueDiscovery } from '../jobs/enqueue.ts'
import { unlock } from '../neo4j/lock.ts'
import { type MemoryColumns, memoryColumns, memoryOf, NOW, spaceParameter } from '../neo4j/projections.ts'
import { int } from '../neo4j/statements.ts'
import { keyProperties, liveUntil, textProperties } from '../neo4j/tokens.ts'
import { type GivenFields, namedProperties, propertiesOf } from './fields.ts'
import { keepVersion } from './history.ts'
import { isUnexpected, lockMemory, targetOf, type WriteOutcome } from './write.ts'
import { isWritten, recordWrite } from './written.ts'

type Changes = Omit<GivenFields, 'content' | 'ttl_seconds'>
type Cleared = Omit<Changes, Clearable> & { readonly [Name in Clearable]?: Changes[Name] | null }

export type MemoryChanges = {
  content?: { text: string; embedding: { vector: Float32Array; truncated: boolean } | null } | undefined
  ttlSeconds?: number | undefined
  /** All else that callers give; null takes a value away. */
  given: Cleared
  /** The kinds of secrets in the changed texts, and the places whose marks they replace. */
  marks: { readonly found: readonly string[]; readonly places: readonly string[] }
  reason?: string
}

type Updated = { outcome: WriteOutcome; grew: boolean; memory: MemoryColumns }

/**
 * Changes what is given. An expired memory that gets a new limit is discovered again: what was written in the meantime
 * did not find it. `writeId` names this write: running it again changes nothing.
 * @throws ServiceError `quota_exceeded` for a longer content
 */
export async function updateMemory(
  ctx: Context,
  id: string,
  writeId: string,
  changes: MemoryChanges,
): Promise<{ outcome: WriteOutcome; memory: Memory } | undefined> {
  const { content, ttlSeconds, given, marks, reason = null } = changes
  const [row] = await writeNaming<Updated>(
    ctx,
    { policies: given.policy === undefined ? [] : [given.policy], grows: content !== undefined },
    `CYPHER 25
    MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id)
    ${lockMemory}
    WITH m, ${NOW} AS now, size(m.content) AS was, CASE
      WHEN ${isWritten('m')} THEN 'applied'
      WHEN m.state = 'archived' THEN 'archived'
      WHEN ${isUnexpected} THEN 'version_mismatch'
      WHEN coalesce($changes.policy, m.policy) = 'pinned' AND coalesce($new.ttlSeconds, m.ttlSeconds) > 0 THEN 'pinned_with_limit'
      WHEN ${changed('validFrom')} >= ${changed('validUntil')} THEN 'empty_span'
      ELSE 'apply' END AS outcome
    CALL (m, now, outcome) {
      WITH m, now, $new.content IS NOT NULL AND $new.content <> m.content AS rewritten,
        $new.ttlSeconds IS NOT NULL AND m.liveUntil <= now.epochMillis AS revived,
        [f IN $given WHERE NOT coalesce(m[f.property] = $changes[f.property], m[f.property] IS NULL AND $changes[f.property] IS NULL) | f.name]
          + CASE WHEN $new.content <> m.content THEN ['content'] ELSE [] END
          + CASE WHEN $new.ttlSeconds <> m.ttlSeconds THEN ['ttl_seconds'] ELSE [] END AS fields
        WHERE outcome = 'apply'
      ${keepVersion('m')}
      SET m.author = $by.author, m.reason = $new.reason
      SET m.maintainedAt = CASE WHEN $changes.policy <> m.policy THEN now ELSE m.maintainedAt END,
        m.importanceSince = CASE WHEN $changes.importance IS NULL THEN m.importanceSince ELSE now END
      SET m.sensitive = [mark IN coalesce(m.sensitive, [])
        WHERE NOT (CASE WHEN mark CONTAINS ':' THEN split(mark, ':')[0] ELSE 'content' END) IN $marks.places] + $marks.found
      SET m += $changes, m.updatedAt = now, m.version = m.version + 1
      ${recordWrite('m')}
      WITH m, now, rewritten, revived, fields
      CALL (m, now) {
        WITH m, now WHERE $new.ttlSeconds IS NOT NULL
        SET m.ttlSeconds = $new.ttlSeconds,
          m.expiresAt = CASE WHEN $new.ttlSeconds > 0 THEN now + duration({seconds: $new.ttlSeconds}) END
        SET m.liveUntil = ${liveUntil('m')}
      }
      CALL (m, rewritten) {
        WITH m WHERE rewritten
        SET m.content = $new.content, m += $text, m.revision = m.revision + 1
        FOREACH (name IN [key IN keys(m) WHERE key STARTS WITH 'embedding'] | REMOVE m[name])
        SET m[$space.truncated] = $new.truncated
      }
      CALL (m, rewritten, revived) {
        WITH m WHERE rewritten OR revived
        REMOVE m.discoveredRevision
        WITH m
        ${queueDiscovery}
      }
      CALL (m, rewritten) {
        WITH m WHERE rewritten AND $new.vector IS NOT NULL
        CALL db.create.setNodeVectorProperty(m, $space.property, $new.vector)
      }
      ${recordMemoryChange('updated', 'm', 'fields')}
    }
    ${unlock('m')}
    RETURN CASE outcome WHEN 'apply' THEN 'applied' ELSE outcome END AS outcome,
      size(m.content) > was AS grew, ${memoryColumns('m')} AS memory`,
    {
      ...targetOf(ctx, id),
      writeId,
      marks,
      changes: {
        ...propertiesOf(given),
        ...keyProperties(given),
      },
      new: {
        content: content?.text ?? null,
        vector: content?.embedding ? ownVector(ctx.tenant, id, content.embedding.vector) : null,
        truncated: content?.embedding?.truncated ?? null,
        ttlSeconds: ttlSeconds === undefined ? null : int(ttlSeconds),
        reason,
      },
      text: content ? textProperties(content.text) : {},
      given: namedProperties(given).map(({ name, property }) => ({ name, property })),
      space: spaceParameter(ctx),
    },
  )
  return row && { outcome: row.outcome, memory: memoryOf(ctx, row.memory) }
}

/** A property of `m` as it is after the changes. */
const changed = (property: string) =>
  `CASE WHEN '${property}' IN keys($changes) THEN $changes.${property} ELSE m.${property} END`
