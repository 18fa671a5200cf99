import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import type { Parsed } from '../../contract/index.ts'
import { ownerOf } from '../../contract/private.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import type { Scope } from '../../contract/route.ts'
import * as store from '../../store/access/keys.ts'
import { openRemoved } from '../../store/access/tenants.ts'
import type { Handler } from '../handler.ts'
import { operatorOnly } from './operator.ts'

export const createKey: Handler<'createKey'> = async (ctx, input) => {
  const tenant = input.tenant ?? ctx.tenant
  if (ownerOf(tenant) !== undefined) throw invalid('/tenant', 'private', OF_A_TENANT)
  if (tenant !== ctx.tenant && !ctx.operator)
    throw new ServiceError('forbidden', `This key makes keys for the tenant ${ctx.tenant} only.`)
  if (input.owner !== undefined) checkBound(input)
  if (input.other_tenants.length > 0 || input.rate_limit !== undefined) operatorOnly(ctx)
  refuseGiving(ctx, input.scopes)
  if (input.expires_at && Date.parse(input.expires_at) <= Date.now())
    throw invalid('/expires_at', 'in_the_past', 'must be in the future')
  const { id, key, hash } = mintKey(ctx)
  if (ctx.operator) await openRemoved(ctx, tenant)
  const stored = await store.createKey(ctx, {
    id,
    tenant,
    otherTenants: input.other_tenants.filter(name => name !== tenant),
    owner: input.owner ?? null,
    name: input.name ?? null,
    scopes: input.scopes,
    rateLimit: input.rate_limit ?? null,
    expiresAt: input.expires_at ?? null,
    hash,
  })
  return { ...stored, key }
}

const OF_A_TENANT =
  'must be a tenant: keys belong to tenants, not to private memories. To bind a key to an owner, set `owner`'

/** An administrator could make keys for other owners. */
function checkBound({ scopes, other_tenants }: Parsed<'createKey'>) {
  if (scopes.includes('admin'))
    throw invalid('/scopes', 'with_owner', 'must not contain `admin` together with `owner`')
  if (other_tenants.length > 0)
    throw invalid('/other_tenants', 'with_owner', 'must be empty together with `owner`')
}

/** No other scope includes `cypher`, so no administrator gets it by a key that it makes. */
function refuseGiving(ctx: Context, given: readonly Scope[]) {
  if (given.includes('cypher') && !ctx.scopes.has('cypher'))
    throw new ServiceError(
      'forbidden',
      'Only the operator, or a key with the scope cypher, gives the scope cypher.',
    )
}

export const rotateKey: Handler<'rotateKey'> = async (ctx, { id, overlap_seconds }) => {
  const old = (await store.listKeys(ctx)).find(each => each.id === id)
  if (old && old.other_tenants.length > 0) operatorOnly(ctx)
  if (old) refuseGiving(ctx, old.scopes)
  const { key, ...successor } = mintKey(ctx)
  const stored = await store.rotateKey(ctx, id, successor, overlap_seconds)
  if (stored === undefined) return notFound(id)
  if (stored === 'expired')
    throw new ServiceError('key_expired', `The key ${id} has expired. Create a new key instead.`)
  return { ...stored, key }
}

/** `mnk_` + the id without hyphens + `_` + 32 random bytes: the id finds the key, the whole proves it. */
function mintKey({ mintedIds }: Context) {
  const id = mintedIds?.[0] ?? mintId()
  const key = `mnk_${id.replaceAll('-', '')}_${randomBytes(32).toString('base64url')}`
  return { id, key, hash: hashKey(key) }
}

export const listKeys: Handler<'listKeys'> = async ctx => ({
  keys: await store.listKeys(ctx),
})

export const deleteKey: Handler<'deleteKey'> = async (ctx, { id }) => {
  if (!(await store.deleteKey(ctx, id))) return notFound(id)
  return { id, deleted: true }
}

function notFound(id: string): never {
  throw new ServiceError('key_not_found', `There is no key ${id}.`)
}

/** Keys carry 256 random bits, so that a fast hash is as good as a slow one. */
export const hashKey = (key: string) => hash('sha256', key)

/** Whether a key has this hash. Takes the same time for every other one. */
export const hasHash = (key: string, wanted: string) =>
  timingSafeEqual(Buffer.from(hashKey(key)), Buffer.from(wanted))

/** What a scope includes. */
export const grants: Record<Scope, readonly Scope[]> = {
  read: ['read'],
  write: ['read', 'write'],
  delete: ['read', 'write', 'delete'],
  admin: ['read', 'write', 'delete', 'admin'],
  cypher: ['cypher'],
}
