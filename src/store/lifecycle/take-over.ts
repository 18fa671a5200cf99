import type { Context } from '../../context.ts'
import { keepChanged, keepConnection } from '../connections/earlier.ts'
import { copiedProperties } from '../connections/fields.ts'
import { recordConnectionChange } from '../feed/record.ts'
import { queueDiscovery } from '../jobs/enqueue.ts'
import {
  connectionKey,
  isNewer,
  isNotRejected,
  isOfTexts,
  NOW,
  ofTexts,
  otherEnd,
} from '../neo4j/projections.ts'
import type { Transaction } from '../neo4j/statements.ts'
import { holdsNow } from '../neo4j/tokens.ts'
import type { PlannedChange } from './figures.ts'

/** The other ends of the connections that memories would take over. */
export const copiedEnds = (ctx: Context, transaction: Transaction, changes: readonly PlannedChange[]) =>
  endsOf(ctx, transaction, connectedWith, { ids: changes.flatMap(({ mergedIds = [] }) => mergedIds) })

/** The other ends of the connections that a run gave to memories. */
export const copyEnds = (
  ctx: Context,
  transaction: Transaction,
  runId: string,
  changes: readonly PlannedChange[],
) => endsOf(ctx, transaction, givenBy, { ids: keptIn(changes), runId })

const keptIn = (changes: readonly PlannedChange[]) =>
  changes.flatMap(({ memory_id, mergedIds }) => (mergedIds ? [memory_id] : []))

async function endsOf(
  { tenant }: Context,
  { run }: Transaction,
  text: string,
  of: { ids: string[]; runId?: string },
): Promise<string[]> {
  if (of.ids.length === 0) return []
  return (await run<{ id: string }>(text, { tenant, ...of })).map(({ id }) => id)
}

/**
 * Gives a memory the connections and the suggested conflicts of those that are merged into it, unless it has them. They are marked with the run, until a
 * caller, an import or discovery makes them too. A suggestion stays once somebody has reviewed it.
 */
export async function copyConnections(
  ctx: Context,
  { run }: Transaction,
  runId: string,
  changes: readonly PlannedChange[],
): Promise<void> {
  const rows = changes.flatMap(({ memory_id: id, mergedIds = [] }) =>
    mergedIds.map(merged => ({ id, merged, group: [id, ...mergedIds] })),
  )
  if (rows.length === 0) return
  const parameters = { tenant: ctx.tenant, runId, rows }
  await run(copyOutgoing, parameters)
  await run(copyIncoming, parameters)
  await run(copySuggestions, parameters)
}

/** Removes the connections and the suggestions that a run gave to memories. */
export async function giveBack(
  ctx: Context,
  { run }: Transaction,
  runId: string,
  changes: readonly PlannedChange[],
): Promise<void> {
  const ids = keptIn(changes)
  if (ids.length === 0) return
  await run(removeCopies, { tenant: ctx.tenant, runId, ids })
  await run(removeSuggestions, { tenant: ctx.tenant, runId, ids })
}

const connectedWith = `UNWIND $ids AS id
  MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
  MATCH (m)--${otherEnd('n')} WHERE n.tenant = $tenant
  RETURN DISTINCT n.id AS id`

const givenBy = `UNWIND $ids AS id
  MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
  MATCH (m)-[r]-${otherEnd('n')} WHERE n.tenant = $tenant AND r.copiedBy = $runId
  RETURN DISTINCT n.id AS id`

const matchRow = `UNWIND $rows AS row
  MATCH (m:Memory {tenant: $tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  MATCH (d:Memory {tenant: $tenant, id: row.merged}) USING INDEX SEEK d:Memory(tenant, id)`

/** What a chat model has found is judged again when a text of the new ends changes. */
const copied = (
  source: string,
  target: string,
) => `{tenant: $tenant, ${copiedProperties('r')}, recordedAt: now, copiedBy: $runId,
    key: ${connectionKey('$tenant', source, target)}, judged: CASE WHEN r.judged IS NOT NULL THEN ${ofTexts(source, target)} END}`

