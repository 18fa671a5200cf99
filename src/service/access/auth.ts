import { LRUCache } from 'lru-cache'
import type { App } from '../../context.ts'
import type { RouteName } from '../../contract/index.ts'
import { baseTenant, ownerOf, privateTenant } from '../../contract/private.ts'
import { invalidHeader, ServiceError } from '../../contract/problems.ts'
import { type Scope, scopes } from '../../contract/route.ts'
import { tenantOrPrivate } from '../../contract/values.ts'
import { createFlight, type Flight } from '../../platform/single-flight.ts'
import { timeLimit } from '../../platform/time-limit.ts'
import { findKey, markKeyUsed, type StoredKey } from '../../store/access/keys.ts'
import { toDatabaseUnavailable } from '../../store/neo4j/failures.ts'
import { Refusals, type RefusedCredential } from './audit.ts'
import { grants, hasHash, hashKey } from './keys.ts'
import { isToken, TokenChecker, type TokenName } from './tokens.ts'

/** The holder of a valid key, and the tenant it acts in. */
export type Principal = {
  tenant: string
  /** Whose private memories it uses besides the shared ones of the tenant. */
  owner?: string | undefined
  /** All that is done in a tenant, and in private memories of it, takes the tenant's share of the service. */
  share: string
  scopes: ReadonlySet<Scope>
  operator: boolean
  key: string
  address: string | undefined
}

/**
 * What a request with a valid key is counted for. The keys and tokens of a tenant share one count. A key with a limit of its
 * own shares its count with the keys that it was rotated to, which have the same name; null: the limit of the service applies.
 */
export type Holder = { readonly id: string; readonly rateLimit: number | null }

/** What a request presents: a key or token and, where it names one, a tenant. */
export type Credentials = { key: string; tenant: string | undefined; address?: string | undefined }

/** How long a tenant's key may stay valid in this process after another process has revoked it. */
const CACHED_MS = 5_000
const MARKED_MS = 60_000
const MAXIMUM_CACHED = 10_000
const LONGEST_NAME = 128
const TENANT_KEY =
  /^mnk_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_[A-Za-z0-9_-]{43}$/
const UNKNOWN = hashKey('no key has this hash')

/** A key as the graph holds it, until the time when it is read again. */
type CachedKey = { readonly lookup: Flight<StoredKey | undefined>; readonly until: number }

/** Checks keys, and tokens of an issuer. Keys are compared as hashes and in constant time; none is ever logged. */
export class Authenticator {
  readonly #app: App
  readonly #operatorHash: string
  readonly #cached = new LRUCache<string, CachedKey>({ max: MAXIMUM_CACHED })
  /** When the last use of each valid key was recorded. */
  readonly #marked = new LRUCache<string, number>({ max: MAXIMUM_CACHED })
  readonly #refusals: Refusals
  /** Undefined where no issuer is set. */
  readonly #tokens: TokenChecker | undefined

  constructor(app: App, operatorKey: string) {
    this.#app = app
    this.#refusals = new Refusals(app)
    this.#tokens = app.config.oidc && new TokenChecker(app.config.oidc)
    this.#operatorHash = hashKey(operatorKey)
  }

