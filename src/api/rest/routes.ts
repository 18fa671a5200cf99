import { promisify } from 'node:util'
import express, { type Request, type Response, Router } from 'express'
import type { App, Context } from '../../context.ts'
import { isStream, type Output, type RouteName, routeNames, routes } from '../../contract/index.ts'
import { type Memory, waitSeconds } from '../../contract/memory.ts'
import { baseTenant } from '../../contract/private.ts'
import { ServiceError } from '../../contract/problems.ts'
import { isRead, type Route } from '../../contract/route.ts'
import type { Authenticator } from '../../service/access/auth.ts'
import { checkIdempotencyKey } from '../../service/access/idempotency.ts'
import { BOOKMARK_HEADER, bookmarkOf, reachBookmark } from '../../service/bookmarks.ts'
import { invoke } from '../../service/index.ts'
import { credentialsOf, keyIn } from '../auth.ts'
import { markTenant } from '../connection-quota.ts'
import { isKnown } from '../etag.ts'
import { prefixOf } from '../prefix.ts'
import { requestSignal, untilGone } from '../signals.ts'
import { requestInput } from './input.ts'
import { openApiDocument } from './openapi.ts'
import { RECALL_HEADER } from './openapi-headers.ts'
import { sendStream } from './stream.ts'

export const BASE_PATH = '/api/v1'
const MAXIMUM_BODY = '8mb'
const MAXIMUM_WAIT = waitSeconds.maxValue ?? 0

const isOpen = (name: RouteName) => routes[name].scope === 'open'

/** The routes that need no key. */
export const openRouter = (app: App) => routerOf(app, routeNames.filter(isOpen), async () => nobody)

/** All other routes, which need a key. */
export const protectedRouter = (app: App, authenticator: Authenticator) =>
  routerOf(
    app,
    routeNames.filter(name => !isOpen(name)),
    (req, gone) => authenticator.authenticate(credentialsOf(req), gone),
    authenticator,
  )

type Authenticate = (
  req: Request,
  gone: AbortSignal,
) => Promise<Pick<Context, 'tenant' | 'share' | 'scopes' | 'operator' | 'key'>>

const nobody = { tenant: '', scopes: new Set<never>(), operator: false }

/** Paths without a name in them come first, so that `/memories/search` is no id. */
function routerOf(
  app: App,
  names: readonly RouteName[],
  authenticate: Authenticate,
  authenticator?: Authenticator,
): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const byPath = Map.groupBy(names, name => routes[name].path)
  const paths = [...byPath.keys()].sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
  for (const path of paths) {
    const methods = new Map((byPath.get(path) ?? []).map(name => [routes[name].method as string, name]))
    const allowed = [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : [])]
    router.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), async (req, res) => {
      const name = methods.get(req.method === 'HEAD' ? 'GET' : req.method)
      const gone = untilGone(res)
      const who = await authenticate(req, gone)
      if (!name) {
        res.set('Allow', allowed.join(', '))
        throw new ServiceError(
          'method_not_allowed',
          `${req.method} is not possible here, only ${allowed.join(', ')}.`,
        )
      }
      res.locals.operation = name
      markTenant(res, baseTenant(who.tenant))
      if (!isOpen(name) && isSent(req)) await readBody(req, res)
      const recheck = (signal: AbortSignal) => authenticate(req, signal)
      const signal = isStream(name) ? gone : requestSignal(app, res, isRead(routes[name]))
      const ctx = { ...contextOf(app, req, res, who, signal), recheck }
      await answer(name, ctx, req, res)
      authenticator?.forgetRevoked(name, req.params.id)
    })
  }
  return router
}

/** Whether the request has a body (RFC 9112). */
const isSent = ({ headers }: Request) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const readRaw = promisify(express.raw({ type: () => true, limit: MAXIMUM_BODY }))

/** Called only for requests with a valid key. Not every version of Node.js that runs the service unpacks zstd. */
export async function readBody(req: Request, res: Response): Promise<void> {
  if (/zstd/i.test(req.get('content-encoding') ?? ''))
    throw new ServiceError(
      'unsupported_media_type',
      'The body must be packed by gzip, deflate or br, or as it is.',
    )
  await readRaw(req, res)
}

