import type { Context } from '../../context.ts'
import { audit } from '../access/audit.ts'
import { removeAnswers } from '../access/idempotency.ts'
import { removeEarlier } from '../connections/earlier.ts'
import { recordRemoval } from '../feed/record.ts'
import { cleanRuns } from '../lifecycle/run-changes.ts'
import { lockPresent, unlock } from '../neo4j/lock.ts'
import { int, remove } from '../neo4j/statements.ts'
import { removeVersions } from './history.ts'
import { removeWrites } from './written.ts'

/** The part of a statement that removes the queued work of a memory `m`. */
export const removeJobs = (m: string) =>
  `CALL (${m}) { MATCH (j:Job {tenant: ${m}.tenant, memoryId: ${m}.id}) WITH j ORDER BY j.id DETACH DELETE j }`

/**
 * The part of a statement that removes a memory `m` for good, with its connections, recalls, earlier versions and connections, queued work, and the stored
 * responses that show it.
 */
export const removeWithAll = (m: string) => `${removeJobs(m)}
    CALL (${m}) { MATCH (r:Recall {tenant: ${m}.tenant, memoryId: ${m}.id}) DETACH DELETE r }
    CALL (${m}) { ${removeAnswers(`${m}.tenant`, `${m}.id`)} }
    ${removeVersions(m)}
    ${removeWrites(m)}
    ${removeEarlier(m)}
    DETACH DELETE ${m}`

type Removed = { outcome: 'applied' | 'version_mismatch' }

/**
 * Removes a memory with its connections, recall events, queued work and stored answers; also one that maintenance had
 * removed and that is still kept for an undo. Merges keep tags and metadata: it is taken out of those too.
 */
export function removeMemory(ctx: Context, id: string): Promise<Removed | undefined> {
  // In a map: for a parameter that is null at one time and not at another Neo4j plans a statement again.
  const by = { expectedVersions: ctx.expectedVersions?.map(int) ?? null }
  const target = { id, tenant: ctx.tenant, by }
  return remove<Removed>(ctx, removal, target, async (transaction, { outcome }) => {
    if (outcome !== 'applied') return
    await cleanRuns(ctx.tenant, transaction, [id], ['merge', 'supersede'])
    await audit(ctx, transaction, { target: id })
  })
}

const removal = `CALL () {
    MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id) RETURN m
    UNION ALL
    MATCH (m:RemovedMemory {tenant: $tenant, id: $id}) RETURN m
  }
  ${lockPresent('m')}
  WITH m, CASE WHEN NOT m.version IN coalesce($by.expectedVersions, [m.version]) THEN 'version_mismatch'
    ELSE 'applied' END AS outcome
  CALL (m, outcome) {
    WITH m WHERE outcome = 'version_mismatch'
    ${unlock('m')}
  }
  CALL (m, outcome) {
    WITH m WHERE outcome = 'applied'
    CALL (m) { WITH m WHERE m:Memory ${recordRemoval('m')} }
    ${removeWithAll('m')}
  }
  RETURN outcome`
