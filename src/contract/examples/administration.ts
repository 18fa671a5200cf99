import { createdChange, ids, model, newRule, sha256, times } from './world.ts'

const DAY_MS = 86_400_000

const tenant = 'platform-team'
const key = { tenant, name: 'deployment agent', scopes: ['read', 'write'] } as const
const secret = { ...key, key: 'example-secret-shown-once' }
const record = { ...key, hash: sha256 }
const quota = { tenant, memories: 100_000 }

const job = { id: `discover:${tenant}:${ids.rule}:1`, kind: 'discover', tenant, memory_id: ids.rule }

const spaces = ['8c1f0a5be294', '3b97d2e60a41'] as const
const space = { id: spaces[0], provider: 'openai', model, dimensions: 1536, available: true, ready: 121 }

/** The first line of a bundle, and a memory. */
const lines = [
  { section: 'bundle', version: 1, made_at: times.applied, vectors: null },
  {
    section: 'memories',
    id: ids.rule,
    ...newRule,
    state: 'active',
    health: 100,
    recall_count: 0,
    last_recalled_at: null,
    recalls: [],
    expires_at: null,
    archived_at: null,
    created_at: times.rule,
    updated_at: times.rule,
    version: 1,
    author: 'operator',
    reason: null,
    maintained_at: null,
    importance_since: null,
  },
].map(line => JSON.stringify(line))

const url = 'https://app.example/hooks/memory'
const filters = { tags: ['checkout'] }
const webhook = { url, kinds: ['created', 'updated', 'archived'], filters } as const
const body = JSON.stringify({
  type: 'created',
  timestamp: times.rule,
  webhook_id: ids.rule,
  tenant,
  data: createdChange,
})

export const administrationExamples = {
  createWebhook: { input: webhook, output: { ...webhook, secret: 'whsec_example_shown_once' } },
  listWebhooks: { output: { webhooks: [{ ...webhook, delivered_at: times.applied }] } },
  listDeliveries: {
    output: { deliveries: [{ state: 'delivered', body, attempts: 1, settled_at: times.applied }] },
  },
  redeliver: { output: { queued: 3 } },
  exportBundle: { output: { 'application/x-ndjson': `${lines.join('\n')}\n` } },
  importBundle: {
    input: { lines, mode: 'merge', dry_run: true },
    output: {
      tenant,
      lines: 2,
      cursor: 'eyJsaW5lcyI6Mn0.b7Zk0q',
      totals: { memories: { created: 1 } },
    },
  },
  createKey: { input: { name: key.name, scopes: key.scopes }, output: secret },
  listKeys: { output: { keys: [{ ...key, last_used_at: times.recall }] } },
  rotateKey: { input: { overlap_seconds: 3_600 }, output: { ...secret, id: ids.key } },
  listTenants: {
    output: {
      tenants: [{ tenant, memories: { active: 121, archived: 7 }, characters: 18_430, quota, keys: 2 }],
    },
  },
  putQuota: { input: quota, output: quota },
  exportRecords: { output: { keys: [record] } },
  importRecords: { input: { keys: [{ ...record, other_tenants: [] }] }, output: { keys: 1 } },
  listAudit: {
    input: { operation: 'deleteKey' },
    output: {
      entries: [
        {
          number: 12,
          key_id: 'operator',
          address: '192.0.2.7',
          operation: 'deleteKey',
          target: ids.key,
          outcome: 'ok',
          request_id: 'deploy-42',
          previous: sha256,
          digest: sha256.split('').reverse().join(''),
        },
      ],
    },
  },
  listJobs: { output: { jobs: [job], counts: { queued: 1 } } },
  retryJob: { input: { id: job.id }, output: job },
  retryJobs: { input: { kind: 'discover' }, output: { retried: 3 } },
  pauseQueue: {
    /** The end of tomorrow: a fixed time would soon lie in the past. */
    get input() {
      return { until: new Date((Math.floor(Date.now() / DAY_MS) + 2) * DAY_MS).toISOString() }
    },
    output: { paused_until: times.undoUntil },
  },
  rediscoverMemories: { output: { job_id: `rediscover_all:${tenant}`, memories: 121, threshold: 0.7 } },
  listEmbeddingSpaces: { output: { active: space.id, spaces: [space] } },
  compareEmbeddingSpaces: { input: { id: spaces[1] }, output: { overlap: 0.83 } },
  switchEmbeddingSpace: { input: { id: spaces[1] }, output: { active: spaces[1], previous: spaces[0] } },
  deleteEmbeddingSpace: { input: { id: spaces[1] } },
  getAccess: { output: { tenant, key_id: ids.key, scopes: key.scopes } },
  getHealth: { output: { version: '0.1.0', uptime_seconds: 86_400 } },
  getOpenApi: { output: { openapi: '3.1.0' } },
} as const
