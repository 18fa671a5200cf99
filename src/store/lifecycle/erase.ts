import type { Context } from '../../context.ts'
import type { ErasureCounts } from '../../contract/erasures.ts'
import { removeAnswers } from '../access/idempotency.ts'
import { earlierAt } from '../connections/earlier.ts'
import { recordRemoval } from '../feed/record.ts'
import { filterParameters, type MemoryFilter, passes } from '../memories/filter.ts'
import { versionsOf } from '../memories/history.ts'
import { removeWithAll } from '../memories/remove.ts'
import { lockNow } from '../neo4j/lock.ts'
import { allOf } from '../neo4j/of-tenant.ts'
import { int, read, readValue, type Transaction } from '../neo4j/statements.ts'
import { cleanRuns, isInRuns } from './run-changes.ts'

/** What an erasure walks over, one after the other: memories in every state, then earlier versions of others. */
export const WALKS = ['Memory', 'RemovedMemory', 'Version'] as const

/** Memories of one transaction, and versions. */
const AT_ONCE = 500
const VERSIONS_AT_ONCE = 5_000

export const none = { memories: 0, connections: 0, versions: 0, recalls: 0, jobs: 0, answers: 0 }
const names = Object.keys(none) as (keyof ErasureCounts)[]

export const sum = (a: ErasureCounts, b: ErasureCounts) =>
  Object.fromEntries(names.map(name => [name, a[name] + b[name]])) as ErasureCounts

const countedOf = (m: string) => `{
    connections: COUNT { (${m})-[r]-() WHERE r.tenant = ${m}.tenant OR r.removedKey IS NOT NULL },
    versions: COUNT { ${versionsOf(`${m}.tenant`, `${m}.id`)} },
    recalls: COUNT { MATCH (r:Recall {tenant: ${m}.tenant, memoryId: ${m}.id}) },
    jobs: COUNT { MATCH (j:Job {tenant: ${m}.tenant, memoryId: ${m}.id}) },
    answers: COUNT { MATCH (told:AnsweredMemory {tenant: ${m}.tenant, memoryId: ${m}.id}) }
  }`

const [, ...counted] = names
const sums = `count(*) AS memories, ${counted.map(name => `sum(counted.${name}) AS ${name}`).join(', ')}`

const parametersOf = (tenant: string, filter: MemoryFilter) => ({
  tenant,
  ofVersions: filter.source !== undefined || filter.sessionId !== undefined,
  ...filterParameters(filter),
})

/** What an erasure would remove. A connection between two of the memories counts once for each. */
export async function countErasure(ctx: Context, filter: MemoryFilter): Promise<ErasureCounts> {
  const parameters = parametersOf(ctx.tenant, filter)
  const [counts = none] = await read<ErasureCounts>(
    ctx,
    `${allOf('m', 'Memory|RemovedMemory')} AND ${passes('m')}
    WITH ${countedOf('m')} AS counted
    RETURN ${sums}`,
    parameters,
  )
  const [others = none] = await read<Pick<ErasureCounts, 'versions' | 'answers'>>(
    ctx,
    `CALL () { ${matchingVersions} RETURN v.memoryId AS id, count(*) AS versions }
    WITH id, versions WHERE NOT EXISTS {
      MATCH (m:Memory|RemovedMemory) WHERE m.tenant = $tenant AND m.id = id AND ${passes('m')}
    }
    RETURN sum(versions) AS versions, sum(COUNT { MATCH (told:AnsweredMemory {tenant: $tenant, memoryId: id}) }) AS answers`,
    { ...parameters, after: '' },
  )
  return sum(counts, { ...none, ...others })
}

/**
 * Earlier versions that match a filter by source or session as they were, whichever memory they are of: what came from a
 * source is erased also where the memory has another one now.
 */
const matchingVersions = `MATCH (v:Version) WHERE v.tenant = $tenant
    AND v.memoryId >= $after AND v.version IS NOT NULL
    AND $ofVersions
  WITH v, v {.*, updatedAt: v.at} AS m WHERE ${passes('m')}
  WITH v`

/** Where an erasure stands: in which tenant, in which walk, and behind which id. */
export type ErasurePlace = { readonly tenant: string; readonly walk: number; readonly after: string }

export type ErasureStep = {
  readonly ids: readonly string[]
  readonly counts: ErasureCounts
  /** The last id that it came to; undefined at the end of the walk. */
  readonly last: string | undefined
}

