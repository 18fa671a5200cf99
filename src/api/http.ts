import { randomUUID } from 'node:crypto'
import express, { type NextFunction, type Request, type Response } from 'express'
import type { App } from '../context.ts'
import { type RouteName, routes } from '../contract/index.ts'
import { ServiceError } from '../contract/problems.ts'
import type { Config } from '../platform/config.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'
import { Authenticator } from '../service/access/auth.ts'
import { requireKey } from './auth.ts'
import { createCallers } from './callers.ts'
import { graphqlRouter, lazySchema, safelistOf } from './graphql/index.ts'
import { onlyKnownHosts } from './known-hosts.ts'
import { mcpRouter } from './mcp/index.ts'
import { metricsRouter } from './metrics.ts'
import { protectedResource } from './oauth.ts'
import { crossOrigin } from './origins.ts'
import { docsRouter } from './pages/docs.ts'
import { pagesRouter } from './pages/pages.ts'
import { prefixOf } from './prefix.ts'
import { answerProblem } from './problems.ts'
import { createRate } from './rate-limit.ts'
import { BASE_PATH, openRouter, protectedRouter } from './rest/routes.ts'
import { createUpgrades, type HttpHandlers } from './upgrades.ts'

/** The middleware and APIs of the service, in the order in which a request passes them. */
export function createHttp(app: App, operatorKey: string): HttpHandlers {
  const authenticator = new Authenticator(app, operatorKey)
  const safelist = safelistOf(app)
  const schema = lazySchema(app, authenticator, safelist)
  const rate = createRate(app, authenticator)
  const callers = createCallers(app.config)
  const http = express().disable('x-powered-by').disable('etag').set('query parser', 'simple')
  http.set('trust proxy', app.config.trustedProxies)
  Object.defineProperty(http.request, 'ip', {
    get(this: Request) {
      return callers.addressOf(this)
    },
  })
  http.use(assignRequestId, plainHeaders)
  if (app.neo4j.tracing) http.use(traceRequests(app.neo4j.tracing))
  http.use(logRequests(app), crossOrigin(app.config), requireHost, onlyKnownHosts(app.config))
  const open = openRouter(app)
  http.use(BASE_PATH, open).use(open)
  http.use(...rate.handlers)
  if (app.config.oidc) http.use(protectedResource(app.config))
  http.use('/metrics', metricsRouter(app, authenticator))
  http.get('/', leadToPage(app.config))
  http.use('/docs', docsRouter(app, authenticator))
  if (app.config.pages) http.use(pagesRouter(app.config))
  http.use('/graphql', graphqlRouter(app, authenticator, schema, safelist))
  http.use('/mcp', mcpRouter(app, authenticator, rate))
  http.use(BASE_PATH, protectedRouter(app, authenticator), requireKey(authenticator))
  http.use(unknownPath)
  http.use(answerProblem(app))
  return { listener: http, prepare: schema, ...createUpgrades(app, callers, authenticator, schema, rate) }
}

/** Uses the caller's request id if it is safe to log, otherwise creates one. Always returns it. */
export function assignRequestId(req: Request, res: Response, next: NextFunction) {
  const given = req.get('x-request-id') ?? ''
  res.locals.requestId = /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID()
  res.set('X-Request-Id', res.locals.requestId)
  next()
}

export function plainHeaders(_req: Request, res: Response, next: NextFunction) {
  res.set({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' })
  next()
}

/** @throws ServiceError `malformed_request` as RFC 9112 (3.2) asks for */
function requireHost(req: Request, _res: Response, next: NextFunction) {
  if (req.headers.host === undefined && req.httpVersion === '1.1')
    throw new ServiceError('malformed_request', 'A request of HTTP/1.1 needs the header Host.')
  next()
}

/** They are called all the time, by machines. */
const QUIET: readonly unknown[] = ['getHealth', 'getReadiness', 'getMetrics']

/** Without ids and queries, which can hold what callers wrote. */
const pathOf = (req: Request, operation: unknown) =>
  Object.hasOwn(routes, String(operation)) ? routes[operation as RouteName].path : req.baseUrl || '/'

function logRequests({ log, metrics }: App) {
  return function requestLog(req: Request, res: Response, next: NextFunction) {
    const began = performance.now()
    res.once('close', () => {
      const { requestId: request_id, operation, tenant } = res.locals
      const took = performance.now() - began
      const ms = Math.round(took)
      metrics.requests.observe({ operation: operation ?? 'other', status: res.statusCode }, took / 1_000)
      const { method } = req
      const path = pathOf(req, operation)
      const level = QUIET.includes(operation) && res.statusCode < 500 ? 'debug' : 'info'
      log[level]({ request_id, operation, tenant, method, path, status: res.statusCode, ms }, 'request')
    })
    next()
  }
}

/** A span for each request, under the caller's where it names one. Machines that look whether all is well leave none. */
function traceRequests(tracing: Tracing) {
  return function trace(req: Request, res: Response, next: NextFunction) {
    const options = { name: req.method, kind: 'server', parent: req.get('traceparent') } as const
    const end = tracing.span(options, async span => {
      await new Promise<void>(resolve => {
        res.once('close', resolve)
        next()
      })
      const { operation, requestId, tenant } = res.locals
      span.update({
        name: `${req.method} ${pathOf(req, operation)}`,
        failed: res.statusCode >= 500,
        attributes: {
          'http.request.method': req.method,
          'http.route': pathOf(req, operation),
          'http.response.status_code': res.statusCode,
          'mnemograph.operation': operation ?? 'other',
          'mnemograph.request_id': requestId,
          ...(tenant && { 'mnemograph.tenant': tenant }),
        },
      })
    })
    end.catch(() => {})
  }
}

/** Redirects a browser at the root path to a page; a program gets 404. */
function leadToPage(config: Config) {
  return function first(req: Request, res: Response, next: NextFunction) {
    if (req.accepts(['json', 'html']) === 'html')
      res.redirect(307, `${prefixOf(config)}${config.pages ? '/console' : '/docs'}`)
    else next()
  }
}

function unknownPath(req: Request) {
  throw new ServiceError('unknown_path', `There is nothing at ${req.path}.`)
}
