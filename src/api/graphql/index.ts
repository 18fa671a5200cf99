import { promisify } from 'node:util'
import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import type { App } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'
import type { Authenticator, Caller } from '../auth.ts'
import { contextOf, MAXIMUM_BODY, requestSignal } from '../rest.ts'
import { onlySafelisted, readSafelist } from './safelist.ts'

/**
 * The GraphQL door. Its schema is made when it is first asked for something: reading the
 * libraries and making the schema takes seconds of work, which neither the start nor a service that nobody asks this
 * way should bear.
 */
export function graphqlRouter(app: App, authenticator: Authenticator): Router {
  const router = Router({ caseSensitive: true, strict: true })
  let answering: Promise<RequestHandler> | undefined
  const { safelist } = app.config.graphql
  const listed = safelist === undefined ? [] : [onlySafelisted(readSafelist(safelist))]
  const admit: RequestHandler = async (req, res, next) => {
    const who = await authenticator.authenticate(req, requestSignal(app, res, true))
    if (req.method !== 'GET' && req.method !== 'POST') {
      res.set('Allow', 'GET, POST')
      throw new ServiceError('method_not_allowed', `${req.method} is not possible here, only GET and POST.`)
    }
    res.locals.operation = 'graphql'
    res.locals.tenant = who.tenant
    await readBody(req, res)
    req.body ??= {}
    res.locals.who = who
    next()
  }
  router.all('/', admit, ...listed, async (req, res, next) => {
    const { who } = res.locals as { who: Caller }
    answering ??= start(app, authenticator).catch(error => {
      answering = undefined
      throw error
    })
    const answer = await answering
    res.locals.context = contextOf(app, req, res, who, requestSignal(app, res, onlyReads(req)))
    await answer(req, res, next)
  })
  return router
}

async function start({ config }: App, authenticator: Authenticator): Promise<RequestHandler> {
  const { startServer } = await import('./server.ts')
  return startServer(config.production, id => authenticator.forget(id))
}

/** A query without this word changes nothing: it may end when nobody waits for it any more. */
const onlyReads = ({ method, body }: Request) =>
  method === 'GET' || !/mutation/.test(String((body as { query?: unknown }).query))

/** Nothing is read of a request without a valid key. */
const readBody = promisify(
  express.json({ limit: MAXIMUM_BODY }) as (
    req: Request,
    res: Response,
    next: (error?: unknown) => void,
  ) => void,
)
