import { randomUUID } from 'node:crypto'
import type { Client } from '../../src/client.ts'
import type { Input, RouteName } from '../../src/contract/index.ts'
import { bundleLines, connectionLine, memoryLine } from '../../tools/bundle-lines.ts'
import { someMemory } from './service.ts'

/** Everything of a tenant that a request can name. */
export type Names = {
  tenant: string
  memory: string
  other: string
  connected: string
  key: string
  job: string
  cursor: string
  feed: string
  idempotencyKey: string
  policy: string
  plan: string
  run: string
  webhook: string
}

/** Names of the same shape that stand for nothing. */
export const unknownNames = (memory = randomUUID(), tenant = `t-${randomUUID()}`): Names => ({
  tenant,
  memory,
  other: randomUUID(),
  connected: randomUUID(),
  key: randomUUID(),
  job: `discover:${tenant}:${memory}:1`,
  cursor: `${Buffer.from('{"key":1,"id":"x"}').toString('base64url')}.${'A'.repeat(43)}`,
  feed: `${Buffer.from('{"key":1,"id":""}').toString('base64url')}.${'A'.repeat(43)}`,
  idempotencyKey: randomUUID(),
  policy: `p_${randomUUID().replaceAll('-', '_')}`,
  plan: randomUUID(),
  run: randomUUID(),
  webhook: randomUUID(),
})

/** One request: the input of the operation, and headers. */
export type Probe<Name extends RouteName> = {
  input: Input<Name>
  headers?: Record<string, string>
}
type Row<Name extends RouteName> = (theirs: Names, mine: Names) => Probe<Name>[]

export const CANARY = 'Xylocanary'
/** Where the canary says it comes from. */
const origin = { source: CANARY, session_id: CANARY, metadata: { canary: CANARY } }
const memory = someMemory({ content: 'mine' })
/** All that there is was recorded before. */
const LATER = '2999-01-01T00:00:00Z'
const search = (query: string) =>
  (['semantic', 'keyword', 'hybrid'] as const).map(search_type => ({
    input: { query, search_type, limit: 200 },
  }))
const once = ({ idempotencyKey }: Names) => ({ 'idempotency-key': idempotencyKey })

