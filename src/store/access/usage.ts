import { ServiceError } from '../../contract/problems.ts'
import type { Usage } from '../../contract/tenants.ts'
import { NUMBERED_AT_ONCE, numberBatch } from '../feed/feed.ts'
import { keyOf, lockNow } from '../neo4j/lock.ts'
import { BEGINNING } from '../neo4j/projections.ts'
import type { Transaction } from '../neo4j/statements.ts'

/** A write, and how much it adds; without a limit its tenant may store any number. */
type Row = {
  readonly id: string
  readonly tenant: string
  readonly limit: Usage | null
  readonly adds: Usage
}

/**
 * What some tenants store, with what this transaction has written. Until it ends, no other transaction that asks can add
 * to that. It comes after the locks of memories.
 */
async function lockUsage(transaction: Transaction, tenants: readonly string[]): Promise<Map<string, Usage>> {
  const found = await transaction.run<Usage & { tenant: string; pending: number }>(usageOf, {
    tenants: [...new Set(tenants)].sort(),
  })
  for (const { tenant, pending } of found)
    if (pending >= NUMBERED_AT_ONCE) await numberBatch({ tenant }, transaction)
  return new Map(found.map(({ tenant, memories, characters }) => [tenant, { memories, characters }]))
}

/** The sums of the numbered changes are with the feed; those that are not numbered yet are added. */
const usageOf = `UNWIND $tenants AS tenant
  MERGE (f:Feed {tenant: tenant})
  ON CREATE SET f.last = 0, f.forgotten = 0
  ${lockNow('f')}
  WITH f
  CALL (f) {
    MATCH (c:Change) WHERE c.unnumbered = f.tenant AND c.at >= ${BEGINNING}
    RETURN count(c) AS pending, sum(c.usage[0]) AS memories, sum(c.usage[2]) AS characters
  }
  RETURN f.tenant AS tenant, pending, coalesce(f.memories, 0) + memories AS memories,
    coalesce(f.characters, 0) + characters AS characters`

/**
 * Locks the quotas of writes. Returns those that their tenants may not store, by `keyOf`: all others can be stored in this
 * transaction.
 */
export async function lockQuotas(
  transaction: Transaction,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, ServiceError>> {
  const limited = rows.filter(({ limit }) => limit)
  if (limited.length === 0) return new Map()
  return beyond(
    await lockUsage(
      transaction,
      limited.map(({ tenant }) => tenant),
    ),
    limited,
  )
}

/** The same of new memories: what a repeat finds stored counts already. */
export async function lockQuotasOfNew(
  transaction: Transaction,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, ServiceError>> {
  const refused = await lockQuotas(transaction, rows)
  if (refused.size === 0) return refused
  const found = await transaction.run<{ tenant: string; id: string }>(storedAlready, {
    rows: rows.map(({ tenant, id }) => ({ tenant, id })),
  })
  const stored = new Set(found.map(keyOf))
  return stored.size === 0
    ? refused
    : lockQuotas(
        transaction,
        rows.filter(row => !stored.has(keyOf(row))),
      )
}

const storedAlready = `UNWIND $rows AS row
  MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  RETURN row.tenant AS tenant, m.id AS id`

function beyond(usage: ReadonlyMap<string, Usage>, rows: readonly Row[]): Map<string, ServiceError> {
  const totals = new Map(usage)
  const refused = new Map<string, ServiceError>()
  for (const { id, tenant, limit, adds } of rows) {
    const { memories, characters } = totals.get(tenant) as Usage
    const total = { memories: memories + adds.memories, characters: characters + adds.characters }
    const fault = limit && exceeds(limit, total)
    if (fault) refused.set(keyOf({ tenant, id }), fault)
    else totals.set(tenant, total)
  }
  return refused
}

/** Characters as the database counts them: those outside the basic plane are one. */
export const charactersOf = (text: string) => [...text].length

function exceeds(limit: Usage, total: Usage): ServiceError | undefined {
  const names = ['memories', 'characters'] as const
  const over = names.find(name => total[name] > limit[name])
  return (
    over &&
    new ServiceError(
      'quota_exceeded',
      `The tenant would have ${total[over]} ${over}, and its quota allows ${limit[over]}.`,
    )
  )
}
