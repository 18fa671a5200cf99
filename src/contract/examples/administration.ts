import { ids, model, newRule, rule, times } from './world.ts'

const DAY_MS = 86_400_000

const key = {
  id: ids.key,
  tenant: 'platform-team',
  name: 'deployment agent',
  scopes: ['read', 'write'],
  other_tenants: [],
  owner: null,
  rate_limit: null,
  created_at: times.rule,
  expires_at: null,
  last_used_at: null,
} as const

const keyHash = '3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea'

const quota = { memories: 100_000, characters: null } as const

const job = {
  id: `discover:platform-team:${ids.rule}:1`,
  kind: 'discover',
  tenant: 'platform-team',
  memory_id: ids.rule,
  state: 'queued',
  attempt: 0,
  created_at: times.rule,
  run_at: times.rule,
  lease_until: null,
  last_error: null,
  report: null,
} as const

const space = {
  id: ids.space,
  provider: 'openai',
  model,
  dimensions: 1536,
  state: 'active',
  available: true,
  ready: 121,
  missing: 0,
  created_at: times.incident,
} as const

const imported = { created: 0, updated: 0, unchanged: 0, kept: 0, removed: 0 }

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
    created_at: rule.created_at,
    updated_at: rule.updated_at,
    version: 1,
    author: 'operator',
    reason: null,
    maintained_at: null,
    importance_since: null,
  },
].map(line => JSON.stringify(line))

const up = { status: 'up', detail: null } as const

export const administrationExamples = {
  exportBundle: { input: {}, output: { 'application/x-ndjson': `${lines.join('\n')}\n` } },
  importBundle: {
    input: { lines, mode: 'merge', dry_run: true },
    output: {
      tenant: 'platform-team',
      lines: 2,
      done: false,
      cursor: 'eyJsaW5lcyI6Mn0.b7Zk0q',
      totals: {
        policies: imported,
        memories: { ...imported, created: 1 },
        versions: imported,
        connections: imported,
        earlier_connections: imported,
        rejections: imported,
        vectors: { taken: 0, left_out: 0 },
      },
      left_out: [],
      duplicates: [],
    },
  },
  createKey: {
    input: { name: key.name, scopes: ['read', 'write'] },
    output: { ...key, key: 'example-secret-shown-once' },
  },
  listKeys: { input: {}, output: { keys: [{ ...key, last_used_at: times.recall }] } },
  rotateKey: {
    input: { id: ids.key, overlap_seconds: 3_600 },
    output: { ...key, id: ids.nextKey, created_at: times.applied, key: 'example-secret-shown-once' },
  },
  deleteKey: { input: { id: ids.key }, output: { id: ids.key, deleted: true } },
  listTenants: {
    input: { limit: 50 },
    output: {
      tenants: [
        {
          tenant: 'platform-team',
          memories: { active: 121, archived: 7 },
          characters: 18_430,
          quota,
          keys: 2,
          last_write_at: times.rule,
        },
      ],
      next_after: null,
    },
  },
  putQuota: {
    input: { tenant: 'platform-team', ...quota },
    output: { tenant: 'platform-team', ...quota },
  },
  eraseTenant: {
    input: { tenant: 'former-team' },
    output: {
      id: ids.plan,
      state: 'complete',
      requested_by: 'operator',
      at: times.applied,
      counts: { memories: 128, connections: 214, versions: 31, recalls: 402, jobs: 0, answers: 3 },
      digest: '9c60ae29d8a01f3fa2be4e1ff2e0a6f2ed2a9fc0b5a4b0f1b9d2f9e8e6a3cd71',
      verified: true,
      complete: true,
    },
  },
  exportRecords: {
    input: { tenant: 'platform-team' },
    output: { keys: [{ ...key, retires_at: null, hash: keyHash }], webhooks: [], quota: null },
  },
  importRecords: {
    input: {
      tenant: 'platform-team',
      keys: [{ ...key, scopes: [...key.scopes], other_tenants: [], retires_at: null, hash: keyHash }],
    },
    output: { keys: 1, webhooks: 0, entries: 0 },
  },
  listAudit: {
    input: { operation: 'deleteKey', limit: 50 },
    output: {
      entries: [
        {
          number: 12,
          id: ids.plan,
          at: times.applied,
          key_id: 'operator',
          key_name: null,
          address: '192.0.2.7',
          operation: 'deleteKey',
          target: ids.key,
          outcome: 'ok',
          request_id: 'deploy-42',
          previous: '0f5d1c9c3b0a0a6a6b1f7f0e2a4b9f7c8d3e6a5b4c2d1e0f9a8b7c6d5e4f3a2b',
          digest: 'a3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2',
        },
      ],
      next_before: null,
    },
  },
  listJobs: {
    input: { limit: 50 },
    output: { jobs: [job], counts: { queued: 1 }, has_more: false, paused_until: null },
  },
  retryJob: { input: { id: job.id }, output: job },
  retryJobs: { input: { kind: 'discover' }, output: { retried: 3 } },
  pauseQueue: {
    /** The end of tomorrow: a fixed time would soon lie in the past. */
    get input() {
      return { until: new Date((Math.floor(Date.now() / DAY_MS) + 2) * DAY_MS).toISOString() }
    },
    output: { paused_until: times.undoUntil },
  },
  resumeQueue: { input: { all_tenants: false }, output: { paused_until: null } },
  rediscoverMemories: {
    input: {},
    output: { job_id: 'rediscover_all:platform-team', memories: 121, threshold: 0.7 },
  },
  listEmbeddingSpaces: { input: {}, output: { active: ids.space, spaces: [space] } },
  compareEmbeddingSpaces: {
    input: { id: ids.nextSpace, sample: 100, nearest: 10 },
    output: { sample: 100, nearest: 10, overlap: 0.83 },
  },
  switchEmbeddingSpace: {
    input: { id: ids.nextSpace },
    output: { active: ids.nextSpace, previous: ids.space },
  },
  deleteEmbeddingSpace: { input: { id: ids.nextSpace }, output: { id: ids.nextSpace, deleted: true } },
  getAccess: {
    input: {},
    output: {
      tenant: 'platform-team',
      owner: null,
      key_id: ids.key,
      operator: false,
      scopes: ['read', 'write'],
    },
  },
  getHealth: { input: {}, output: { status: 'ok', version: '0.1.0', uptime_seconds: 86_400 } },
  getReadiness: {
    input: {},
    output: {
      status: 'ready',
      checks: { neo4j: up, schema: up, indexes: up, embeddings: up, queue: up },
    },
  },
  getOpenApi: { input: {}, output: { openapi: '3.1.0' } },
} as const
