import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Request, Response } from 'express'
import type { App, Context } from '../../context.ts'
import { routes } from '../../contract/index.ts'
import type { Principal } from '../../service/access/auth.ts'
import type { Rate } from '../rate-limit.ts'
import { contextOf } from '../rest/routes.ts'
import { requestSignal, untilGone } from '../signals.ts'
import { readMessages } from './messages.ts'
import { followNotices } from './notices.ts'
import { createServer } from './server.ts'
import { routeOfTool } from './tools.ts'

/**
 * Answers what stands in the body of a request which has been let in, and counted as one; further messages of a batch are
 * counted here. @throws ServiceError `rate_limited`
 */
export async function answerMessage(
  app: App,
  rate: Rate | undefined,
  { recheck, ...who }: Principal & Pick<Context, 'recheck'>,
  req: Request,
  res: Response,
): Promise<void> {
  const asked = readMessages(req)
  if ('refusal' in asked) return void res.status(400).json(asked.refusal)
  const { body, messages } = asked
  await rate?.count(req, req.socket.remoteAddress, messages.length - 1)
  const listens = asksForChanges(body)
  const signal = listens ? untilGone(res) : requestSignal(app, res, messages.every(onlyReads))
  const ctx = { ...contextOf(app, req, res, who, signal), recheck }
  await (listens ? listen : answer)(ctx, body, req, res)
}

async function answer(ctx: Context, body: unknown, req: Request, res: Response) {
  const handler = createMcpHandler(({ era }) => createServer(ctx, era), reporting(ctx))
  await toNodeHandler(handler)(req, res, body)
}

/** A subscription lasts: it ends with its caller, or in good order when the service stops. */
async function listen(ctx: Context, body: unknown, req: Request, res: Response) {
  const { bus, bring } = await followNotices(ctx)
  const handler = createMcpHandler(({ era }) => createServer(ctx, era), { ...reporting(ctx), bus })
  const answered = toNodeHandler(handler)(req, res, body)
  await bring().catch(error => ctx.log.debug({ error: String(error) }, 'mcp subscription'))
  await handler.close()
  await answered
}

const reporting = ({ log }: Context) => ({
  onerror: (error: Error) => log.debug({ error: error.message }, 'mcp'),
})

/** What changes something goes on when nobody waits for it any more. */
function onlyReads(message: unknown): boolean {
  const { params } = (message ?? {}) as { params?: { name?: unknown } }
  const name = methodOf(message) === 'tools/call' ? routeOfTool(params?.name) : undefined
  return name === undefined || routes[name].scope === 'read'
}

/** Only resources change; who listens for something else is answered without the feed. */
function asksForChanges(body: unknown): boolean {
  const { params } = (body ?? {}) as { params?: { notifications?: Record<string, unknown> } }
  const { resourcesListChanged, resourceSubscriptions } = params?.notifications ?? {}
  return methodOf(body) === 'subscriptions/listen' && Boolean(resourcesListChanged || resourceSubscriptions)
}

const methodOf = (body: unknown) => ((body ?? {}) as { method?: unknown }).method
