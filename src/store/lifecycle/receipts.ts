import type { Context } from '../../context.ts'
import type { ErasureCounts, ErasureReceipt } from '../../contract/erasures.ts'
import { audit } from '../access/audit.ts'
import { queueJob } from '../jobs/enqueue.ts'
import type { MemoryFilter } from '../memories/filter.ts'
import { lockNow } from '../neo4j/lock.ts'
import { isoTime, NOW } from '../neo4j/projections.ts'
import { int, read, readValues, transact, write } from '../neo4j/statements.ts'
import { eraseNext, none, sum, WALKS } from './erase.ts'

/** What an erasure keeps while it runs, as text: a repeated request is known by it. */
type Asked = { readonly asked: string; readonly closes: boolean }

const jobOfErasure = (id: string) => `erase:${id}`
export const erasureOfJob = (job: string) => job.replace(/^erase:/, '')

/**
 * Makes the receipt of an erasure before anything is removed, with the job that resumes it if this process cannot,
 * and closes its tenant where it is told to. One that runs and was asked for the same is resumed. Returns its id.
 */
export const beginErasure = (ctx: Context, id: string, { asked, closes }: Asked): Promise<string> =>
  transact(ctx, async transaction => {
    const { run } = transaction
    const parameters = { id, tenant: ctx.tenant, asked }
    const [running] = await run<{ id: string }>(findRunning, parameters)
    const receipt = running?.id ?? id
    if (!running) {
      await run(create, {
        ...parameters,
        job: jobOfErasure(id),
        by: ctx.key ?? 'operator',
        parts: closes ? null : [ctx.tenant],
        delay: int(ctx.app.config.requestTimeoutMs),
      })
      if (closes) await run(close, parameters)
    }
    await audit(ctx, transaction, { target: receipt })
    return receipt
  })

const findRunning = `MATCH (e:Erasure) WHERE e.tenant = $tenant AND e.state = 'running' AND e.asked = $asked
  RETURN e.id AS id ORDER BY id LIMIT 1`

const create = `MERGE (e:Erasure {id: $id})
  ON CREATE SET e.tenant = $tenant, e.state = 'running', e.asked = $asked, e.requestedBy = $by, e.at = ${NOW},
    e.counts = '${JSON.stringify(none)}', e.verified = false, e.complete = false, e.parts = $parts, e.walk = 0, e.after = '', e.steps = 0
  WITH e
  ${queueJob({ kind: 'erase', id: '$job', tenant: '$tenant' })}
  SET j.state = 'waiting', j.runAt = datetime.realtime('Z') + duration({milliseconds: $delay})`

const close = `MERGE (c:ClosedTenant {tenant: $tenant})
  SET c.erasure = $id`

/** An erasure that runs. `parts` are the tenants that it has still to walk over; null before it knows them. */
export type RunningErasure = { asked: string; parts: string[] | null; tenants: string[] | null }

/** Undefined once it has ended. */
export async function findErasure(ctx: Context, id: string): Promise<RunningErasure | undefined> {
  const [row] = await read<RunningErasure>(
    ctx,
    `MATCH (e:Erasure {id: $id}) WHERE e.tenant = $tenant AND e.state = 'running'
    RETURN e.asked AS asked, e.parts AS parts, coalesce(e.tenants, e.parts) AS tenants`,
    { id, tenant: ctx.tenant },
  )
  return row
}

export const setParts = (ctx: Context, id: string, parts: readonly string[]) =>
  write(
    ctx,
    `MATCH (e:Erasure {id: $id}) WHERE e.tenant = $tenant AND e.parts IS NULL
    SET e.parts = $parts, e.tenants = $parts`,
    { id, tenant: ctx.tenant, parts },
  )

type Standing = { parts: string[]; walk: number; after: string; steps: number; counts: string }

