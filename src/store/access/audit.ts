import type { Context } from '../../context.ts'
import { type AuditEntry, auditLine } from '../../contract/audit.ts'
import { chain, EMPTY } from '../../platform/digest.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { clear } from '../neo4j/clear.ts'
import { lockNow } from '../neo4j/lock.ts'
import { isoTime, NOW } from '../neo4j/projections.ts'
import { int, type Running, readValues, transact } from '../neo4j/statements.ts'

/** Whose call is recorded. */
type Recorder = Caller &
  Pick<Context, 'tenant' | 'key' | 'address' | 'audited'> & { readonly requestId?: string }

type Recorded = { target?: string | null | undefined; outcome?: string }
type Head = { number: number; digest: string; at: string; keyName: string | null; recorded: boolean }

/**
 * Records the call of a context, in the transaction that makes its change: both are there or neither. Does nothing where
 * the call is not audited, or is recorded already. It comes last, as it locks the log of the tenant.
 */
export async function audit(ctx: Recorder, { run }: Running, recorded: Recorded = {}) {
  if (!ctx.audited) return
  const { id, operation } = ctx.audited
  const { target = null, outcome = 'ok' } = recorded
  const parameters = { tenant: ctx.tenant, id, by: { key: ctx.key ?? null }, empty: EMPTY }
  const [head] = await run<Head>(lockHead, parameters)
  if (!head || head.recorded) return
  const { at, keyName: key_name, digest: previous } = head
  const number = head.number + 1
  const who = { key_id: ctx.key ?? null, key_name, address: ctx.address ?? null }
  const entry = { number, id, at, ...who, operation, target, outcome, request_id: ctx.requestId ?? null }
  const digest = chain(previous, auditLine(entry))
  await append(ctx.tenant, { run }, [{ ...entry, previous, digest }])
}

const append = (tenant: string, { run }: Running, entries: readonly AuditEntry[]) =>
  run(appendEntries, {
    tenant,
    entries,
    number: int(entries.at(-1)?.number ?? 0),
    digest: entries.at(-1)?.digest,
  })

/**
 * Appends entries of a backup that continue the log, or begin it. Those that it has already are skipped. Returns how many
 * are new, and undefined if the entries are of another log.
 */
export const restoreEntries = (ctx: Recorder, entries: readonly AuditEntry[]): Promise<number | undefined> =>
  transact(ctx, async transaction => {
    const [head] = await transaction.run<Head>(lockHead, { ...NOBODY, tenant: ctx.tenant })
    if (!head) return undefined
    const known = await transaction.run<{ number: number; digest: string }>(
      `UNWIND $numbers AS number
      MATCH (a:AuditEntry) WHERE a.tenant = $tenant AND a.number = number
      RETURN number, a.digest AS digest`,
      { tenant: ctx.tenant, numbers: entries.map(({ number }) => int(number)) },
    )
    const digests = new Map(known.map(({ number, digest }) => [number, digest]))
    const agree = entries.every(({ number, digest }) => (digests.get(number) ?? digest) === digest)
    const fresh = entries.filter(({ number }) => number > head.number)
    if (!agree || !continues(head, fresh)) return undefined
    if (fresh.length > 0) await append(ctx.tenant, transaction, fresh)
    return fresh.length
  })

/** Whether entries follow the end of a log one by one, with digests that fit. An empty log can begin with any entry. */
function continues(head: Pick<Head, 'number' | 'digest'>, entries: readonly AuditEntry[]): boolean {
  let { number, digest } = head
  return entries.every((entry, at) => {
    const isNext = entry.number === number + 1 && entry.previous === digest
    const isFirst = at === 0 && head.number === 0
    number = entry.number
    digest = entry.digest
    return (isNext || isFirst) && chain(entry.previous, auditLine(entry)) === entry.digest
  })
}

const NOBODY = { id: null, by: { key: null }, empty: EMPTY }

/** Records a call in a transaction of its own: where it only reads, has many transactions, or has failed. */
export const auditAlone = (ctx: Recorder, recorded: Recorded = {}): Promise<void> =>
  ctx.audited ? transact(ctx, transaction => audit(ctx, transaction, recorded)) : Promise.resolve()

const lockHead = `MERGE (l:AuditLog {tenant: $tenant})
  ON CREATE SET l.number = 0, l.digest = $empty
  ${lockNow('l')}
  WITH l
  OPTIONAL MATCH (k:ApiKey {id: $by.key})
  RETURN l.number AS number, l.digest AS digest, ${isoTime(NOW)} AS at, k.name AS keyName,
    EXISTS { MATCH (a:AuditEntry {tenant: $tenant, id: $id}) } AS recorded`

const appendEntries = `MATCH (l:AuditLog {tenant: $tenant})
  SET l.number = $number, l.digest = $digest
  WITH l
  UNWIND $entries AS entry
  CREATE (:AuditEntry {tenant: $tenant, number: toInteger(entry.number), id: entry.id, at: datetime(entry.at),
    keyId: entry.key_id, keyName: entry.key_name, address: entry.address, operation: entry.operation,
    target: entry.target, outcome: entry.outcome, requestId: entry.request_id, previous: entry.previous,
    digest: entry.digest})`

export type AuditFilter = {
  operation?: string | undefined
  key_id?: string | undefined
  outcome?: string | undefined
  since?: string | undefined
  until?: string | undefined
  before?: number | undefined
}

/** The entries of the tenant's log, newest first. */
export const listEntries = (ctx: Context, filter: AuditFilter, limit: number): Promise<AuditEntry[]> =>
  readValues(
    ctx,
    `MATCH (a:AuditEntry) WHERE a.tenant = $tenant AND a.number < $before
      AND ($of.operation IS NULL OR a.operation = $of.operation) AND ($of.key IS NULL OR a.keyId = $of.key)
      AND ($of.outcome IS NULL OR a.outcome = $of.outcome)
      AND ($of.since IS NULL OR a.at >= datetime($of.since)) AND ($of.until IS NULL OR a.at < datetime($of.until))
    WITH a ORDER BY a.tenant DESC, a.number DESC LIMIT $limit
    RETURN {number: a.number, id: a.id, at: ${isoTime('a.at')}, key_id: a.keyId, key_name: a.keyName, address: a.address,
      operation: a.operation, target: a.target, outcome: a.outcome, request_id: a.requestId,
      previous: a.previous, digest: a.digest} AS entry`,
    {
      tenant: ctx.tenant,
      of: {
        operation: filter.operation ?? null,
        key: filter.key_id ?? null,
        outcome: filter.outcome ?? null,
        since: filter.since ?? null,
        until: filter.until ?? null,
      },
      before: int(filter.before ?? Number.MAX_SAFE_INTEGER),
      limit: int(limit),
    },
  )

/** Removes entries that are older. The newest one stays, so that the next one still follows it. */
export const deleteOldEntries = (ctx: Context, retentionSeconds: number): Promise<void> =>
  clear(
    ctx,
    `MATCH (l:AuditLog {tenant: $tenant})
    MATCH (a:AuditEntry) WHERE a.tenant = $tenant AND a.number < l.number
      AND a.at < datetime.realtime('Z') - duration({seconds: $retention})
    WITH a ORDER BY a.tenant, a.number LIMIT $most
    DELETE a
    RETURN count(*) AS cleared`,
    { tenant: ctx.tenant, retention: int(retentionSeconds) },
  )
