import { flushCompileCache } from 'node:module'
import { type Request, type RequestHandler, Router } from 'express'
import type { App } from '../../context.ts'
import { inspectJson, type ReadJson } from '../../contract/json.ts'
import { baseTenant } from '../../contract/private.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import { openSafelist, type Safelist } from '../../platform/safelist.ts'
import type { Authenticator, Principal } from '../../service/access/auth.ts'
import { credentialsOf } from '../auth.ts'
import { markTenant } from '../connection-quota.ts'
import { readJsonBody } from '../json-body.ts'
import { contextOf, readBody } from '../rest/routes.ts'
import { requestSignal, untilGone } from '../signals.ts'
import { onlySafelisted } from './safelist.ts'
import type { SubscriptionParts } from './subscriptions.ts'

/** The schema that is served. */
export type Schema = () => Promise<SubscriptionParts>

/**
 * The schema, created when it is first asked for: in the background after the start, or by the first GraphQL request.
 * Loading the libraries and creating it takes seconds, which would delay the start.
 */
export const lazySchema = (
  { config }: App,
  authenticator: Authenticator,
  safelist: Safelist | undefined,
): Schema =>
  once(async () => {
    await prepareGraph()
    const { makeSchema } = await import('./schema.ts')
    const schema = await makeSchema((name, id) => authenticator.forgetRevoked(name, id))
    // Saves most of that time in the next process, even if this one is killed.
    flushCompileCache()
    return { schema, production: config.production, safelist }
  })

/** Undefined where every operation may be asked for. @throws ConfigError */
export function safelistOf({ config, log }: App): (Safelist & Disposable) | undefined {
  const { safelist: file, safelistMode: mode } = config.graphql
  return file === undefined ? undefined : openSafelist({ file, mode }, log)
}

/**
 * Does what takes longest, which needs no database: loads the libraries, one after another so that requests are answered
 * between them, and makes the part that reads the graph.
 */
export async function prepareGraph(): Promise<void> {
  await import('graphql')
  await import('@graphql-tools/utils')
  await import('@graphql-tools/delegate')
  await import('@graphql-tools/schema')
  await import('@neo4j/graphql')
  const { sharedGraph } = await import('./schema.ts')
  await sharedGraph()
}

/** The GraphQL API over HTTP. */
export function graphqlRouter(
  app: App,
  authenticator: Authenticator,
  schema: Schema,
  safelist: Safelist | undefined,
): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const answering = once(() => start(schema))
  const listed = safelist === undefined ? [] : [onlySafelisted(safelist)]
  const admit: RequestHandler = async (req, res, next) => {
    const who = await authenticator.authenticate(credentialsOf(req), untilGone(res))
    if (req.method !== 'GET' && req.method !== 'POST') {
      res.set('Allow', 'GET, POST')
      throw new ServiceError('method_not_allowed', `${req.method} is not possible here, only GET and POST.`)
    }
    res.locals.operation = 'graphql'
    markTenant(res, baseTenant(who.tenant))
    await readBody(req, res)
    const { value, tooLarge } = await bodyOf(req)
    if (tooLarge !== undefined) return void res.status(400).json(tooManyValues(tooLarge))
    req.body = value
    if (typeof req.query.variables === 'string') refuseChanged(inspectJson(req.query.variables))
    res.locals.who = who
    next()
  }
  router.get('/schema.graphql', async (req, res) => {
    const who = await authenticator.authenticate(credentialsOf(req), untilGone(res))
    res.locals.operation = 'graphql'
    markTenant(res, baseTenant(who.tenant))
    const { sendSchema } = await import('./printed.ts')
    sendSchema((await schema()).schema, req, res)
  })
  router.all('/', admit, ...listed, async (req, res, next) => {
    const { who } = res.locals as { who: Principal }
    if (await wantsStream(req)) {
      const recheck = (signal: AbortSignal) => authenticator.authenticate(credentialsOf(req), signal)
      const ctx = { ...contextOf(app, req, res, who, untilGone(res)), recheck }
      const { sendSubscription } = await import('./events.ts')
      return sendSubscription(await schema(), ctx, req, res)
    }
    const answer = await answering()
    res.locals.context = contextOf(app, req, res, who, requestSignal(app, res, onlyReads(req)))
    await answer(req, res, next)
  })
  return router
}

async function start(schema: Schema): Promise<RequestHandler> {
  const { startApollo } = await import('./server.ts')
  return startApollo(await schema())
}

/** Runs the work once, and again only if it failed. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined
  return () => {
    done ??= work().catch(error => {
      done = undefined
      throw error
    })
    return done
  }
}

/** Clients of the graphql-sse protocol accept only events. If a client also accepts JSON, the operation decides. */
async function wantsStream(req: Request): Promise<boolean> {
  const named = /\btext\/event-stream\b/.test(req.get('accept') ?? '')
  if (req.method !== 'POST' || !named || !req.accepts('text/event-stream')) return false
  return !req.accepts(['application/json', 'application/graphql-response+json']) || subscribes(req.body)
}

async function subscribes({ query, operationName }: Asked): Promise<boolean> {
  const { getOperationAST, parse } = await import('graphql')
  const { bounds } = await import('./limits.ts')
  try {
    const document = parse(String(query), { maxTokens: bounds.tokens, noLocation: true })
    return getOperationAST(document, operationName as string | undefined)?.operation === 'subscription'
  } catch {
    return false
  }
}

type Asked = { query?: unknown; operationName?: unknown }

/** A query without this word changes nothing, so it can end when the client disconnects. */
const onlyReads = ({ method, body }: Request) =>
  method === 'GET' || !/mutation/.test(String((body as Asked).query))

/** The JSON of a request; nothing where there is none. */
async function bodyOf(req: Request): Promise<ReadJson> {
  const bytes: unknown = req.body
  if (!Buffer.isBuffer(bytes) || bytes.length === 0 || !req.is('application/json')) return { value: {} }
  if (!/^utf-?8$/i.test(CHARSET.exec(req.get('content-type') ?? '')?.[1] ?? 'utf-8'))
    throw new ServiceError('unsupported_media_type', 'The body must be application/json in UTF-8.')
  const read = await readJsonBody(bytes)
  refuseChanged(read)
  if (read.tooLarge === undefined && (typeof read.value !== 'object' || read.value === null))
    throw new ServiceError('malformed_json', 'The body is not a JSON object in UTF-8.')
  return read
}

/** A bound on the variables is an error of GraphQL, whether it is noticed before they are parsed or after. */
const tooManyValues = (rule: string) => ({
  errors: [{ message: `The request ${rule}.`, extensions: { code: 'QUERY_TOO_LARGE' } }],
})

/** @throws ServiceError `validation_failed` if the parsed value would not say what the JSON says */
function refuseChanged({ fault }: Pick<ReadJson, 'fault'>) {
  if (fault) throw invalid(fault.pointer, fault.code, fault.rule)
}

const CHARSET = /;\s{0,9}charset\s{0,9}=\s{0,9}"?([^\s;"]{1,40})/i
