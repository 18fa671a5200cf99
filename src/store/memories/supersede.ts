import type { Context } from '../../context.ts'
import { becomesAsserted } from '../connections/fields.ts'
import { recordConnectionChange, recordMemoryChange } from '../feed/record.ts'
import { connectionKey, NOW } from '../neo4j/projections.ts'
import type { Transaction } from '../neo4j/statements.ts'
import { liveUntil, scopeToken } from '../neo4j/tokens.ts'
import { keepVersion } from './history.ts'
import type { LockedMemory } from './lock.ts'
import { writerOf } from './write.ts'
import { recordWrite, writtenBy } from './written.ts'

export type SupersedeFault = { readonly id: string; readonly fault: 'missing' | 'archived' }

/** `writeId` names the create that replaces the old memory by another one. */
type Pair = { readonly id: string; readonly oldId: string; readonly writeId: string }

type Replacing = { readonly id: string; readonly supersedes?: readonly string[] | undefined }

/** What prevents that memories, whose locks are held, are superseded. */
export async function supersedeFaults(
  { run }: Pick<Transaction, 'run'>,
  { tenant }: Pick<Context, 'tenant'>,
  memories: readonly Replacing[],
  locked: readonly LockedMemory[],
): Promise<SupersedeFault[]> {
  const olds = new Set(memories.flatMap(({ supersedes = [] }) => supersedes))
  const found = new Map(locked.map(each => [each.id, each]))
  const archived = [...olds].filter(id => found.get(id)?.state === 'archived')
  // A repeat of the transaction that has archived them finds them archived.
  const writeIds = memories.map(({ id }) => id)
  const ours = archived.length > 0 ? await writtenBy(run, tenant, archived, writeIds) : new Set()
  return [...olds].flatMap((id): SupersedeFault[] => {
    const old = found.get(id)
    if (!old) return [{ id, fault: 'missing' }]
    return old.state === 'active' || ours.has(id) ? [] : [{ id, fault: 'archived' }]
  })
}

/** Archives the old memory of each pair, ends its validity if that is open, and lets the new memory contradict it. */
export const supersede = ({ run }: Pick<Transaction, 'run'>, ctx: Context, pairs: readonly Pair[]) =>
  run(supersedeAll, {
    tenant: ctx.tenant,
    pairs,
    by: writerOf(ctx),
    scope: scopeToken(ctx.tenant, 'archived'),
  })

/**
 * The part of a statement with `$by` and `$scope` that archives the memory `m` at the time `now` in favour of `by`, and
 * ends its validity if that is open: then it ends when the memory was archived, by which a restore knows it.
 */
export const archiveSuperseded = (by: string, reason: string, writeId: string) =>
  `${keepVersion('m')}
  SET m.author = $by.author, m.reason = ${reason}
  SET m.state = 'archived', m.scope = $scope, m.archivedAt = now, m.archivedReason = 'superseded', m.supersededBy = ${by}.id,
    m.updatedAt = now, m.version = m.version + 1,
    m.validUntil = CASE WHEN coalesce(m.validFrom >= now, false) THEN m.validUntil ELSE coalesce(m.validUntil, now) END
  SET m.liveUntil = ${liveUntil('m')}
  ${recordWrite('m', writeId)}
  ${recordMemoryChange('archived', 'm')}`

/** The part of a statement that opens the validity of a memory `m` again that its supersession has ended. */
export const reopen = (m: string) =>
  `SET ${m}.validUntil = CASE WHEN ${m}.archivedReason = 'superseded' AND ${m}.validUntil = ${m}.archivedAt THEN null ELSE ${m}.validUntil END
      REMOVE ${m}.supersededBy`

const supersedeAll = `CYPHER 25
  UNWIND $pairs AS pair
  MATCH (new:Memory {tenant: $tenant, id: pair.id}) USING INDEX SEEK new:Memory(tenant, id)
  MATCH (m:Memory {tenant: $tenant, id: pair.oldId}) USING INDEX SEEK m:Memory(tenant, id)
  WHERE m.state = 'active'
  WITH new, m, pair.writeId AS writeId, ${NOW} AS now
  ${archiveSuperseded('new', "'superseded by ' + new.id", 'writeId')}
  MERGE (new)-[r:CONTRADICTS]->(m)
  ON CREATE SET r.key = ${connectionKey('$tenant', 'new', 'm')}, r.tenant = $tenant, r.createdAt = now
  ${becomesAsserted('r')}
  ${recordConnectionChange('connected', 'r', 'new', 'm')}`