/** One step, with what it removed in the receipt. False when there is nothing more to walk over. */
export const eraseStep = (ctx: Context, id: string, filter: MemoryFilter): Promise<boolean> =>
  transact(ctx, async ({ run }) => {
    const [at] = await run<Standing>(standing, { id, tenant: ctx.tenant })
    const [tenant, ...others] = at?.parts ?? []
    if (!at || tenant === undefined) return false
    const { ids, counts, last } = await eraseNext(run, filter, { tenant, walk: at.walk, after: at.after })
    const isOver = last === undefined && at.walk === WALKS.length - 1
    await run(advance, {
      id,
      of: { tenant: ctx.tenant, part: tenant },
      ids,
      parts: isOver ? others : at.parts,
      walk: int(isOver ? 0 : last === undefined ? at.walk + 1 : at.walk),
      after: last ?? '',
      number: int(at.steps),
      counts: JSON.stringify(sum(JSON.parse(at.counts) as ErasureCounts, counts)),
    })
    return true
  })

const standing = `MATCH (e:Erasure {id: $id}) WHERE e.tenant = $tenant
  ${lockNow('e')}
  WITH e WHERE e.state = 'running'
  RETURN e.parts AS parts, 1.0 * e.walk AS walk, e.after AS after, 1.0 * e.steps AS steps, e.counts AS counts`

/** The ids are kept until the end: the check and the digest are of all of them, also of those that another process removed. */
const advance = `MATCH (e:Erasure {id: $id}) WHERE e.tenant = $of.tenant
  SET e.parts = $parts, e.walk = $walk, e.after = $after, e.counts = $counts, e.steps = $number + 1, e.at = ${NOW}
  FOREACH (_ IN CASE WHEN $ids = [] THEN [] ELSE [1] END |
    CREATE (:ErasedMemories {erasure: $id, tenant: $of.part, number: $number, ids: $ids}))`

/** What each step has removed. */
export const readErased = (ctx: Context, id: string): Promise<{ tenant: string; ids: string[] }[]> =>
  read(
    ctx,
    `MATCH (e:Erasure {id: $id}) WHERE e.tenant = $tenant
    MATCH (x:ErasedMemories {erasure: $id})
    WITH x ORDER BY x.number
    RETURN x.tenant AS tenant, x.ids AS ids`,
    { id, tenant: ctx.tenant },
  )

/** Completes a receipt. A tenant that was closed for it is open again, unless it was removed for good. */
export const completeErasure = (
  ctx: Context,
  id: string,
  receipt: { digest: string; verified: boolean; staysClosed: boolean },
) =>
  write(
    ctx,
    `MATCH (e:Erasure {id: $id}) WHERE e.tenant = $tenant
    ${lockNow('e')}
    WITH e WHERE e.state = 'running'
    SET e.state = 'complete', e.at = ${NOW}, e.digest = $receipt.digest, e.verified = $receipt.verified, e.complete = true
    REMOVE e.asked, e.parts, e.tenants, e.walk, e.after, e.steps
    WITH e
    CALL (e) { MATCH (x:ErasedMemories {erasure: $id}) DELETE x }
    CALL (e) { MATCH (j:Job {id: $job}) WHERE j.tenant = $tenant DETACH DELETE j }
    CALL (e) { MATCH (c:ClosedTenant {tenant: $tenant}) WHERE c.erasure = $id AND NOT $receipt.staysClosed DELETE c }`,
    { id, tenant: ctx.tenant, receipt, job: jobOfErasure(id) },
  )

export async function findReceipt(ctx: Context, id: string): Promise<ErasureReceipt | undefined> {
  const [receipt] = await readValues<Omit<ErasureReceipt, 'counts'> & { counts: string }>(
    ctx,
    `MATCH (e:Erasure {id: $id}) WHERE e.tenant = $tenant
    RETURN {id: e.id, state: e.state, requested_by: e.requestedBy, at: ${isoTime('e.at')}, counts: e.counts,
      digest: e.digest, verified: e.verified, complete: e.complete} AS receipt`,
    { id, tenant: ctx.tenant },
  )
  return receipt && { ...receipt, counts: JSON.parse(receipt.counts) as ErasureCounts }
}
