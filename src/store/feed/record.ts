import { openTime } from '../neo4j/closed.ts'

/**
 * What the feed records of a change, as a clause of the statement that makes the change: both are there or neither. It
 * must stand where a repeated statement does not come again. No content goes in. The change gets its number when
 * somebody reads (`feed.ts`), so that writers never wait for one another here.
 *
 * The time is taken behind the locks that the change needs: the first writer there is first in the feed.
 */

/** A closed tenant lets things go only. */
const common = (tenant: string, kind: string) =>
  `tenant: ${tenant}, unnumbered: ${tenant}, kind: ${kind},
    at: ${["'removed'", "'disconnected'", "'policy_deleted'"].includes(kind) ? "datetime.realtime('Z')" : openTime(tenant)}`

/**
 * A memory `m` was changed: it has its new version already. `kind` and `fields` are expressions, of the names of what changed.
 * Here is counted what a tenant stores, too: the change keeps what it adds to the memories, the archived ones and the
 * characters, compared with what `m` was counted as before.
 */
export const recordMemoryChange = (kind: string, m: string, fields: string) =>
  `CREATE (change:Change {${common(`${m}.tenant`, kind)}, memoryId: ${m}.id,
    version: CASE WHEN ${kind} <> 'removed' THEN ${m}.version END, fields: ${fields}, usage: coalesce(${m}.counted, [0, 0, 0])})
    SET ${m}.counted = CASE ${kind} WHEN 'removed' THEN [0, 0, 0] ELSE ${counted(m)} END
    SET change.usage = [i IN [0, 1, 2] | ${m}.counted[i] - change.usage[i]]`

/** A memory `m` is about to be removed. */
export const recordRemoval = (m: string) =>
  `CREATE (:Change {${common(`${m}.tenant`, "'removed'")}, memoryId: ${m}.id,
    usage: [i IN [0, 1, 2] | -coalesce(${m}.counted, [0, 0, 0])[i]]})`

/** The same for a memory `m` that did not exist before and knows what it is counted as. */
export const recordNewMemory = (m: string) =>
  `CREATE (:Change {${common(`${m}.tenant`, "'created'")}, memoryId: ${m}.id, version: ${m}.version, usage: ${m}.counted})`

/** What a memory `m` counts as: memories, archived ones, characters. */
export const counted = (m: string) => `[1, toInteger(${m}.state = 'archived'), size(${m}.content)]`

/** A memory `m` got the vector of its current version later than this was written: now it can be compared. */
export const recordLateVector = (m: string) =>
  `CREATE (:Change {${common(`${m}.tenant`, "'embedded'")}, memoryId: ${m}.id, version: ${m}.version})
    SET ${m}.lateVersion = ${m}.version`

/** A connection `r` between `source` and `target` was made, changed, or is about to be removed. */
export const recordConnectionChange = (
  kind: 'connected' | 'disconnected',
  r: string,
  source = `startNode(${r})`,
  target = `endNode(${r})`,
) => `CREATE (:Change {${common(`${source}.tenant`, `'${kind}'`)}, memoryId: ${source}.id, targetId: ${target}.id,
    type: toLower(type(${r})), strength: ${r}.strength, origin: ${r}.origin})`

/** A policy `p` was put or deleted. */
export const recordPolicyChange = (kind: 'policy_put' | 'policy_deleted', p: string) =>
  `CREATE (:Change {${common(`${p}.tenant`, `'${kind}'`)}, policy: ${p}.name})`