  /**
   * @param gone aborts when nobody waits for the result any more
   * @throws ServiceError `unauthorized`, `forbidden` or, for a malformed tenant name, `validation_failed`
   */
  async authenticate(credentials: Credentials, gone: AbortSignal): Promise<Principal> {
    if (!hasHash(credentials.key, this.#operatorHash)) return this.#notOperator(credentials, gone)
    const tenant = checkTenant(credentials.tenant ?? 'default')
    return {
      tenant,
      share: baseTenant(tenant),
      scopes: new Set(scopes),
      operator: true,
      key: 'operator',
      address: credentials.address,
    }
  }

  /**
   * Whose key or token it is, for counting requests; undefined when it is not valid or that cannot be said.
   * @param lookUp which keys are looked up in the graph if they are not cached: none, those that were valid before, or all
   */
  async identify(
    key: string,
    lookUp: 'none' | 'valid' | 'all',
    signal: AbortSignal,
  ): Promise<Holder | undefined> {
    if (hasHash(key, this.#operatorHash)) return { id: 'operator', rateLimit: null }
    if (this.#tokens && isToken(key)) {
      // A token has no limit of its own, so it need not be checked here too.
      if (lookUp === 'none') return undefined
      const holder = await this.#tokens.check(key, signal).catch(() => undefined)
      return holder && { id: `tenant:${holder.tenant}`, rateLimit: null }
    }
    const id = idIn(key)
    if (id === '' || (lookUp !== 'all' && !this.#marked.has(id))) return undefined
    if (lookUp === 'none' && !this.#cached.get(id)?.lookup.landed) return undefined
    const found = lookUp === 'none' ? this.#cached.get(id)?.lookup.join(signal) : this.#find(id, signal)
    const stored = await found?.catch(() => undefined)
    return stored && hasHash(key, stored.hash) ? holderOf(stored) : undefined
  }

  /** This process refuses keys that it has revoked at once: one, or all of an erased tenant. */
  forgetRevoked(operation: RouteName, id: unknown) {
    if (operation === 'deleteKey' || operation === 'rotateKey') this.#cached.delete(String(id).toLowerCase())
    if (operation === 'eraseTenant') this.#cached.clear()
  }

  /** The operator's key may look like a token, so it is compared first. */
  #notOperator(credentials: Credentials, gone: AbortSignal): Promise<Principal> {
    return this.#tokens && isToken(credentials.key)
      ? this.#ofToken(this.#tokens, credentials, gone)
      : this.#holderOf(credentials, gone)
  }

  async #ofToken(tokens: TokenChecker, { key, tenant, address }: Credentials, gone: AbortSignal) {
    const holder = await tokens.check(key, gone).catch(error => {
      throw this.#refused(error, holderNamed(tokens.holderOf(error)), address)
    })
    const acting = actingIn({ ...holder, tenants: [holder.tenant] }, tenant)
    if (!acting) throw this.#refused(otherTenant('token'), holderNamed(holder), address)
    const who = { scopes: scopesOf(holder), operator: false, key: nameOf(holder), address }
    return { ...acting, share: baseTenant(acting.tenant), ...who }
  }

  async #holderOf({ key, tenant, address }: Credentials, gone: AbortSignal): Promise<Principal> {
    const id = idIn(key)
    const stored = id === '' ? undefined : await this.#find(id, gone)
    const admitted = admittedBy({ key, tenant }, stored)
    if (admitted instanceof ServiceError)
      throw this.#refused(admitted, stored && { tenant: stored.tenant, key: id }, address)
    this.#markUsed(id)
    return { ...admitted, share: baseTenant(admitted.tenant), operator: false, key: id, address }
  }

  /** Records that a credential was refused, and returns why. An issuer that is away refuses nobody. */
  #refused(error: unknown, holder: RefusedCredential['holder'], address: string | undefined): unknown {
    if (error instanceof ServiceError && error.code !== 'issuer_unavailable')
      this.#refusals.record({ holder, address, outcome: error.code })
    return error
  }

  /** Requests that present the same key at the same time share one query. */
  async #find(id: string, gone: AbortSignal): Promise<StoredKey | undefined> {
    const cached = this.#cached.get(id)
    const isCurrent = cached && (!cached.lookup.landed || cached.until > Date.now())
    const { lookup } = isCurrent ? cached : this.#lookUp(id)
    return lookup.join(gone).catch(error => {
      throw gone.aborted ? toDatabaseUnavailable(error) : error
    })
  }

  #lookUp(id: string): CachedKey {
    const lost = () => {
      if (this.#cached.peek(id) === entry) this.#cached.delete(id)
    }
    const lookup = createFlight(async wanted => {
      using limit = timeLimit(wanted, this.#app.config.requestTimeoutMs)
      // Keys that were valid before do not queue behind made-up ones, however many of those come.
      const share = this.#marked.has(id) ? 'valid' : 'new'
      return await findKey({ app: this.#app, signal: limit.signal, share }, id)
    }, lost)
    const entry = { lookup, until: Date.now() + CACHED_MS }
    this.#cached.set(id, entry)
    return entry
  }

  #markUsed(id: string) {
    if ((this.#marked.get(id) ?? 0) > Date.now() - MARKED_MS) return
    this.#marked.set(id, Date.now())
    markKeyUsed({ app: this.#app, signal: AbortSignal.timeout(5_000) }, id).catch(() => {
      this.#app.log.warn({ key: id }, 'the last use of a key could not be recorded')
    })
  }
}

const holderOf = ({ tenant, rateLimit, name }: StoredKey): Holder => ({
  id: rateLimit === null ? `tenant:${tenant}` : `key:${tenant}:${name ?? ''}`,
  rateLimit,
})

const holderNamed = (name: TokenName | undefined) => name && { tenant: name.tenant, key: nameOf(name) }

const nameOf = ({ subject }: TokenName) => `oidc:${subject}`.slice(0, LONGEST_NAME)

/** Where a key acts and what it may do there, or why it is refused. */
function admittedBy(
  { key, tenant }: Credentials,
  stored: StoredKey | undefined,
): Pick<Principal, 'tenant' | 'owner' | 'scopes'> | ServiceError {
  if (!hasHash(key, stored?.hash ?? UNKNOWN) || !stored) return unauthorized('The key is not valid.')
  if (stored.expiresAt !== null && stored.expiresAt <= Date.now()) return unauthorized('The key has expired.')
  const grant = grantOf(stored)
  const acting = actingIn(grant, tenant)
  return acting ? { ...acting, scopes: scopesOf(grant) } : otherTenant('key')
}

/** What a key or a token allows: the tenants in which it may act, its own first. */
type Grant = {
  readonly tenants: readonly [string, ...string[]]
  readonly owner: string | undefined
  readonly scopes: readonly Scope[]
}

const grantOf = ({ tenant, otherTenants, owner, scopes }: StoredKey): Grant => ({
  tenants: owner === null ? [tenant, ...otherTenants] : [tenant],
  owner: owner ?? undefined,
  scopes: scopes.flatMap(scope => grants[scope]),
})

/** Who is bound to an owner administers nothing: it could make keys for other owners. */
const scopesOf = ({ owner, scopes }: Pick<Grant, 'owner' | 'scopes'>): Set<Scope> =>
  new Set(scopes.filter(scope => owner === undefined || scope !== 'admin'))

/**
 * Where a request acts that names a tenant, or none; undefined where it may not. One that is bound to an owner acts in the
 * shared and in the owner's private memories, or in the one of them that it names. Private memories of others are for
 * administrators.
 * @throws ServiceError `validation_failed` for a malformed name
 */
function actingIn(
  { tenants, owner, scopes }: Grant,
  named: string | undefined,
): Pick<Principal, 'tenant' | 'owner'> | undefined {
  const [own] = tenants
  if (named === undefined) return { tenant: own, owner }
  const tenant = checkTenant(named)
  if (tenants.includes(tenant)) return { tenant }
  if (ownerOf(tenant) === undefined) return undefined
  const isAllowed =
    owner === undefined
      ? scopes.includes('admin') && tenants.includes(baseTenant(tenant))
      : tenant === privateTenant(own, owner)
  return isAllowed ? { tenant } : undefined
}

const otherTenant = (credential: 'key' | 'token') =>
  new ServiceError('forbidden', `The ${credential} is not for the tenant that X-Tenant-Id names.`)

/** The refusal of a request without a valid key. */
export const unauthorized = (detail: string) => new ServiceError('unauthorized', detail)

function checkTenant(name: string): string {
  const { error } = tenantOrPrivate.safeParse(name)
  if (!error) return name
  throw invalidHeader('X-Tenant-Id', String(error.issues[0]?.message))
}

/** The id that a tenant's key contains; empty if the text is not such a key. */
function idIn(key: string): string {
  const [, ...parts] = TENANT_KEY.exec(key) ?? []
  return parts.join('-')
}
