import type { Context } from '../../context.ts'
import type { ErasureCounts, ErasureReceipt } from '../../contract/erasures.ts'
import { audit } from '../access/audit.ts'
import { earlierAt } from '../connections/earlier.ts'
import { recordMemoryChange } from '../feed/record.ts'
import { filterParameters, type MemoryFilter, passes } from '../memories/filter.ts'
import { versionsOf } from '../memories/history.ts'
import { removeWithAll } from '../memories/remove.ts'
import { lockNow } from '../neo4j/lock.ts'
import { allOf } from '../neo4j/of-tenant.ts'
import { isoTime } from '../neo4j/projections.ts'
import { int, read, time, transact, write } from '../neo4j/statements.ts'
import { changesAbout, cleanRuns } from './clean-runs.ts'

/** Memories in every state, also those that maintenance keeps for an undo. */
const matching = (filter: MemoryFilter) => `${allOf('m', 'Memory|RemovedMemory')}
    AND ${passes('m', filter)}`

const parametersOf = ({ tenant }: Context, filter: MemoryFilter) => ({ tenant, ...filterParameters(filter) })

const countedOf = (m: string) => `{
    connections: COUNT { (${m})-[r]-() WHERE r.tenant = ${m}.tenant OR r.removedKey IS NOT NULL },
    versions: COUNT { ${versionsOf(`${m}.tenant`, `${m}.id`)} },
    recalls: COUNT { MATCH (r:Recall {tenant: ${m}.tenant, memoryId: ${m}.id}) },
    jobs: COUNT { MATCH (j:Job {tenant: ${m}.tenant, memoryId: ${m}.id}) },
    answers: COUNT { (${m})<-[:ANSWERED]-(:IdempotentRequest) }
  }`

const sums = `count(*) AS memories, sum(counted.connections) AS connections, sum(counted.versions) AS versions,
    sum(counted.recalls) AS recalls, sum(counted.jobs) AS jobs, sum(counted.answers) AS answers`

/** What an erasure would remove. A connection between two of the memories counts once for each. */
export async function countErasure(ctx: Context, filter: MemoryFilter): Promise<ErasureCounts> {
  const [row] = await read<ErasureCounts>(
    ctx,
    `CYPHER 25
    ${matching(filter)}
    WITH ${countedOf('m')} AS counted
    RETURN ${sums}`,
    parametersOf(ctx, filter),
  )
  const counts = row as ErasureCounts
  return { ...counts, versions: counts.versions + (await countOtherVersions(ctx, filter)) }
}

/**
 * Earlier versions that match a filter by source or session as they were, whichever memory they are of: what came from a
 * source is erased also where the memory has another one now.
 */
const matchingVersions = (filter: MemoryFilter) => `${allOf('v', 'Version')}
    AND ${filter.source !== undefined || filter.sessionId !== undefined}
  WITH v, v {.*, updatedAt: v.at} AS m WHERE ${passes('m', filter)}
  WITH v`

async function countOtherVersions(ctx: Context, filter: MemoryFilter): Promise<number> {
  const [row] = await read<{ versions: number }>(
    ctx,
    `CYPHER 25
    CALL () { ${matchingVersions(filter)} RETURN v }
    WITH v WHERE NOT EXISTS {
      MATCH (m:Memory|RemovedMemory) WHERE m.tenant = $tenant AND m.id = v.memoryId
        AND ${passes('m', filter)}
    }
    RETURN count(v) AS versions`,
    parametersOf(ctx, filter),
  )
  return row?.versions ?? 0
}

/** Removes the next memories with everything that is stored about them, at most `limit`. Returns their ids. The audit log names the receipt. */
export function eraseSome(
  ctx: Context,
  filter: MemoryFilter,
  limit: number,
  receipt: string,
): Promise<{ ids: string[]; counts: ErasureCounts }> {
  return transact(ctx, async ({ run }) => {
    const found = await run<{ id: string }>(
      `CYPHER 25
      ${matching(filter)}
      RETURN DISTINCT m.id AS id ORDER BY id LIMIT $limit`,
      { ...parametersOf(ctx, filter), limit: int(limit) },
    )
    const ids = found.map(({ id }) => id)
    const [counts] = await run<ErasureCounts>(eraseAll(filter), { ...parametersOf(ctx, filter), ids })
    await cleanRuns(ctx, { run }, ids)
    await audit(ctx, { run }, { target: receipt })
    return { ids, counts: counts as ErasureCounts }
  })
}

