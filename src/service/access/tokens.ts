import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { z } from 'zod'
import { ServiceError } from '../../contract/problems.ts'
import { type Scope, scopes } from '../../contract/route.ts'
import { ownerName, tenantName } from '../../contract/values.ts'
import type { Config } from '../../platform/config.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import { grants } from './keys.ts'

/** Who a token was issued to. */
export type TokenName = { readonly subject: string; readonly tenant: string }

/** And what it allows. */
export type TokenHolder = TokenName & {
  readonly scopes: readonly Scope[]
  /** Whose private memories it uses besides the shared ones. */
  readonly owner: string | undefined
}

type Oidc = NonNullable<Config['oidc']>

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA']
/** How much the clocks of the issuer and of this service may differ. */
const CLOCK_TOLERANCE_SECONDS = 30
const REQUEST_MS = 5_000
/** An issuer that could not be reached is not asked again before this time. */
const AGAIN_MS = 2_000
const LONGEST_TOKEN = 8_192
const SCOPE = new RegExp(`^(?:mnemograph:)?(${scopes.join('|')})$`)

/** A signed JWT is three parts with dots between them. No key of a tenant has a dot; the operator's key may. */
export const isToken = (credential: string) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(credential)

/** Checks the JWTs of one OpenID Connect issuer (RFC 7519, RFC 9068), by the keys that it publishes. */
export class TokenChecker {
  readonly #oidc: Oidc
  #keys: Promise<JWTVerifyGetKey> | undefined

  constructor(oidc: Oidc) {
    this.#oidc = oidc
  }

  /** @throws ServiceError `unauthorized`, or `issuer_unavailable` while the keys of the issuer cannot be read */
  async check(token: string, signal: AbortSignal): Promise<TokenHolder> {
    if (token.length > LONGEST_TOKEN) throw refused('is too long')
    const payload = await untilAborted(signal, this.#verify(token))
    return {
      subject: subjectOf(payload),
      tenant: this.#tenantOf(payload),
      owner: this.#ownerIn(payload),
      scopes: this.#scopesOf(payload),
    }
  }

  /** Whose token was refused by `check`, if its signature is one of the issuer: else anybody can write any name into it. */
  holderOf(error: unknown): TokenName | undefined {
    const cause = error instanceof ServiceError ? error.cause : undefined
    if (!(cause instanceof errors.JWTExpired || cause instanceof errors.JWTClaimValidationFailed))
      return undefined
    const tenant = tenantName.safeParse(cause.payload[this.#oidc.tenantClaim])
    const { sub, iss } = cause.payload
    if (!tenant.success || typeof sub !== 'string' || iss !== this.#oidc.issuer) return undefined
    return { tenant: tenant.data, subject: sub }
  }

  async #verify(token: string): Promise<JWTPayload> {
    const { issuer, audience } = this.#oidc
    try {
      const { payload } = await jwtVerify(token, await this.#publishedKeys(), {
        issuer,
        audience: [...audience],
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['exp', 'sub'],
      })
      return payload
    } catch (error) {
      throw faultOf(error)
    }
  }

  #publishedKeys(): Promise<JWTVerifyGetKey> {
    this.#keys ??= readKeys(this.#oidc.issuer).catch(error => {
      setTimeout(() => {
        this.#keys = undefined
      }, AGAIN_MS).unref()
      throw error
    })
    return this.#keys
  }

  #tenantOf(payload: JWTPayload): string {
    const { tenantClaim } = this.#oidc
    const tenant = tenantName.safeParse(payload[tenantClaim])
    if (!tenant.success) throw refused(`has no tenant in the claim ${tenantClaim}`)
    return tenant.data
  }

  #ownerIn(payload: JWTPayload): string | undefined {
    const { ownerClaim } = this.#oidc
    if (ownerClaim === undefined || payload[ownerClaim] === undefined) return undefined
    const owner = ownerName.safeParse(payload[ownerClaim])
    if (!owner.success) throw refused(`has no name of an owner in the claim ${ownerClaim}`)
    return owner.data
  }

  #scopesOf(payload: JWTPayload): Scope[] {
    const value = payload[this.#oidc.scopeClaim]
    const names: unknown[] = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : []
    return names.flatMap(name => {
      const scope = typeof name === 'string' ? (SCOPE.exec(name)?.[1] as Scope | undefined) : undefined
      return scope ? grants[scope] : []
    })
  }
}

/** The claims of a JWT are what its issuer wrote, not what their types say. */
function subjectOf({ sub }: JWTPayload): string {
  if (typeof sub !== 'string') throw refused('has no name in the claim sub')
  return sub
}

const metadata = z.object({ issuer: z.string(), jwks_uri: z.url() })

/** The keys of an issuer, found by its metadata (OpenID Connect Discovery 1.0). They are read again when one is unknown. */
async function readKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(REQUEST_MS) })
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  const found = metadata.parse(await response.json())
  if (found.issuer !== issuer) throw new Error(`${url} is the metadata of ${found.issuer}`)
  return createRemoteJWKSet(new URL(found.jwks_uri), {
    timeoutDuration: REQUEST_MS,
    cooldownDuration: AGAIN_MS,
  })
}

function faultOf(error: unknown): ServiceError {
  if (error instanceof errors.JWTExpired) return refused('has expired', error)
  if (error instanceof errors.JWTClaimValidationFailed)
    return refused(`has a wrong claim \`${error.claim}\``, error)
  return isOfIssuer(error) ? unavailable(error) : refused('is not valid')
}

/** Whether the issuer is at fault, and not the token. */
const isOfIssuer = (error: unknown) =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  error.code === 'ERR_JOSE_GENERIC'

const refused = (how: string, cause?: unknown) =>
  new ServiceError('unauthorized', `The token ${how}.`, { cause })

const unavailable = (cause: unknown) =>
  new ServiceError('issuer_unavailable', 'The keys of the token issuer cannot be read now.', {
    cause,
    retryAfterSeconds: 5,
  })
