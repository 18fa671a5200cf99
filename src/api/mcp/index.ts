import { Router } from 'express'
import type { App } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'
import type { Authenticator } from '../../service/access/auth.ts'
import { credentialsOf } from '../auth.ts'
import { onlyKnownOrigins } from '../known-hosts.ts'
import type { Rate } from '../rate-limit.ts'
import { readBody } from '../rest/routes.ts'
import { untilGone } from '../signals.ts'

/**
 * The door for agents. It keeps nothing from one request to the next, so clients of every revision are served alike and
 * survive a restart of the service; a revision of the protocol that opens with `initialize` gets no session. The libraries
 * of the protocol are read when the first message comes: a service that no agent asks does not bear them.
 */
export function mcpRouter(app: App, authenticator: Authenticator, rate: Rate | undefined): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.all('/', onlyKnownOrigins(app.config), async (req, res) => {
    const who = await authenticator.authenticate(credentialsOf(req), untilGone(res))
    if (req.method !== 'POST') {
      res.set('Allow', 'POST')
      throw new ServiceError('method_not_allowed', `${req.method} is not possible here, only POST.`)
    }
    res.locals.operation = 'mcp'
    res.locals.tenant = who.tenant
    // The answer may be a stream, which a proxy is not to gather.
    res.set('X-Accel-Buffering', 'no')
    await readBody(req, res)
    const recheck = (signal: AbortSignal) => authenticator.authenticate(credentialsOf(req), signal)
    const { answerMessage } = await import('./answer.ts')
    await answerMessage(app, rate, { ...who, recheck }, req, res)
  })
  return router
}
