/** The properties of an index next to the tenant. Neo4j uses a range index only where all of its properties are named. */
const indexed: Readonly<Record<string, readonly string[]>> = {
  MaintenanceRun: ['createdAt', 'id'],
  Job: ['state', 'createdAt', 'id'],
  Version: ['memoryId', 'version'],
  EarlierConnection: ['sourceId', 'until'],
  Recall: ['memoryId'],
  AnsweredMemory: ['memoryId'],
  RunChange: ['memoryId'],
  RunMention: ['memoryId'],
  Write: ['memoryId', 'id'],
  Delivery: ['queuedAt'],
  ModelUse: ['day'],
  DiscoveryRule: ['space'],
  RemovedMemory: ['id'],
  'Memory|RemovedMemory': ['id'],
}

/** The part of a statement that finds all nodes of a label in `$tenant` by an index; conditions may follow with AND. */
export const allOf = (x: string, label: string) =>
  [
    `MATCH (${x}:${label}) WHERE ${x}.tenant = $tenant`,
    ...(indexed[label] ?? []).map(property => `${x}.${property} IS NOT NULL`),
  ].join(' AND ')

/** How a statement finds memories in one tenant, or in several: the text before its MATCH, and the expression for the tenant. */
export const withinTenants = (tenants: readonly string[]) =>
  tenants.length === 1
    ? { each: '', tenant: '$tenant', parameters: { tenant: tenants[0] } }
    : {
        each: 'UNWIND $rows AS row',
        tenant: 'row.tenant',
        parameters: { rows: tenants.map(tenant => ({ tenant })) },
      }
