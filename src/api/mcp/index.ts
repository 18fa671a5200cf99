import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { type Request, type Response, Router } from 'express'
import type { App, Context } from '../../context.ts'
import { routes } from '../../contract/index.ts'
import { ServiceError } from '../../contract/problems.ts'
import type { Authenticator } from '../auth.ts'
import { contextOf, readBody, requestSignal } from '../rest.ts'
import { onlyKnownCallers } from './callers.ts'
import { readMessage } from './messages.ts'
import { createServer } from './server.ts'
import { routeOfTool } from './tools.ts'

/**
 * The door for agents. It keeps nothing from one request to the next, so clients of every revision are served alike and
 * survive a restart of the service; a revision of the protocol that opens with `initialize` gets no session.
 */
export function mcpRouter(app: App, authenticator: Authenticator): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.all('/', onlyKnownCallers(app.config), async (req, res) => {
    const who = await authenticator.authenticate(req, requestSignal(app, res, true))
    if (req.method !== 'POST') {
      res.set('Allow', 'POST')
      throw new ServiceError('method_not_allowed', `${req.method} is not possible here, only POST.`)
    }
    res.locals.operation = 'mcp'
    res.locals.tenant = who.tenant
    await readBody(req, res)
    const message = readMessage(req)
    if ('refusal' in message) return void res.status(400).json(message.refusal)
    const ctx = contextOf(app, req, res, who, requestSignal(app, res, onlyReads(message.body)))
    await answer(ctx, message.body, req, res)
  })
  return router
}

async function answer(ctx: Context, body: unknown, req: Request, res: Response) {
  const handler = createMcpHandler(() => createServer(ctx), {
    onerror: error => ctx.log.debug({ error: error.message }, 'mcp'),
  })
  await toNodeHandler(handler)(req, res, body)
}

/** What changes something goes on when nobody waits for it any more. */
function onlyReads(body: unknown): boolean {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } }
  const name = method === 'tools/call' ? routeOfTool(params?.name) : undefined
  return !Array.isArray(body) && (name === undefined || routes[name].scope === 'read')
}