const isOfItsTexts = (r: string) => isOfTexts(r, `startNode(${r})`, `endNode(${r})`)

/** A discovered connection that waits for a new discovery of an end, or that somebody has rejected here, is not passed on. */
const isWarranted = `(r.origin = 'asserted' OR (d.discoveredRevision = d.revision AND other.discoveredRevision = other.revision
      AND ${isNotRejected('m', 'other')} AND NOT (type(r) = 'CONTRADICTS'
        AND EXISTS { (m)-[own:MAY_CONTRADICT]-(other) WHERE own.status = 'rejected' AND ${isOfItsTexts('own')} })))`

/**
 * Of several that would be copied one that holds is, and an asserted one before a discovered one, which discovery may retire: it
 * takes the place of an own discovered one too. Two memories have one discovered connection of a type, whichever way it points.
 */
const copy = (pattern: string, source: string, target: string) => `${matchRow}
  MATCH ${pattern} WHERE r.tenant = $tenant AND other.tenant = $tenant AND NOT other.id IN row.group
    AND ${isWarranted}
  WITH m, other, r ORDER BY ${holdsNow('r')} DESC, r.origin
  WITH m, other, type(r) AS type, collect(r)[0] AS r
  WITH m, other, type, r, ${NOW} AS now
  WHERE NOT EXISTS { MATCH (${source})-[own]->(${target}) WHERE type(own) = type AND (own.origin = 'asserted' OR NOT ${holdsNow('r')}) }
    AND NOT (r.origin = 'discovered' AND EXISTS { MATCH (m)-[own]-(other) WHERE type(own) = type })
  MERGE (${source})-[c:$(type)]->(${target})
  ${keepChanged('c.key IS NOT NULL', 'c', source, target)}
  SET c = ${copied(source, target)}
  ${recordConnectionChange('connected', 'c', source, target)}`

const copyOutgoing = copy(`(d)-[r]->${otherEnd('other')}`, 'm', 'other')

const copyIncoming = copy(`${otherEnd('other')}-[r]->(d)`, 'other', 'm')

/** An asserted one may have taken the place of a discovered one, which its ends find again. */
const removeCopies = `UNWIND $ids AS id
  MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
  MATCH (m)-[r]-() WHERE r.tenant = $tenant AND r.copiedBy = $runId
  WITH DISTINCT r
  WITH r, r.origin = 'asserted' AS asserted, [startNode(r), endNode(r)] AS ends
  ${recordConnectionChange('disconnected', 'r')}
  ${keepConnection('r')}
  DELETE r
  WITH ends WHERE asserted
  UNWIND ends AS m
  WITH DISTINCT m WHERE m.state = 'active'
  REMOVE m.discoveredRevision
  WITH m
  ${queueDiscovery}`

const copySuggestions = `${matchRow}
  MATCH (d)-[r:MAY_CONTRADICT]-${otherEnd('other')} WHERE other.tenant = $tenant AND NOT other.id IN row.group
    AND r.status = 'suggested' AND ${isOfItsTexts('r')}
    AND NOT EXISTS { (m)-[own:MAY_CONTRADICT]-(other) WHERE ${isOfItsTexts('own')} }
  WITH m, other, collect(r)[0] AS r, ${isNewer('m', 'other')} AS isNewer
  WITH r, CASE WHEN isNewer THEN m ELSE other END AS newer, CASE WHEN isNewer THEN other ELSE m END AS older
  MERGE (newer)-[c:MAY_CONTRADICT {pair: ${connectionKey('$tenant', 'newer', 'older')}}]->(older)
  SET c.ofTenant = $tenant, c.status = 'suggested', c.createdAt = r.createdAt, c.revisions = ${ofTexts('newer', 'older')},
    c.rule = r.rule, c.reason = r.reason, c.copiedBy = $runId`

const removeSuggestions = `UNWIND $ids AS id
  MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
  MATCH (m)-[r:MAY_CONTRADICT]-${otherEnd('n')} WHERE n.tenant = $tenant AND r.copiedBy = $runId AND r.status = 'suggested'
  DELETE r`