/** Removes the next of the earlier versions that match, at most `limit`. Returns how many. */
export async function eraseVersions(ctx: Context, filter: MemoryFilter, limit: number): Promise<number> {
  const [row] = await write<{ removed: number }>(
    ctx,
    `CYPHER 25
    ${matchingVersions(filter)} LIMIT $limit
    DELETE v
    RETURN count(*) AS removed`,
    { ...parametersOf(ctx, filter), limit: int(limit) },
  )
  return row?.removed ?? 0
}

/** The filter again: a memory that has the id of one that maintenance removed may not match it. */
const eraseAll = (filter: MemoryFilter) => `CYPHER 25
  UNWIND $ids AS id
  MATCH (m:Memory|RemovedMemory) WHERE m.tenant = $tenant AND m.id = id
    AND ${passes('m', filter)}
  ${lockNow('m')}
  WITH m, ${countedOf('m')} AS counted
  CALL (m) { WITH m WHERE m:Memory ${recordMemoryChange('removed', 'm')} }
  ${removeWithAll('m')}
  RETURN ${sums}`

/** Whether nothing is left of erased memories, wherever the service keeps something of a memory, and nothing matches any more. */
export async function isErased(ctx: Context, ids: readonly string[], filter: MemoryFilter): Promise<boolean> {
  for (let from = 0; from < ids.length; from += CHECKED_AT_ONCE)
    if (await isLeft(ctx, ids.slice(from, from + CHECKED_AT_ONCE))) return false
  const { memories, versions } = await countErasure(ctx, filter)
  return memories + versions === 0
}

const CHECKED_AT_ONCE = 500

async function isLeft(ctx: Context, ids: readonly string[]): Promise<boolean> {
  const [row] = await read<{ left: boolean }>(
    ctx,
    `CYPHER 25
    RETURN EXISTS {
      UNWIND $ids AS id
      WITH id WHERE EXISTS { MATCH (m:Memory|RemovedMemory) WHERE m.tenant = $tenant AND m.id = id }
        OR EXISTS { ${versionsOf('$tenant', 'id')} }
        OR EXISTS { ${earlierAt('sourceId', '$tenant', 'id')} }
        OR EXISTS { ${earlierAt('targetId', '$tenant', 'id')} }
        OR EXISTS { MATCH (r:Recall {tenant: $tenant, memoryId: id}) }
        OR EXISTS { MATCH (j:Job {tenant: $tenant, memoryId: id}) }
      RETURN id
    } OR EXISTS { ${changesAbout} RETURN c }
    OR EXISTS {
      MATCH (i:IdempotentRequest) WHERE i.tenant = $tenant AND i.createdAt IS NOT NULL
        AND any(id IN $ids WHERE i.answer CONTAINS id)
      RETURN i
    } AS left`,
    { tenant: ctx.tenant, ids, kinds: null },
  )
  return row?.left !== false
}

type Receipt = Omit<ErasureReceipt, 'id' | 'at'> & { id: string; at: number }

export const saveReceipt = (ctx: Context, { id, at, counts, ...receipt }: Receipt) =>
  write(
    ctx,
    `CYPHER 25
    MERGE (e:Erasure {id: $id})
    ON CREATE SET e.tenant = $tenant, e.at = $at, e.counts = $counts, e.requestedBy = $receipt.requested_by,
      e.digest = $receipt.digest, e.verified = $receipt.verified, e.complete = $receipt.complete`,
    { id, tenant: ctx.tenant, at: time(at), counts: JSON.stringify(counts), receipt },
  )

export async function findReceipt(ctx: Context, id: string): Promise<ErasureReceipt | undefined> {
  const [row] = await read<{ receipt: Omit<ErasureReceipt, 'counts'> & { counts: string } }>(
    ctx,
    `CYPHER 25
    MATCH (e:Erasure {id: $id}) WHERE e.tenant = $tenant
    RETURN {id: e.id, requested_by: e.requestedBy, at: ${isoTime('e.at')}, counts: e.counts, digest: e.digest,
      verified: e.verified, complete: e.complete} AS receipt`,
    { id, tenant: ctx.tenant },
  )
  return row && { ...row.receipt, counts: JSON.parse(row.receipt.counts) as ErasureCounts }
}
