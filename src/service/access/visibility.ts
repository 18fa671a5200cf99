import type { Context } from '../../context.ts'
import type { RouteName } from '../../contract/index.ts'
import { ownerOf } from '../../contract/private.ts'
import { invalid } from '../../contract/problems.ts'
import { id } from '../../contract/values.ts'
import { storedIn } from '../../store/memories/get.ts'
import { inPrivate, inShared } from './private.ts'

/**
 * Where an operation acts for a request that has shared and private memories. `creates`: where `visibility` says. `both`: its
 * handler reads both parts. A field: where the memory is that it names, and `other` as well.
 */
type Place = 'creates' | 'both' | NamedMemory
type NamedMemory = { readonly memory: string; readonly other?: string }

/** All others act in the shared memories alone. */
const places: { readonly [Name in RouteName]?: Place } = {
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
  createConnections: 'both',
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
}

/**
 * The request in the one part in which its operation acts; unchanged for an operation on both.
 * @throws ServiceError `validation_failed` for a `visibility` that the request does not have, and for two memories of which
 * one is private and one shared
 */
export async function placed(name: RouteName, ctx: Context, raw: unknown): Promise<Context> {
  const place = places[name]
  if (place === 'creates') return whereVisible(ctx, fieldOf(raw, 'visibility'))
  if (ctx.owner === undefined || place === 'both') return ctx
  return place === undefined ? inShared(ctx) : whereItIs(ctx, raw, place)
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
async function whereItIs(ctx: Context, raw: unknown, { memory, other }: NamedMemory): Promise<Context> {
  const [first, second] = [idIn(raw, memory), other && idIn(raw, other)]
  if (first === undefined) return inShared(ctx)
  const placeOf = await placesOf(ctx, second ? [first, second] : [first])
  if (second) checkSamePart(placeOf, [first, second], `/${other}`)
  return placeOf(first) === 'private' ? inPrivate(ctx) : inShared(ctx)
}

type PlaceOf = (id: string) => 'private' | 'shared' | undefined

/** In which part of a request memories are; undefined for those that are nowhere. */
async function placesOf(ctx: Context, ids: readonly string[]): Promise<PlaceOf> {
  const [shared, own] = [inShared(ctx).tenant, inPrivate(ctx).tenant]
  const found = await storedIn(ctx, [shared, own], [...new Set(ids)])
  const has = new Set(found.map(({ tenant, id }) => `${tenant}:${id}`))
  return id => (has.has(`${own}:${id}`) ? 'private' : has.has(`${shared}:${id}`) ? 'shared' : undefined)
}

/** @throws ServiceError `validation_failed` for two memories of which one is private and one shared */
function checkSamePart(placeOf: PlaceOf, [first, second]: readonly [string, string], pointer: string) {
  const [one, other] = [placeOf(first), placeOf(second)]
  if (one === undefined || other === undefined || one === other) return
  throw invalid(pointer, 'not_available', one === 'private' ? OTHER_SHARED : OTHER_PRIVATE)
}

/**
 * For each pair the part of the request in which it is connected.
 * @throws ServiceError `validation_failed` at the place of a pair of which one is private and one shared
 */
export async function partsOfPairs(
  ctx: Context,
  pairs: readonly { source_id: string; target_id: string }[],
): Promise<Context[]> {
  if (ctx.owner === undefined) return pairs.map(() => ctx)
  const [shared, own] = [inShared(ctx), inPrivate(ctx)]
  const placeOf = await placesOf(
    ctx,
    pairs.flatMap(({ source_id, target_id }) => [source_id, target_id]),
  )
  return pairs.map(({ source_id, target_id }, at) => {
    checkSamePart(placeOf, [source_id, target_id], `/connections/${at}/target_id`)
    return placeOf(source_id) === 'private' ? own : shared
  })
}

const OTHER_SHARED =
  'names a shared memory, and the other one is private: they cannot be connected. Store both privately, or both shared'
const OTHER_PRIVATE =
  'names a private memory, and the other one is shared: they cannot be connected. Store both privately, or both shared'

/** The id that a request names; undefined for a malformed one, which is refused later. */
const idIn = (raw: unknown, name: string): string | undefined => id.safeParse(fieldOf(raw, name)).data

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
