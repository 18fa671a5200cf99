import { Router } from 'express'
import type { App } from '../../context.ts'
import { baseTenant } from '../../contract/private.ts'
import { ServiceError } from '../../contract/problems.ts'
import type { Authenticator } from '../../service/access/auth.ts'
import { credentialsOf } from '../auth.ts'
import { markTenant } from '../connection-quota.ts'
import { onlyKnownOrigins } from '../origins.ts'
import type { Rate } from '../rate-limit.ts'
import { readBody } from '../rest/routes.ts'
import { untilGone } from '../signals.ts'

/**
 * The MCP endpoint. It keeps no state between requests, so clients of every protocol revision survive a restart of the
 * service; a revision that opens with `initialize` gets no session. The libraries of the protocol are loaded with the
 * first message, so that a service without agents does not need their memory.
 */
export function mcpRouter(app: App, authenticator: Authenticator, rate: Rate): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.all('/', onlyKnownOrigins(app.config), async (req, res) => {
    const who = await authenticator.authenticate(credentialsOf(req), untilGone(res))
    if (req.method !== 'POST') {
      res.set('Allow', 'POST')
      throw new ServiceError('method_not_allowed', `${req.method} is not possible here, only POST.`)
    }
    res.locals.operation = 'mcp'
    markTenant(res, baseTenant(who.tenant))
    // The response may be a stream, which a proxy must not buffer.
    res.set('X-Accel-Buffering', 'no')
    await readBody(req, res)
    const recheck = (signal: AbortSignal) => authenticator.authenticate(credentialsOf(req), signal)
    const { answerMessage } = await import('./answer.ts')
    await answerMessage(app, rate, { ...who, recheck }, req, res)
  })
  return router
}
