import { type Request, type Response, Router } from 'express'
import type { App } from '../context.ts'
import { ServiceError } from '../contract/problems.ts'
import type { Authenticator } from '../service/access/auth.ts'
import { hasHash, hashKey } from '../service/access/keys.ts'
import { metricsPrinter } from '../service/metrics.ts'
import { credentialsOf } from './auth.ts'
import { untilGone } from './signals.ts'

/** `/metrics`, for the operator's key or the one that is only for it. */
export function metricsRouter(app: App, authenticator: Authenticator): Router {
  const print = metricsPrinter(app)
  return Router().get('/', async (req: Request, res: Response) => {
    res.locals.operation = 'getMetrics'
    await requireOperator(app, authenticator, req, res)
    res.type(app.metrics.contentType).send(await print())
  })
}

/** @throws ServiceError `unauthorized` or `forbidden` */
async function requireOperator(app: App, authenticator: Authenticator, req: Request, res: Response) {
  const credentials = credentialsOf(req)
  const { metricsKey } = app.config
  if (metricsKey !== undefined && hasHash(credentials.key, hashKey(metricsKey))) return
  const { operator } = await authenticator.authenticate(credentials, untilGone(res))
  if (!operator) throw new ServiceError('forbidden', 'The metrics are for the operator’s key.')
}
