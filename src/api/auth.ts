import { timingSafeEqual } from 'node:crypto'
import type { NextFunction, Request, Response } from 'express'
import { LRUCache } from 'lru-cache'
import type { App } from '../context.ts'
import { ServiceError } from '../contract/problems.ts'
import type { Scope } from '../contract/route.ts'
import { tenantName } from '../contract/values.ts'
import { createFlight, type Flight } from '../platform/single-flight.ts'
import { timeLimit } from '../platform/time-limit.ts'
import { grants, hashKey } from '../service/access/keys.ts'
import { findKey, markKeyUsed, type StoredKey } from '../store/access/keys.ts'
import { unavailable } from '../store/neo4j/failures.ts'
import { untilGone } from './signals.ts'

/** Who asks, and for which tenant. */
export type Caller = ReturnType<typeof inTenant> & {
  scopes: ReadonlySet<Scope>
  operator: boolean
  key: string
}

/** Where a request carries its key and the tenant it names. */
export type Headers = { get(name: string): string | undefined }

/** How long a tenant's key may stay valid in this process after another process has revoked it. */
const CACHED_MS = 5_000
const MARKED_MS = 60_000
const MAXIMUM_CACHED = 10_000
const TENANT_KEY =
  /^mnk_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_[A-Za-z0-9_-]{43}$/
const UNKNOWN = hashKey('no key has this hash')
const EVERYTHING: ReadonlySet<Scope> = new Set(['read', 'write', 'admin'])

/** What the graph says of a key, until it is asked again. */
type Known = { readonly lookup: Flight<StoredKey | undefined>; readonly until: number }

/** Recognises credentials. Keys are compared as hashes and in constant time, and are never logged. */
export class Authenticator {
  readonly #app: App
  readonly #operatorHash: string
  readonly #known = new LRUCache<string, Known>({ max: MAXIMUM_CACHED })
  /** When the last use of keys that were valid was recorded. */
  readonly #marked = new LRUCache<string, number>({ max: MAXIMUM_CACHED })

  constructor(app: App, operatorKey: string) {
    this.#app = app
    this.#operatorHash = hashKey(operatorKey)
  }

  /**
   * @param gone ends when nobody waits for the answer any more
   * @throws ServiceError `unauthorized`, `forbidden` or, for a malformed tenant name, `validation_failed`
   */
  async authenticate(req: Headers, gone: AbortSignal): Promise<Caller> {
    const credential = credentialOf(req)
    const named = req.get('x-tenant-id')
    if (equal(hashKey(credential), this.#operatorHash))
      return {
        ...inTenant(checkTenant(named ?? 'default')),
        scopes: EVERYTHING,
        operator: true,
        key: 'operator',
      }
    const [, ...parts] = TENANT_KEY.exec(credential) ?? []
    const id = parts.join('-')
    const key = id === '' ? undefined : await this.#find(id, gone)
    if (!equal(hashKey(credential), key?.hash ?? UNKNOWN) || !key) throw refused('The key is not valid.')
    if (key.expiresAt !== null && key.expiresAt <= Date.now()) throw refused('The key has expired.')
    if (named !== undefined && checkTenant(named) !== key.tenant)
      throw new ServiceError('forbidden', 'The key is bound to another tenant than X-Tenant-Id names.')
    this.#markUsed(id)
    return {
      ...inTenant(key.tenant),
      scopes: new Set(key.scopes.flatMap(scope => grants[scope])),
      operator: false,
      key: id,
    }
  }

  /** A key that this process revokes is refused by it at once. */
  forget(id: string) {
    this.#known.delete(id.toLowerCase())
  }

  /** Asks the graph once for all that come with the key meanwhile. */
  async #find(id: string, gone: AbortSignal): Promise<StoredKey | undefined> {
    const known = this.#known.get(id)
    const isCurrent = known && (!known.lookup.landed || known.until > Date.now())
    const { lookup } = isCurrent ? known : this.#lookUp(id)
    return lookup.join(gone).catch(error => {
      throw gone.aborted ? unavailable(error) : error
    })
  }

  #lookUp(id: string): Known {
    const lost = () => {
      if (this.#known.get(id) === known) this.#known.delete(id)
    }
    const lookup = createFlight(async wanted => {
      using limit = timeLimit(wanted, this.#app.config.requestTimeoutMs)
      // Those that were valid here have turns of their own, however many come with made-up ones.
      const share = this.#marked.has(id) ? 'valid' : 'new'
      return await findKey({ app: this.#app, signal: limit.signal, share }, id)
    }, lost)
    const known = { lookup, until: Date.now() + CACHED_MS }
    this.#known.set(id, known)
    return known
  }

  #markUsed(id: string) {
    if ((this.#marked.get(id) ?? 0) > Date.now() - MARKED_MS) return
    this.#marked.set(id, Date.now())
    markKeyUsed({ app: this.#app, signal: AbortSignal.timeout(5_000) }, id).catch(() => {
      this.#app.log.warn({ key: id }, 'the last use of a key could not be recorded')
    })
  }
}

/** Lets a request with a valid key go on. @throws ServiceError like `authenticate` */
export const onlyWithKey = (authenticator: Authenticator) =>
  async function requireKey(req: Request, res: Response, next: NextFunction) {
    await authenticator.authenticate(req, untilGone(res))
    next()
  }

/** What the Authorization header tells us: of another scheme beside an X-API-Key it is for somebody on the way, such as a proxy. */
export function authorizationOf(req: Headers): string | undefined {
  const authorization = req.get('authorization')
  const isForUs = req.get('x-api-key') === undefined || /^Bearer\b/i.test(authorization ?? '')
  return isForUs ? authorization : undefined
}

/** The key that a request carries. @throws ServiceError `unauthorized` */
export function credentialOf(req: Headers): string {
  const authorization = authorizationOf(req)
  const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  const header = req.get('x-api-key')
  if (authorization !== undefined && bearer === undefined)
    throw refused('The Authorization header must be: Bearer, a blank, the key.')
  if (bearer !== undefined && header !== undefined && bearer !== header)
    throw refused('Authorization and X-API-Key carry different keys.')
  const credential = bearer ?? header
  if (!credential) throw refused('Send the key as Authorization: Bearer, or as X-API-Key.')
  return credential
}

function checkTenant(name: string): string {
  if (tenantName.safeParse(name).success) return name
  const message = 'must be 1 to 64 of a-z 0-9 _ -'
  throw new ServiceError('validation_failed', `X-Tenant-Id ${message}`, {
    faults: [{ pointer: '/headers/x-tenant-id', code: 'invalid_format', message }],
  })
}

/** What is done in a tenant takes the tenant's share of the service. */
const inTenant = (tenant: string) => ({ tenant, share: tenant })

const refused = (detail: string) => new ServiceError('unauthorized', detail)

const equal = (a: string, b: string) => timingSafeEqual(Buffer.from(a), Buffer.from(b))
