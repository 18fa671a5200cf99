import type { Output } from '../../contract/index.ts'
import { privatePrefix } from '../../contract/private.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { clear } from '../neo4j/clear.ts'
import { allOf } from '../neo4j/of-tenant.ts'
import { isoTime } from '../neo4j/projections.ts'
import { int, readValue, readValues, write } from '../neo4j/statements.ts'

type Tenant = Output<'listTenants'>['tenants'][number]

/** What makes a tenant, besides memories. */
const OWNED = ['ApiKey', 'Quota', 'Policy', 'Webhook'] as const

/** The names of tenants that have or had anything. Each memory that was written is a change. `those` says which. */
const names = (those: string) => `CALL () {
      MATCH (f:Feed) WHERE f.tenant ${those} RETURN f.tenant AS tenant
      UNION
      MATCH (c:Change) WHERE c.unnumbered ${those} AND c.at IS NOT NULL RETURN DISTINCT c.unnumbered AS tenant
      ${OWNED.map(
        label => `UNION
      MATCH (x:${label}) WHERE x.tenant ${those} RETURN DISTINCT x.tenant AS tenant`,
      ).join('\n      ')}
    }`

/** The names of tenants behind a name, in alphabetical order: of those that have anything. */
const namesBehind = `${names('> $after')}
    WITH tenant ORDER BY tenant
    WHERE ${['Memory', ...OWNED].map(label => `EXISTS { MATCH (x:${label}) WHERE x.tenant = tenant }`).join(' OR ')}
    WITH tenant LIMIT $limit`

/**
 * Tenants behind a name, in alphabetical order, with what they have. It is for the operator alone. No memory is counted:
 * the sums are with the feeds, and changes that have no number yet are added.
 */
export const listTenants = (caller: Caller, after: string, limit: number): Promise<Tenant[]> =>
  readValues(
    caller,
    `${namesBehind}
    CALL (tenant) {
      MATCH (c:Change) WHERE c.unnumbered = tenant AND c.at IS NOT NULL
      RETURN sum(c.usage[0]) AS memories, sum(c.usage[1]) AS archived, sum(c.usage[2]) AS characters
    }
    OPTIONAL MATCH (f:Feed {tenant: tenant})
    OPTIONAL MATCH (q:Quota {tenant: tenant})
    WITH tenant, q, coalesce(f.memories, 0) + memories AS memories, coalesce(f.archived, 0) + archived AS archived,
      coalesce(f.characters, 0) + characters AS characters,
      ${lastWrite('active')} AS lastActive, ${lastWrite('archived')} AS lastArchived
    RETURN {tenant: tenant, memories: {active: memories - archived, archived: archived}, characters: characters,
      quota: CASE WHEN q IS NOT NULL THEN {memories: q.memories, characters: q.characters} END,
      keys: COUNT { MATCH (k:ApiKey) WHERE k.tenant = tenant },
      last_write_at: ${isoTime('CASE WHEN coalesce(lastActive > lastArchived, lastArchived IS NULL) THEN lastActive ELSE lastArchived END')}} AS found`,
    { after, limit: int(limit) },
  )

/** The end of the index says when a memory in a state was last written. */
const lastWrite = (state: string) => `COLLECT {
        MATCH (m:Memory) WHERE m.tenant = tenant AND m.state = '${state}' AND m.updatedAt IS NOT NULL AND m.id IS NOT NULL
        RETURN m.updatedAt ORDER BY m.tenant DESC, m.state DESC, m.updatedAt DESC LIMIT 1
      }[0]`

/** The names of the private tenants of a tenant, of those that have or had anything. */
export const privateTenants = (caller: Caller, tenant: string): Promise<string[]> =>
  readValues(
    caller,
    `${names('STARTS WITH $prefix')}
    RETURN tenant ORDER BY tenant`,
    { prefix: privatePrefix(tenant) },
  )

/** Whether a tenant has anything that an erasure removes. */
export const isTenant = (caller: Caller, tenant: string): Promise<boolean> =>
  readValue(
    caller,
    `RETURN ${[...REMOVED, 'Memory', 'RemovedMemory']
      .map(label => `EXISTS { ${allOf('x', label)} AND ${isRemain('x')} }`)
      .join(' OR ')} AS found`,
    { tenant },
  )

const REMOVED = [
  'Quota',
  'Webhook',
  'Delivery',
  'ApiKey',
  'Policy',
  'RunChange',
  'RunMention',
  'MaintenanceRun',
  'Job',
  'GraphAnalysis',
  'DiscoveryRule',
  'Version',
  'EarlierConnection',
  'Recall',
  'IdempotentRequest',
  'AnsweredMemory',
  'Write',
  'ModelUse',
] as const

/** The job of an erasure goes with its last step. */
const isRemain = (x: string) => `coalesce(${x}.kind, '') <> 'erase'`

/** Revokes the keys of a tenant, and withdraws it from the keys of others. */
export async function removeKeys(caller: Caller, tenant: string) {
  await removeAll(caller, 'ApiKey', tenant)
  await write(
    caller,
    `MATCH (k:ApiKey) WHERE $tenant IN k.otherTenants
    SET k.otherTenants = [other IN k.otherTenants WHERE other <> $tenant]`,
    { tenant },
  )
}

/** Removes what a tenant has besides memories, its feed, the audit log and the receipts of erasures. */
export async function removeRemains(caller: Caller, tenant: string) {
  for (const label of REMOVED) await removeAll(caller, label, tenant)
}

/** Opens a tenant that was removed. One whose erasure is running stays closed. */
export const openRemoved = (caller: Caller, tenant: string) =>
  write(
    caller,
    `MATCH (c:ClosedTenant {tenant: $tenant})
    WHERE NOT EXISTS { MATCH (e:Erasure {id: c.erasure}) WHERE e.state = 'running' }
    DELETE c`,
    { tenant },
  )

const removeAll = (caller: Caller, label: (typeof REMOVED)[number], tenant: string) =>
  clear(
    caller,
    `${allOf('x', label)} AND ${isRemain('x')}
    WITH x LIMIT $most
    DETACH DELETE x
    RETURN count(*) AS cleared`,
    { tenant },
  )
