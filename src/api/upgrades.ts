import type { IncomingMessage, RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import type { App } from '../context.ts'
import type { Authenticator } from './auth.ts'
import type { Schema } from './graphql/index.ts'
import type { Rate } from './rate.ts'

/** All ways in. */
export type Doors = {
  readonly listener: RequestListener
  /** Makes a websocket of a connection. */
  readonly upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Takes leave of the websockets. */
  readonly close: () => Promise<void>
}

/**
 * Websockets, at `/graphql` alone. A page of another origin is not let in: what a browser sends along is no leave of
 * whoever sits there.
 */
export function createUpgrades(
  app: App,
  authenticator: Authenticator,
  schema: Schema,
  rate: Rate | undefined,
): Pick<Doors, 'upgrade' | 'close'> {
  let made: Promise<ReturnType<typeof import('./graphql/sockets.ts').createSockets>> | undefined
  const sockets = () => {
    made ??= import('./graphql/sockets.ts').then(({ createSockets }) =>
      createSockets(app, authenticator, schema, rate),
    )
    return made
  }
  return {
    upgrade(req, socket, head) {
      socket.on('error', () => socket.destroy())
      if (req.url?.split('?')[0] !== '/graphql') return refuse(socket, '404 Not Found')
      if (!isOfThisOrigin(req)) return refuse(socket, '403 Forbidden')
      sockets().then(
        ({ upgrade }) => upgrade(req, socket, head),
        () => refuse(socket, '500 Internal Server Error'),
      )
    },
    close: async () => (await made)?.close(),
  }
}

const refuse = (socket: Duplex, status: string) =>
  void socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)

function isOfThisOrigin({ headers: { origin, host } }: IncomingMessage): boolean {
  if (origin === undefined) return true
  return URL.canParse(origin) && new URL(origin).host === host
}
