import type { App, Context, SpaceInUse } from '../context.ts'
import { scopes } from '../contract/route.ts'
import { type Before, rollingBack } from '../store/neo4j/dry-run.ts'
import { createGroupCommits } from '../store/neo4j/group-commit.ts'
import { DiscoveryRules } from './connections/rules.ts'
import { Recalls } from './memories/recalls.ts'
import { QueryVectors } from './search/query-vectors.ts'
import { TenantProfiles } from './search/tenant-profile.ts'

/** A context for operations whose transactions are rolled back, and that leave nothing in caches and queues. */
export function dryRunContext(app: App, tenant: string, signal: AbortSignal): Context {
  const { active, kept } = app.embeddings
  const space = { ...active(), ...withoutProvider(active()) }
  return {
    ...space,
    app: {
      ...rolledBack(app),
      embeddings: { ...app.embeddings, active: () => space, kept: () => kept().map(withoutProvider) },
    },
    tenant,
    scopes: new Set(scopes),
    operator: true,
    // A parameter that is null has a plan of its own.
    key: 'operator',
    requestId: 'warm-up',
    signal,
    // Nothing of it happens: a line of the log would be untrue.
    log: app.log.child({}, { level: 'silent' }),
  }
}

/** The app whose transactions are rolled back. */
export function rolledBack(app: App, before?: Before): App {
  const neo4j = rollingBack(app.neo4j, before)
  return {
    ...app,
    neo4j,
    groupCommits: createGroupCommits({ neo4j, semaphore: app.semaphore }, app.config.requestTimeoutMs),
    memoryLocks: new Map(),
    feed: {
      notice() {},
      number: (...asked) => app.feed.number(...asked),
      follow: (...asked) => app.feed.follow(...asked),
    },
    tenantProfiles: new TenantProfiles(),
    discoveryRules: new DiscoveryRules(),
    queryVectors: new QueryVectors(),
    recalls: new Recalls(),
    wake() {},
  }
}

/** Any vector will do: a provider may charge for each. */
function withoutProvider({ space, embedder }: SpaceInUse): SpaceInUse {
  const vector = new Float32Array(space.dimensions).fill(1 / Math.sqrt(space.dimensions))
  const embed = async (texts: readonly string[]) => texts.map(() => ({ vector, truncated: false }))
  return { space, embedder: { ...embedder, embed } }
}
