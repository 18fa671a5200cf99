import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import type { App } from '../context.ts'
import type { ProblemCode } from '../contract/problem-codes.ts'
import { ServiceError } from '../contract/problems.ts'
import type { Config } from '../platform/config.ts'
import type { Authenticator } from '../service/access/auth.ts'
import type { Callers } from './callers.ts'
import type { Schema } from './graphql/index.ts'
import { checkHost } from './known-hosts.ts'
import { checkOrigin } from './origins.ts'
import type { Rate } from './rate-limit.ts'
import { refuseUpgrade } from './raw-response.ts'

/** The handlers of the HTTP server. */
export type HttpHandlers = {
  readonly listener: RequestListener
  /** Upgrades a connection to a websocket. */
  readonly upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Makes what the first GraphQL request would wait for. */
  readonly prepare: () => Promise<unknown>
  /** Closes all websockets. */
  readonly close: () => Promise<void>
}

/**
 * Websockets, at `/graphql` alone. A page of another origin is refused: a browser sends credentials without the consent
 * of its user.
 */
export function createUpgrades(
  app: App,
  callers: Callers,
  authenticator: Authenticator,
  schema: Schema,
  rate: Rate,
): Pick<HttpHandlers, 'upgrade' | 'close'> {
  let made: Promise<ReturnType<typeof import('./graphql/sockets.ts').createSockets>> | undefined
  const sockets = () => {
    made ??= import('./graphql/sockets.ts').then(
      ({ createSockets }) => createSockets(app, callers, authenticator, schema, rate),
      error => {
        made = undefined
        throw error
      },
    )
    return made
  }
  return {
    upgrade(req, socket, head) {
      socket.on('error', () => socket.destroy())
      const path = req.url?.split('?')[0] ?? ''
      const requestId = randomUUID()
      const refuse = (code: ProblemCode, detail: string) =>
        refuseUpgrade(socket, new ServiceError(code, detail), path, requestId)
      if (path !== '/graphql') return refuse('unknown_path', 'Websockets are opened at /graphql alone.')
      const foreign = foreignFault(app.config, req.headers)
      if (foreign) return refuseUpgrade(socket, foreign, path, requestId)
      sockets().then(
        ({ upgrade }) => upgrade(req, socket, head),
        error => {
          app.log.error({ request_id: requestId, error: String(error) }, 'websockets cannot be made')
          refuse('internal_error', 'fault')
        },
      )
    },
    close: async () => (await made)?.close(),
  }
}

function foreignFault(config: Config, headers: IncomingHttpHeaders): ServiceError | undefined {
  try {
    checkHost(config, headers)
    checkOrigin(config, headers)
    return undefined
  } catch (error) {
    return error as ServiceError
  }
}