export function contextOf(
  app: App,
  req: Request,
  res: Response,
  who: Awaited<ReturnType<Authenticate>>,
  signal: AbortSignal,
): Context {
  const requestId = res.locals.requestId as string
  return {
    app,
    ...app.embeddings.active(),
    ...who,
    credential: keyIn(req),
    requestId,
    signal,
    gone: untilGone(res),
    get log() {
      return app.log.child({ request_id: requestId, tenant: who.tenant })
    },
    recallsDeferred: () => void (res.headersSent || res.set(RECALL_HEADER, 'deferred')),
    expectedVersions: versionsOf(req.get('if-match')),
  }
}

/** The versions that If-Match names; undefined when it is not sent or is `*`. A weak tag never matches (RFC 9110). */
function versionsOf(header: string | undefined): number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return header.split(',').map(tag => Number(/^\s*"([1-9]\d{0,14})"\s*$/.exec(tag)?.[1] ?? -1))
}

async function answer(name: RouteName, ctx: Context, req: Request, res: Response) {
  const route: Route = routes[name]
  const asked = await requestInput(route, req)
  const input = name === 'followChanges' ? resumed(asked, req) : asked
  const seen = req.get(BOOKMARK_HEADER)
  if (seen !== undefined && route.scope !== 'open') await reachBookmark(ctx, seen)
  if (isStream(name)) return sendStream(await invoke(name, ctx, input), req, res)
  const waiting = { ...ctx, waitSeconds: route.waits ? waitOf(req, res) : undefined }
  const idempotencyKey = route.creates ? req.get('idempotency-key') : undefined
  if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey)
  const describe = async () => openApiDocument(ctx.app.version, prefixOf(ctx.app.config))
  const result = await invoke<RouteName, unknown>(name, waiting, input, {
    idempotencyKey,
    handle: name === 'getOpenApi' ? describe : undefined,
  })
  const made = !isRead(route) ? await bookmarkOf(ctx) : undefined
  if (made !== undefined) res.set(BOOKMARK_HEADER, made)
  if (route.answersMemory && isUnchanged(result as Memory, req, res)) return void res.status(304).end()
  if (name === 'createMemory')
    res.location(`${prefixOf(ctx.app.config)}${BASE_PATH}/memories/${(result as Memory).id}`)
  res.status(statusOf(name, result)).json(result)
}

/** The seconds of `Prefer: wait=N` (RFC 7240), at most 30. A preference that cannot be read is ignored, as the RFC asks. */
function waitOf(req: Request, res: Response): number | undefined {
  const wanted = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:[,;]|$)/i.exec(req.get('prefer') ?? '')?.[1]
  const seconds = Math.min(MAXIMUM_WAIT, Number(wanted ?? 0))
  if (seconds === 0) return undefined
  res.set('Preference-Applied', `wait=${seconds}`)
  return seconds
}

/** A browser that reconnects to a stream repeats its request and names the last event in a header. */
function resumed(input: unknown, req: Request): unknown {
  const last = req.get('last-event-id')
  return last ? { ...(input as object), after: last } : input
}

function statusOf(name: RouteName, result: unknown): number {
  if (name === 'getReadiness' && (result as Output<'getReadiness'>).status !== 'ready') return 503
  const { status = 200, otherStatus = 200 }: Route = routes[name]
  const isFound = name === 'createMemory' && (result as Output<'createMemory'>).duplicate_of !== undefined
  return isFound ? otherStatus : status
}

/**
 * Sends the memory's version as its ETag, and returns whether If-None-Match already names it. A vector can change
 * without a new version, so a response with a vector is always sent.
 */
function isUnchanged({ version, embedding }: Memory, req: Request, res: Response): boolean {
  const etag = `"${version}"`
  res.set('ETag', etag)
  return ['GET', 'HEAD'].includes(req.method) && embedding.vector === undefined && isKnown(req, etag)
}