/** For each operation the requests that name what belongs to somebody else. One that is missing does not compile. */
export const probes: { [Name in RouteName]: Row<Name> } = {
  createMemory: theirs => [
    { input: memory, headers: once(theirs) },
    { input: { ...memory, policy: theirs.policy } },
  ],
  createMemories: theirs => [
    { input: { memories: [memory] }, headers: once(theirs) },
    { input: { memories: [{ ...memory, policy: theirs.policy }] } },
  ],
  addTurns: theirs => [
    { input: { session_id: 'mine', turns: [{ speaker: 'me', text: 'mine' }] }, headers: once(theirs) },
    {
      input: {
        session_id: theirs.memory,
        turns: [{ speaker: 'me', text: 'mine', time: '2026-01-01T00:00:00Z' }],
      },
    },
  ],
  extractFacts: ({ memory }) => [
    { input: { session_id: memory } },
    { input: { session_id: CANARY, repeat: true } },
  ],
  getMemory: ({ memory: id }) => [
    { input: { id } },
    { input: { id, include_embedding: true, record_recall: false } },
    { input: { id, as_of: LATER } },
    { input: { id }, headers: { 'if-none-match': '"1", *' } },
  ],
  updateMemory: ({ memory: id }) => [
    { input: { id, content: 'taken over' } },
    { input: { id, importance: 1 }, headers: { 'if-match': '"1"' } },
    { input: { id, importance: 1 }, headers: { 'if-match': '"99"' } },
  ],
  deleteMemory: ({ memory: id }) => [
    { input: { id } },
    { input: { id, hard: true } },
    { input: { id, hard: true }, headers: { 'if-match': '"99"' } },
  ],
  restoreMemory: ({ memory: id, other }) => [{ input: { id } }, { input: { id: other } }],
  getMemoryHistory: ({ memory: id }) => [{ input: { id } }, { input: { id, before_version: 9 } }],
  revertMemory: ({ memory: id }) => [{ input: { id, version: 1 } }],
  groupMemories: ({ policy }) => [
    { input: { by: 'tag', include_archived: true } },
    { input: { by: 'relationship_type' } },
    { input: { by: 'source', policy, include_archived: true } },
    { input: { by: 'session', tags: [CANARY], include_archived: true } },
  ],
  listTags: () => [{ input: { limit: 500 } }],
  listSources: () => [{ input: { limit: 500 } }],
  listSessions: () => [{ input: { limit: 500 } }],
  listKinds: () => [{ input: { limit: 500 } }],
  listMemories: ({ cursor, policy }) => [
    { input: { limit: 1, cursor } },
    { input: { policy, include_archived: true } },
    { input: { tags: [CANARY], include_archived: true } },
    { input: { ...origin, include_archived: true } },
    { input: { as_of: LATER, include_archived: true } },
    { input: { tags: [CANARY], tags_match: 'none', valid_at: '2020-01-01T00:00:00Z' } },
  ],
  searchMemories: ({ memory: id, policy }) => [
    ...search(CANARY),
    { input: { query: id, search_type: 'keyword' } },
    { input: { query: CANARY, search_type: 'keyword', policy } },
    { input: { query: CANARY, search_type: 'hybrid', tags: [CANARY], explain: true } },
    { input: { query: CANARY, search_type: 'hybrid', ...origin } },
    { input: { query: CANARY, search_type: 'semantic', ...origin, valid_at: 'any' } },
  ],
  composeContext: () => [
    { input: { query: CANARY } },
    { input: { query: CANARY, tags: [CANARY], max_tokens: 32_000 } },
    { input: { query: CANARY, ...origin, valid_at: 'any' } },
  ],
  relatedMemories: ({ memory: id }) => [
    { input: { id } },
    { input: { id, depth: 5, direction: 'both', include_archived: true, valid_at: 'any' } },
    { input: { id, depth: 5, direction: 'both', include_archived: true, as_of: LATER } },
  ],
  findPath: (theirs, mine) => [
    { input: { source_id: theirs.memory, target_id: theirs.connected } },
    { input: { source_id: theirs.memory, target_id: theirs.connected, as_of: LATER } },
    { input: { source_id: mine.memory, target_id: mine.connected, as_of: LATER } },
    { input: { source_id: mine.memory, target_id: theirs.memory } },
    { input: { source_id: theirs.memory, target_id: mine.memory } },
  ],
  exportGraph: () =>
    (
      [
        { format: 'graphml' },
        { format: 'cypher' },
        { format: 'csv', part: 'nodes' },
        { format: 'csv', part: 'edges' },
      ] as const
    ).map(input => ({ input: { ...input, include_archived: true } })),
  getInsights: () => [{ input: { days: 2 } }],
  listInsightMemories: () =>
    (['unconnected', 'near_duplicates', 'outliers'] as const).map(figure => ({
      input: { figure, limit: 200 },
    })),
  runCypher: theirs => [
    { input: { query: 'MATCH (m) RETURN m ORDER BY m.content, m.id' } },
    {
      input: {
        query: 'MATCH p = (m)-[*..2]-(n) WHERE n.id = $id RETURN length(p) AS n ORDER BY n',
        parameters: { id: theirs.memory },
      },
    },
    { input: { query: 'MATCH (r:Recall) RETURN count(r) AS n', parameters: { tenant: theirs.tenant } } },
  ],
  listCommunities: () => [{ input: {} }],
  getStats: () => [{ input: {} }],
  createConnection: (theirs, mine) => [
    { input: { source_id: theirs.memory, target_id: theirs.other } },
    { input: { source_id: mine.memory, target_id: theirs.memory } },
    { input: { source_id: theirs.memory, target_id: mine.memory } },
    { input: { source_id: mine.memory, target_id: theirs.other } },
    { input: { source_id: mine.memory, target_id: mine.other }, headers: once(theirs) },
  ],
  createConnections: (theirs, mine) => {
    const own = { source_id: mine.memory, target_id: mine.other }
    return [
      { input: { connections: [{ source_id: theirs.memory, target_id: theirs.connected }] } },
      { input: { connections: [own, { source_id: mine.memory, target_id: theirs.memory }] } },
      { input: { connections: [{ source_id: theirs.other, target_id: mine.memory }, own] } },
      { input: { connections: [own] }, headers: once(theirs) },
    ]
  },
  listConnections: (theirs, mine) => [
    { input: { source_id: theirs.memory } },
    { input: { target_id: theirs.connected } },
    { input: { source_id: theirs.memory, target_id: theirs.connected, origin: 'asserted' } },
    { input: { source_id: mine.memory, target_id: theirs.memory } },
    { input: { limit: 1, cursor: theirs.cursor } },
  ],
  deleteConnection: (theirs, mine) => [
    { input: { source_id: theirs.memory, target_id: theirs.connected } },
    { input: { source_id: mine.memory, target_id: theirs.memory } },
    { input: { source_id: theirs.memory, target_id: theirs.connected, relationship_type: 'related_to' } },
  ],
  listConflicts: () => [{ input: { limit: 200 } }, { input: { status: 'suggested' } }],
  reviewConflict: (theirs, mine) => [
    { input: { source_id: theirs.memory, target_id: theirs.connected, outcome: 'confirmed' } },
    { input: { source_id: mine.memory, target_id: theirs.memory, outcome: 'rejected' } },
  ],
  resolveConflict: (theirs, mine) => [
    { input: { keep_id: theirs.memory, archive_id: theirs.connected } },
    { input: { keep_id: mine.memory, archive_id: theirs.memory } },
    { input: { keep_id: theirs.memory, archive_id: mine.memory } },
  ],
  listChanges: ({ feed, cursor, memory: memory_id }) => [
    { input: { cursor: feed } },
    { input: { cursor } },
    { input: { memory_id } },
    { input: { from: 'now' } },
    { input: { matches: CANARY, min_relevance: 0 } },
    { input: { filters: { tags: [CANARY] } } },
  ],
  exportBundle: ({ cursor }) => [{ input: {} }, { input: { vectors: false } }, { input: { cursor } }],
  importBundle: ({ memory: source, connected: target }, mine) => [
    { input: { lines: bundleLines([connectionLine(source, target)]) } },
    { input: { lines: bundleLines([connectionLine(mine.memory, target)]) } },
    { input: { lines: bundleLines([connectionLine(source, mine.memory)]), dry_run: true } },
    { input: { lines: bundleLines([memoryLine({ id: source })]), dry_run: true } },
    { input: { lines: bundleLines([memoryLine({ id: mine.memory })]) } },
    { input: { lines: bundleLines([memoryLine({ id: mine.memory })]), mode: 'replace', dry_run: true } },
  ],
  followChanges: ({ feed, cursor, memory }) => [
    { input: { after: feed } },
    { input: { after: cursor } },
    { input: { after: feed, memory_ids: [memory] } },
    { input: { after: feed, matches: CANARY, min_relevance: 0 } },
  ],
  createWebhook: theirs => [
    { input: { url: 'https://hooks.invalid/' } },
    { input: { url: 'https://hooks.invalid/' }, headers: once(theirs) },
    { input: { url: 'https://hooks.invalid/', matches: 'anything' } },
  ],
  listWebhooks: () => [{ input: {} }],
  deleteWebhook: ({ webhook: id }) => [{ input: { id } }],
  listDeliveries: ({ webhook: id, memory }) => [{ input: { id } }, { input: { id, before: memory } }],
  redeliver: ({ webhook: id, memory }) => [{ input: { id } }, { input: { id, delivery_id: memory } }],
  listPolicies: () => [{ input: {} }],
  putPolicy: ({ policy }) => [{ input: { name: policy, health_decay: 1 } }],
  deletePolicy: ({ policy }) => [{ input: { name: policy } }, { input: { name: policy } }],
  planMaintenance: ({ policy }) => [{ input: { policies: [{ name: policy, health_decay: 50 }] } }],
  applyMaintenance: ({ plan, run }) => [{ input: { id: plan } }, { input: { id: run } }],
  listMaintenanceRuns: () => [{ input: {} }, { input: { state: 'planned' } }],
  getMaintenanceRun: ({ plan, run }) => [{ input: { id: plan } }, { input: { id: run } }],
  eraseMemories: ({ memory }) => [{ input: { filters: { source: memory }, dry_run: true } }],
  getErasure: ({ run: id }) => [{ input: { id } }],
  undoMaintenance: ({ plan, run }) => [{ input: { id: plan } }, { input: { id: run } }],
  createKey: theirs => [
    { input: { tenant: theirs.tenant } },
    { input: { name: 'mine', scopes: ['read'] }, headers: once(theirs) },
  ],
  listKeys: () => [{ input: {} }],
  rotateKey: ({ key: id }) => [{ input: { id } }, { input: { id, overlap_seconds: 0 } }],
  deleteKey: ({ key: id }) => [{ input: { id } }],
  listTenants: (_, { tenant }) => [{ input: { after: tenant.slice(0, -1), limit: 1 } }],
  putQuota: () => [{ input: { tenant: 'a-limited-one', memories: 5 } }],
  exportRecords: () => [{ input: { tenant: 'without-records' } }],
  importRecords: () => [{ input: { tenant: 'without-records' } }],
  eraseTenant: () => [{ input: { tenant: 'nobodys' } }],
  listAudit: ({ key: key_id }) => [{ input: {} }, { input: { key_id } }],
  listJobs: ({ memory: memory_id }) => [{ input: { memory_id } }, { input: { state: 'failed', limit: 500 } }],
  retryJob: ({ job: id }) => [{ input: { id } }],
  retryJobs: () => [{ input: {} }, { input: { kind: 'discover' } }],
  pauseQueue: () => [{ input: { until: '2001-01-01T00:00:00Z' } }],
  resumeQueue: () => [{ input: {} }],
  rediscoverMemories: () => [{ input: {} }],
  listEmbeddingSpaces: () => [{ input: {} }],
  compareEmbeddingSpaces: () => [{ input: { id: '0123456789ab' } }],
  switchEmbeddingSpace: () => [{ input: { id: '0123456789ab' } }],
  deleteEmbeddingSpace: () => [{ input: { id: '0123456789ab' } }],
  getAccess: () => [{ input: {} }],
  getHealth: () => [{ input: {} }],
  getReadiness: () => [{ input: {} }],
  getOpenApi: () => [{ input: {} }],
}