/** Removes the next memories or versions of a walk. What is behind its place is not read again. */
export const eraseNext = (
  run: Transaction['run'],
  filter: MemoryFilter,
  place: ErasurePlace,
): Promise<ErasureStep> =>
  WALKS[place.walk] === 'Version' ? eraseVersions(run, filter, place) : eraseMemories(run, filter, place)

async function eraseMemories(
  run: Transaction['run'],
  filter: MemoryFilter,
  place: ErasurePlace,
): Promise<ErasureStep> {
  const { tenant, walk, after } = place
  const label = String(WALKS[walk])
  const parameters = parametersOf(tenant, filter)
  const found = await run<{ id: string }>(nextOf(label), {
    ...parameters,
    after,
    limit: int(AT_ONCE),
  })
  const next = found.map(({ id }) => id)
  const [{ ids, ...counts } = { ...none, ids: [] }] = await run<ErasureCounts & { ids: string[] }>(
    eraseAll(label),
    { ...parameters, ids: next },
  )
  await cleanRuns(tenant, { run }, ids)
  return { ids, counts, last: next.length === AT_ONCE ? next.at(-1) : undefined }
}

const nextOf = (label: string) => `MATCH (m:${label}) USING INDEX SEEK m:${label}(tenant, id)
  WHERE m.tenant = $tenant AND m.id > $after AND ${passes('m')}
  WITH m ORDER BY m.tenant, m.id LIMIT $limit
  RETURN m.id AS id`

/** The filter again: a memory may have changed since it was found. */
const eraseAll = (label: string) => `UNWIND $ids AS id
  MATCH (m:${label} {tenant: $tenant, id: id}) USING INDEX SEEK m:${label}(tenant, id)
  ${lockNow('m')}
  WITH m, id WHERE ${passes('m')}
  WITH m, id, ${countedOf('m')} AS counted
  CALL (m) { WITH m WHERE m:Memory ${recordRemoval('m')} }
  ${removeWithAll('m')}
  RETURN collect(id) AS ids, ${sums}`

async function eraseVersions(run: Transaction['run'], filter: MemoryFilter, { tenant, after }: ErasurePlace) {
  const [row] = await run<{ versions: number; answers: number; last: string | null }>(
    `${matchingVersions} ORDER BY v.tenant, v.memoryId, v.version LIMIT $limit
    WITH v, v.memoryId AS id
    DELETE v
    WITH id, count(*) AS versions
    CALL (id) { ${removeAnswers('$tenant', 'id')} RETURN count(*) AS answers }
    RETURN sum(versions) AS versions, sum(answers) AS answers, max(id) AS last`,
    { ...parametersOf(tenant, filter), after, limit: int(VERSIONS_AT_ONCE) },
  )
  const { versions = 0, answers = 0, last } = row ?? {}
  const isMore = versions === VERSIONS_AT_ONCE
  return { ids: [], counts: { ...none, versions, answers }, last: isMore ? (last ?? undefined) : undefined }
}

/** Whether anything is left of erased memories, wherever the service keeps something of a memory. */
export const isLeft = (ctx: Context, tenant: string, ids: readonly string[]): Promise<boolean> =>
  readValue(
    ctx,
    `RETURN EXISTS {
      UNWIND $ids AS id
      WITH id WHERE EXISTS { MATCH (m:Memory|RemovedMemory) WHERE m.tenant = $tenant AND m.id = id }
        OR EXISTS { ${versionsOf('$tenant', 'id')} }
        OR EXISTS { ${earlierAt('sourceId', '$tenant', 'id')} }
        OR EXISTS { ${earlierAt('targetId', '$tenant', 'id')} }
        OR EXISTS { MATCH (r:Recall {tenant: $tenant, memoryId: id}) }
        OR EXISTS { MATCH (j:Job {tenant: $tenant, memoryId: id}) }
        OR EXISTS { MATCH (told:AnsweredMemory {tenant: $tenant, memoryId: id}) }
        OR EXISTS { MATCH (w:Write {tenant: $tenant, memoryId: id}) WHERE w.id IS NOT NULL }
        OR ${isInRuns('id')}
      RETURN id
    } AS left`,
    { tenant, ids },
  )

/** Whether a memory or an earlier version matches. */
export const isMatched = (ctx: Context, tenant: string, filter: MemoryFilter): Promise<boolean> =>
  readValue(
    ctx,
    `RETURN EXISTS { ${allOf('m', 'Memory|RemovedMemory')} AND ${passes('m')} }
      OR EXISTS { ${matchingVersions} RETURN v } AS found`,
    { ...parametersOf(tenant, filter), after: '' },
  )
