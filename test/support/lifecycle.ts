import neo4j from 'neo4j-driver'
import type { Context } from '../../src/context.ts'
import type { PolicyRules } from '../../src/contract/policies.ts'
import type { PolicyInForce } from '../../src/service/lifecycle/policies.ts'
import type { LifecycleRow, PlannedChange } from '../../src/store/lifecycle/figures.ts'
import { liveUntil } from '../../src/store/neo4j/tokens.ts'
import type { TestService } from './service.ts'

export const DAY = 86_400_000
/** When the memories of these tests are made: any time will do. */
export const BIRTH = Date.UTC(2026, 0, 1)

/** The rules of a policy that does nothing, as they are answered. */
export const noRules = {
  health_decay: 0,
  recall_boost: 0,
  importance_decay: 1,
  promote_at_recalls: null,
  promote_to: null,
  archive_at_health: null,
  remove_after_seconds: null,
}

/** A memory as maintenance reads it, just made. */
export const someRow = (fields: Partial<LifecycleRow> = {}): LifecycleRow => ({
  id: '018f0000-0000-7000-8000-000000000000',
  state: 'active',
  policy: 'short_term',
  health: 100,
  importance: 0.5,
  version: 1,
  createdAt: BIRTH,
  updatedAt: BIRTH,
  expiresAt: null,
  importanceSince: null,
  archivedAt: null,
  archivedReason: null,
  maintainedAt: null,
  recallCount: fields.recalls?.length ?? 0,
  connections: 0,
  foldedRecalls: null,
  lastRun: null,
  lastRunVersion: null,
  recalls: [],
  ...fields,
})

/** A policy in force since ever. */
export const somePolicy = (name: string, rules: Partial<PolicyRules> = {}): PolicyInForce => ({
  name,
  built_in: false,
  overridden: false,
  health_decay: rules.health_decay ?? 0,
  recall_boost: rules.recall_boost ?? 0,
  importance_decay: rules.importance_decay ?? 1,
  promote_at_recalls: rules.promote_at_recalls ?? null,
  promote_to: rules.promote_to ?? null,
  archive_at_health: rules.archive_at_health ?? null,
  remove_after_seconds: rules.remove_after_seconds ?? null,
  since: 0,
})

export const builtIn = new Map(
  [
    somePolicy('short_term', {
      health_decay: 8,
      recall_boost: 10,
      promote_at_recalls: 3,
      promote_to: 'long_term',
      archive_at_health: 0,
      remove_after_seconds: 30 * 86_400,
    }),
    somePolicy('long_term', {
      health_decay: 2,
      recall_boost: 10,
      importance_decay: 0.995,
      archive_at_health: 0,
    }),
    somePolicy('pinned'),
  ].map(policy => [policy.name, policy]),
)

/** The memory as a run leaves it that found these recalls. */
export const afterRun = (row: LifecycleRow, change: PlannedChange | undefined): LifecycleRow =>
  change ? { ...row, ...change.after, recalls: [] } : row

/** The queue's own view of a tenant: for what no caller can ask, such as maintenance with a moved clock. */
export const contextOf = (service: TestService, tenant: string): Context => ({
  app: service.app,
  ...service.app.embeddings.active(),
  tenant,
  scopes: new Set(),
  operator: false,
  requestId: 'of-a-test',
  signal: AbortSignal.timeout(60_000),
  log: service.app.log,
})

/** Lets all that a tenant has look as if it had come about so many days earlier. */
export async function age(service: TestService, tenant: string, days: number) {
  const earlier = (n: string, names: readonly string[]) =>
    names.map(name => `${n}.${name} = ${n}.${name} - duration({days: $days})`).join(', ')
  const times = ['createdAt', 'updatedAt', 'maintainedAt', 'archivedAt', 'expiresAt', 'importanceSince']
  await service.cypher(
    `MATCH (m:Memory) WHERE m.tenant = $tenant
    SET ${earlier('m', times)}
    SET m.liveUntil = ${liveUntil('m')}`,
    { tenant, days: neo4j.int(days) },
  )
  await service.cypher(`MATCH (r:Recall) WHERE r.tenant = $tenant SET ${earlier('r', ['at', 'foldedAt'])}`, {
    tenant,
    days: neo4j.int(days),
  })
  await service.cypher(`MATCH (r:MaintenanceRun) WHERE r.tenant = $tenant SET ${earlier('r', ['at'])}`, {
    tenant,
    days: neo4j.int(days),
  })
}

/** As if the thirty seconds since its last recall had passed. */
export const endBurst = (service: TestService, id: string) =>
  service.cypher('MATCH (m:Memory {id: $id}) SET m.recallBurstEnds = m.recallBurstEnds - 30000', { id })

const CONTENT = ['Memory', 'RemovedMemory', 'Recall']
const ALL = [
  ...CONTENT,
  'Job',
  'Policy',
  'MaintenanceRun',
  'RunChange',
  'RunMention',
  'IdempotentRequest',
  'AnsweredMemory',
  'Write',
  'ApiKey',
]

/** What an undo does not give back: it makes a new version. */
const OF_VERSIONS = ['version', 'updatedAt', 'author', 'reason', 'lastRunVersion']

/**
 * Memories, connections and recalls of a tenant as the graph keeps them, every property with its type, as text.
 * `everything` includes what the service keeps in addition, `versions: false` leaves out what each new version changes.
 */
export async function dumpOf(
  service: TestService,
  tenant: string,
  { everything = false, versions = true } = {},
) {
  const left = versions ? '' : ` WHERE NOT key IN ${JSON.stringify(OF_VERSIONS)}`
  const propertiesOf = (n: string) =>
    `[key IN keys(${n})${left} | [key, valueType(${n}[key]), CASE
      WHEN valueType(${n}[key]) STARTS WITH 'LIST' THEN reduce(text = '', each IN ${n}[key] | text + toString(each) + ' ')
      ELSE toString(${n}[key]) END]]`
  const nodes = await service.cypher<{ labels: string[]; properties: unknown[] }>(
    `MATCH (n:${(everything ? ALL : CONTENT).join('|')}) WHERE n.tenant = $tenant
    RETURN labels(n) AS labels, ${propertiesOf('n')} AS properties`,
    { tenant },
  )
  const edges = await service.cypher<{ ends: string[]; properties: unknown[] }>(
    `MATCH (n:Memory|RemovedMemory)-[r]->(m) WHERE n.tenant = $tenant
    RETURN [n.id, type(r), m.id] AS ends, ${propertiesOf('r')} AS properties`,
    { tenant },
  )
  const sorted = (properties: unknown[]) => properties.map(each => JSON.stringify(each)).sort()
  return [...nodes, ...edges]
    .map(({ properties, ...rest }) => JSON.stringify({ ...rest, properties: sorted(properties) }))
    .sort()
    .join('\n')
}