/**
 * Gives a tenant one of everything, with the canary in every text. Private memories have no keys: `ofKeys` makes one in another
 * tenant then.
 */
export async function createOneOfEach(client: Client, tenant: string, ofKeys = client): Promise<Names> {
  const idempotencyKey = randomUUID()
  const headers = { 'idempotency-key': idempotencyKey }
  const policy = `p_${randomUUID().replaceAll('-', '_')}`
  await client.putPolicy({ name: policy, health_decay: 7 })
  const canary = someMemory({ content: `${CANARY} cat`, tags: [CANARY], policy, ...origin })
  const first = await client.createMemory(canary, { headers })
  const rest = await client.createMemories({ memories: [canary, canary] }, { headers })
  const [archived, connected] = rest.memories.map(({ id }) => id) as [string, string]
  await client.createConnection({ source_id: first.id, target_id: connected }, { headers })
  await client.deleteMemory({ id: archived })
  const key = await ofKeys.createKey({ name: CANARY }, { headers })
  const { next_cursor } = await client.listMemories({ limit: 1 })
  const { jobs } = await client.listJobs({ memory_id: first.id })
  const webhook = await client.createWebhook({ url: `https://${CANARY}.invalid/` }, { headers })
  const plan = (await client.planMaintenance({})).plan_id as string
  const applied = await client.applyMaintenance({ id: (await client.planMaintenance({})).plan_id as string })
  return {
    tenant,
    memory: first.id,
    other: archived,
    connected,
    key: key.id,
    job: jobs[0]?.id as string,
    cursor: next_cursor as string,
    feed: (await client.listChanges({})).next_cursor,
    idempotencyKey,
    policy,
    plan,
    run: applied.run_id,
    webhook: webhook.id,
  }
}
