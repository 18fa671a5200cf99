import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Request, Response } from 'express'
import type { App, Context } from '../../context.ts'
import { routes } from '../../contract/index.ts'
import { isRead } from '../../contract/route.ts'
import type { Principal } from '../../service/access/auth.ts'
import type { Rate } from '../rate-limit.ts'
import { contextOf } from '../rest/routes.ts'
import { requestSignal, untilGone } from '../signals.ts'
import { asAccepted } from './accept.ts'
import { readMessages } from './messages.ts'
import { followNotices } from './notices.ts'
import { profileIn, type ToolProfile } from './profiles.ts'
import { createServer } from './server.ts'
import { routeOfTool } from './tools.ts'

/**
 * Responds to the messages of an admitted request. The request has been counted once; further messages of a batch are
 * counted here. @throws ServiceError `rate_limited`
 */
export async function answerMessage(
  app: App,
  rate: Rate,
  { recheck, ...who }: Principal & Pick<Context, 'recheck'>,
  req: Request,
  res: Response,
): Promise<void> {
  const profile = profileIn(req.query.tools, app.config.mcpTools)
  const asked = await readMessages(req)
  if ('refusal' in asked) return void res.status(400).json(asked.refusal)
  const { body, messages, fault } = asked
  await rate.count(req, messages.length - 1)
  const asking = messages.filter(message => !isNotification(message))
  // A service without sessions needs nothing of what is in a notification.
  if (asking.length === 0 && messages.length > 0) return void res.status(202).end()
  const isSubscription = wantsChanges(body)
  const signal = isSubscription ? untilGone(res) : requestSignal(app, res, messages.every(onlyReads))
  const ctx = { ...contextOf(app, req, res, who, signal), recheck }
  if (isSubscription) return subscribe(ctx, profile, body, req, res)
  const handler = createMcpHandler(({ era }) => createServer(ctx, era, profile, fault), reporting(ctx))
  await toNodeHandler(asAccepted(handler, req))(req, res, Array.isArray(body) ? asking : body)
}

/** A subscription ends when its caller disconnects or the service stops. */
async function subscribe(ctx: Context, profile: ToolProfile, body: unknown, req: Request, res: Response) {
  const { bus, deliver } = await followNotices(ctx)
  const handler = createMcpHandler(({ era }) => createServer(ctx, era, profile), { ...reporting(ctx), bus })
  const answered = toNodeHandler(handler)(req, res, body)
  await deliver().catch(error => ctx.log.debug({ error: String(error) }, 'mcp subscription'))
  await handler.close()
  await answered
}

const reporting = ({ log }: Context) => ({
  onerror: (error: Error) => log.debug({ error: error.message }, 'mcp'),
})

/** A call that changes something continues when its caller has disconnected. */
function onlyReads(message: unknown): boolean {
  const { params } = (message ?? {}) as { params?: { name?: unknown } }
  const name = methodOf(message) === 'tools/call' ? routeOfTool(params?.name) : undefined
  return name === undefined || isRead(routes[name])
}

/** Only resources change. Other subscriptions need no feed. */
function wantsChanges(body: unknown): boolean {
  const { params } = (body ?? {}) as { params?: { notifications?: Record<string, unknown> } }
  const { resourcesListChanged, resourceSubscriptions } = params?.notifications ?? {}
  return methodOf(body) === 'subscriptions/listen' && Boolean(resourcesListChanged || resourceSubscriptions)
}

/** JSON-RPC has no answer to it, whatever is wrong with it. */
const isNotification = (message: unknown) =>
  typeof methodOf(message) === 'string' && !Object.hasOwn(message as object, 'id')

const methodOf = (body: unknown) => ((body ?? {}) as { method?: unknown }).method
