import type { IncomingHttpHeaders } from 'node:http'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { ServiceError } from '../contract/problems.ts'
import type { Config } from '../platform/config.ts'
import { BOOKMARK_HEADER } from '../service/bookmarks.ts'
import { isOwnHost, LOOPBACK_NAMES, type OwnHosts } from './known-hosts.ts'
import { RECALL_HEADER } from './rest/openapi-headers.ts'

/**
 * What a page of an origin may do: `listed` pages may also send cookies, for a proxy on the way; the others may not.
 * `none`: the request has no Origin, so no page of another origin sent it.
 */
type OriginClass = 'none' | 'listed' | 'open' | 'foreign'

export type OriginRules = OwnHosts & Pick<Config, 'corsOrigins' | 'production'>

/** How long a browser may keep the answer to a preflight. Chromium keeps none longer. */
const PREFLIGHT_SECONDS = 7_200

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'

/** What a page of another origin may read, beyond what every browser shows it. */
const EXPOSED = [
  'Allow',
  'Content-Disposition',
  'ETag',
  'Idempotency-Key',
  'Location',
  BOOKMARK_HEADER,
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  RECALL_HEADER,
  'X-Request-Id',
].join(', ')

/** An origin as browsers write it: in lower case, without a default port, a path or a user. */
const ORIGIN = /^([a-z][a-z0-9+.-]*):\/\/((?:[a-z0-9_-]+\.)*[a-z0-9_-]+|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}))?$/

/**
 * Decides about an origin: the only place that does. A page of the service itself is always allowed, then those of
 * `SERVICE_CORS_ORIGINS`, and outside of production those of this machine.
 */
function classifyOrigin(rules: OriginRules, headers: IncomingHttpHeaders): OriginClass {
  const { origin } = headers
  if (origin === undefined) return 'none'
  if (!isWellFormed(origin)) return 'foreign'
  if (rules.corsOrigins.some(each => each !== '*' && matches(each, origin))) return 'listed'
  if (isOwn(rules, origin, headers.host) || (!rules.production && isOfThisMachine(origin))) return 'open'
  return rules.corsOrigins.includes('*') ? 'open' : 'foreign'
}

/** Lets pages of allowed origins read answers, problems too, and answers preflights without a key. */
export const crossOrigin = (rules: OriginRules): RequestHandler =>
  function allowOrigin(req: Request, res: Response, next: NextFunction) {
    res.vary('Origin')
    const origin = classifyOrigin(rules, req.headers)
    const isPreflight =
      req.method === 'OPTIONS' && origin !== 'none' && req.get('access-control-request-method') !== undefined
    if (origin === 'listed' || origin === 'open') {
      res.set('Access-Control-Allow-Origin', req.headers.origin)
      if (origin === 'listed') res.set('Access-Control-Allow-Credentials', 'true')
      if (isPreflight) return answerPreflight(req, res)
      res.set('Access-Control-Expose-Headers', EXPOSED)
    }
    if (isPreflight) throw foreignOrigin()
    next()
  }

function answerPreflight(req: Request, res: Response) {
  res.vary('Access-Control-Request-Headers')
  res.set({
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  })
  const asked = req.get('access-control-request-headers')
  // Tracers and MCP add headers of any name.
  if (asked !== undefined && /^[\w!#$%&'*+.^`|~, -]+$/.test(asked))
    res.set('Access-Control-Allow-Headers', asked)
  res.status(204).end()
}

/** Refuses a request that a page of another origin sends. @throws ServiceError `foreign_caller` */
export const onlyKnownOrigins = (rules: OriginRules): RequestHandler =>
  function requireKnownOrigin(req, _res, next) {
    checkOrigin(rules, req.headers)
    next()
  }

/**
 * For what a browser sends without asking first: websockets, and servers of MCP, whose specification wants it.
 * @throws ServiceError `foreign_caller`
 */
export function checkOrigin(rules: OriginRules, headers: IncomingHttpHeaders) {
  if (classifyOrigin(rules, headers) === 'foreign') throw foreignOrigin()
}

const foreignOrigin = () =>
  new ServiceError(
    'foreign_caller',
    'Pages of this Origin may not call the service. Add it to SERVICE_CORS_ORIGINS if they may.',
  )

function isWellFormed(origin: string): boolean {
  if (!ORIGIN.test(origin)) return false
  return !isWeb(origin) || (URL.canParse(origin) && new URL(origin).origin === origin)
}

const isWeb = (origin: string) => /^https?:/.test(origin)

/** `pattern` can have `*.` for any subdomain, and `:*` for any port or none. */
function matches(pattern: string, origin: string): boolean {
  const [, scheme, host = '', port] = ORIGIN.exec(origin) ?? []
  const [, wantedScheme, anySubdomain, wantedHost = '', wantedPort] = PATTERN.exec(pattern) ?? []
  if (scheme !== wantedScheme || (wantedPort !== '*' && port !== wantedPort)) return false
  return anySubdomain ? host.endsWith(`.${wantedHost}`) : host === wantedHost
}

const PATTERN = /^([a-z][a-z0-9+.-]*):\/\/(\*\.)?(.+?)(?::(\d+|\*))?$/

const isOfThisMachine = (origin: string) => isWeb(origin) && LOOPBACK_NAMES.includes(new URL(origin).hostname)

/**
 * A page of the service itself: at its public address, or at the host of this very request, where no other page can
 * have given this service's address a name of its own (DNS rebinding).
 */
function isOwn(rules: OriginRules, origin: string, host: string | undefined): boolean {
  if (!isWeb(origin)) return false
  if (rules.publicUrl !== undefined && new URL(rules.publicUrl).origin === origin) return true
  const asked = `${new URL(origin).protocol}//${host}`
  return (
    host !== undefined && URL.canParse(asked) && new URL(asked).origin === origin && isOwnHost(rules, host)
  )
}
