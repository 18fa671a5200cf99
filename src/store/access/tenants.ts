import type { Output } from '../../contract/index.ts'
import { allOf } from '../neo4j/of-tenant.ts'
import { isoTime } from '../neo4j/projections.ts'
import { type Caller, clear, int, read, write } from '../neo4j/statements.ts'

type Tenant = Output<'listTenants'>['tenants'][number]

/** Tenants behind a name, in alphabetical order, with what they have. It is for the operator alone. */
export async function listTenants(caller: Caller, after: string, limit: number): Promise<Tenant[]> {
  const rows = await read<{ found: Tenant }>(
    caller,
    `CYPHER 25
    CALL () {
      MATCH (m:Memory) WHERE m.tenant > $after RETURN DISTINCT m.tenant AS tenant
      UNION
      MATCH (k:ApiKey) WHERE k.tenant > $after RETURN DISTINCT k.tenant AS tenant
    }
    WITH tenant ORDER BY tenant LIMIT $limit
    CALL (tenant) {
      MATCH (m:Memory) WHERE m.tenant = tenant
      RETURN count(CASE m.state WHEN 'active' THEN 1 END) AS active,
        count(CASE m.state WHEN 'archived' THEN 1 END) AS archived, sum(size(m.content)) AS characters,
        max(m.updatedAt) AS last
    }
    OPTIONAL MATCH (q:Quota {tenant: tenant})
    RETURN {tenant: tenant, memories: {active: active, archived: archived}, characters: characters,
      quota: CASE WHEN q IS NOT NULL THEN {memories: q.memories, characters: q.characters} END,
      keys: COUNT { MATCH (k:ApiKey) WHERE k.tenant = tenant },
      last_write_at: ${isoTime('last')}} AS found`,
    { after, limit: int(limit) },
  )
  return rows.map(({ found }) => found)
}

/** Whether a tenant has anything that an erasure removes. */
export async function isTenant(caller: Caller, tenant: string): Promise<boolean> {
  const [row] = await read<{ found: boolean }>(
    caller,
    `CYPHER 25 RETURN ${[...REMOVED, 'Memory', 'RemovedMemory']
      .map(label => `EXISTS { ${allOf('x', label)} }`)
      .join(' OR ')} AS found`,
    { tenant },
  )
  return row?.found === true
}

const REMOVED = [
  'Quota',
  'Webhook',
  'Delivery',
  'ApiKey',
  'Policy',
  'MaintenanceChanges',
  'MaintenanceRun',
  'Job',
  'Version',
  'Recall',
  'IdempotentRequest',
] as const

/** Revokes the keys of a tenant, and withdraws it from the keys of others. */
export async function removeKeys(caller: Caller, tenant: string) {
  await removeAll(caller, 'ApiKey', tenant)
  await write(
    caller,
    `CYPHER 25
    MATCH (k:ApiKey) WHERE $tenant IN k.otherTenants
    SET k.otherTenants = [other IN k.otherTenants WHERE other <> $tenant]`,
    { tenant },
  )
}

/** Removes what a tenant has besides memories, its feed, the audit log and the receipts of erasures. */
export async function removeRemains(caller: Caller, tenant: string) {
  for (const label of REMOVED) await removeAll(caller, label, tenant)
}

const removeAll = (caller: Caller, label: (typeof REMOVED)[number], tenant: string) =>
  clear(
    caller,
    `CYPHER 25
    ${allOf('x', label)}
    WITH x LIMIT $most
    DETACH DELETE x
    RETURN count(*) AS cleared`,
    { tenant },
  )
