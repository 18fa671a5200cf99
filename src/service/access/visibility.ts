import type { Context } from '../../context.ts'
import type { RouteName } from '../../contract/index.ts'
import { ownerOf } from '../../contract/private.ts'
import { invalid } from '../../contract/problems.ts'
import { id } from '../../contract/values.ts'
import { isStored } from '../../store/memories/get.ts'
import { inPrivate, inShared } from './private.ts'

/**
 * Where an operation acts for a request that has shared and private memories. `creates`: where `visibility` says. `both`: its
 * handler reads both parts. `shared`: in the shared memories alone. A field: where the memory is that it names, and `other` as well.
 */
type Place = 'creates' | 'both' | 'shared' | NamedMemory
type NamedMemory = { readonly memory: string; readonly within?: string; readonly other?: string }

const places: Readonly<Record<Exclude<RouteName, 'getOpenApi'>, Place>> = {
  createMemory: 'creates',
  createMemories: 'creates',
  addTurns: 'creates',
  extractFacts: 'creates',
  getMemory: { memory: 'id' },
  updateMemory: { memory: 'id' },
  deleteMemory: { memory: 'id' },
  restoreMemory: { memory: 'id' },
  getMemoryHistory: { memory: 'id' },
  revertMemory: { memory: 'id' },
  relatedMemories: { memory: 'id' },
  findPath: { memory: 'source_id', other: 'target_id' },
  createConnection: { memory: 'source_id', other: 'target_id' },
  createConnections: { memory: 'source_id', within: 'connections' },
  deleteConnection: { memory: 'source_id' },
  reviewConflict: { memory: 'source_id' },
  resolveConflict: { memory: 'keep_id' },
  searchMemories: 'both',
  composeContext: 'both',
  listMemories: 'both',
  listTags: 'both',
  listSources: 'both',
  listSessions: 'both',
  listKinds: 'both',
  groupMemories: 'both',
  getAccess: 'both',
  exportGraph: 'shared',
  getStats: 'shared',
  listCommunities: 'shared',
  getInsights: 'shared',
  listInsightMemories: 'shared',
  runCypher: 'shared',
  listConnections: 'shared',
  listConflicts: 'shared',
  listChanges: 'shared',
  followChanges: 'shared',
  createWebhook: 'shared',
  listWebhooks: 'shared',
  deleteWebhook: 'shared',
  listDeliveries: 'shared',
  redeliver: 'shared',
  listPolicies: 'shared',
  putPolicy: 'shared',
  deletePolicy: 'shared',
  planMaintenance: 'shared',
  applyMaintenance: 'shared',
  listMaintenanceRuns: 'shared',
  getMaintenanceRun: 'shared',
  undoMaintenance: 'shared',
  eraseMemories: 'shared',
  getErasure: 'shared',
  exportBundle: 'shared',
  importBundle: 'shared',
  createKey: 'shared',
  listKeys: 'shared',
  rotateKey: 'shared',
  deleteKey: 'shared',
  listTenants: 'shared',
  putQuota: 'shared',
  eraseTenant: 'shared',
  exportRecords: 'shared',
  importRecords: 'shared',
  listAudit: 'shared',
  listJobs: 'shared',
  retryJob: 'shared',
  retryJobs: 'shared',
  pauseQueue: 'shared',
  resumeQueue: 'shared',
  rediscoverMemories: 'shared',
  listEmbeddingSpaces: 'shared',
  compareEmbeddingSpaces: 'shared',
  switchEmbeddingSpace: 'shared',
  deleteEmbeddingSpace: 'shared',
  getHealth: 'shared',
  getReadiness: 'shared',
}

/**
 * The request in the one part in which its operation acts; unchanged for an operation on both.
 * @throws ServiceError `validation_failed` for a `visibility` that the request does not have, and for two memories of which
 * one is private and one shared
 */
export async function placed(
  name: Exclude<RouteName, 'getOpenApi'>,
  ctx: Context,
  raw: unknown,
): Promise<Context> {
  const place = places[name]
  if (place === 'creates') return whereVisible(ctx, fieldOf(raw, 'visibility'))
  if (ctx.owner === undefined || place === 'both') return ctx
  return place === 'shared' ? inShared(ctx) : whereItIs(ctx, raw, place)
}

function whereVisible(ctx: Context, visibility: unknown): Context {
  if (ctx.owner !== undefined) return visibility === 'shared' ? inShared(ctx) : inPrivate(ctx)
  const isPrivate = ownerOf(ctx.tenant) !== undefined
  if (visibility === (isPrivate ? 'shared' : 'private'))
    throw invalid('/visibility', 'not_available', isPrivate ? ONLY_PRIVATE : ONLY_SHARED)
  return ctx
}

const ONLY_PRIVATE =
  'must be `private`, or be omitted: `X-Tenant-Id` names private memories. Name the tenant to store shared ones'
const ONLY_SHARED =
  'must be `shared`, or be omitted: the request has no private memories. Use a key with an owner, and no `X-Tenant-Id`'

/** A memory that is nowhere is missing in the shared ones, whose problem says no more of it. */
async function whereItIs(ctx: Context, raw: unknown, { other, ...place }: NamedMemory): Promise<Context> {
  const [own, shared] = [inPrivate(ctx), inShared(ctx)]
  const memory = idIn(raw, place)
  if (memory === undefined) return shared
  const isPrivate = await isStored(own, memory)
  const second = other && idIn(raw, { memory: other })
  const isApart = second && (await isStored(isPrivate ? shared : own, second))
  if (isApart && (isPrivate || (await isStored(shared, memory))))
    throw invalid(`/${other}`, 'not_available', isPrivate ? OTHER_SHARED : OTHER_PRIVATE)
  return isPrivate ? own : shared
}

const OTHER_SHARED =
  'names a shared memory, and the other one is private: they cannot be connected. Store both privately, or both shared'
const OTHER_PRIVATE =
  'names a private memory, and the other one is shared: they cannot be connected. Store both privately, or both shared'

/** The id that a request names; undefined for a malformed one, which is refused later. */
function idIn(raw: unknown, { memory, within }: NamedMemory): string | undefined {
  const items = within === undefined ? raw : fieldOf(raw, within)
  const item = within === undefined ? items : Array.isArray(items) ? items[0] : undefined
  return id.safeParse(fieldOf(item, memory)).data
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
