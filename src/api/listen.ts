import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Config, ConfigError } from '../platform/config.ts'
import { createCallers } from './callers.ts'
import { boundConnections } from './connection-quota.ts'
import { stripPrefix } from './prefix.ts'
import { answerUnparsed, refuseTunnel } from './unparsed.ts'
import type { HttpHandlers } from './upgrades.ts'

export type Listener = {
  /** Without the base path. */
  readonly url: string
  /** Handles requests with these from now on. */
  serve(handlers: Pick<HttpHandlers, 'listener' | 'upgrade'>): void
  /** Accepts no new connection, and waits until the running requests have finished. */
  close(): Promise<void>
}

/** Longer than callers and proxies keep an idle connection: one that ends while they send a request is an error to them. */
const KEEP_ALIVE_MS = 75_000
const IDLE_SWEEP_MS = 50
/** How often Node looks for requests that do not arrive in time. */
const TIMEOUT_CHECK_MS = 1_000
const LONGEST_CLOSE_MS = 10_000

/** Listens until it is closed. @throws ConfigError if the address cannot be used */
export async function listen(config: Config, first: RequestListener): Promise<Listener> {
  const { host, port } = config
  let current = first
  const strip = stripPrefix(config)
  const server = createHttpServer((req, res) => {
    strip(req)
    current(req, res)
  })
  const quota = boundConnections(server, createCallers(config))
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', error => reject(cannotListen(error, host, port))).listen(port, host, resolve)
  await promise
  return {
    url: urlOf(server.address() as AddressInfo),
    serve({ listener, upgrade }) {
      current = listener
      server.on('upgrade', (req, socket, head) => {
        strip(req)
        quota.upgraded(req)
        upgrade(req, socket, head)
      })
    },
    close: () => closeServer(server),
  }
}

function createHttpServer(handle: RequestListener): Server {
  const options = {
    requestTimeout: 30_000,
    headersTimeout: 30_000,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node would refuse the request without a problem document.
    requireHostHeader: false,
    // A caller that offers another protocol, such as HTTP/2, gets its response in this one.
    shouldUpgradeCallback: ({ headers }: { headers: { upgrade?: string | undefined } }) =>
      server.listenerCount('upgrade') > 0 && headers.upgrade?.toLowerCase() === 'websocket',
  }
  const respond: RequestListener = (req, res) => {
    // A kept connection would bring the next request to a server that is closing.
    if (!server.listening) res.setHeader('Connection', 'close')
    handle(req, res)
  }
  const server: Server = createServer(options, respond)
  // A server may ignore an unknown expectation (RFC 9110, 10.1.1).
  return server.on('checkExpectation', respond).on('connect', refuseTunnel).on('clientError', answerUnparsed)
}

function closeServer(server: Server): Promise<void> {
  return new Promise(closed => {
    // A connection becomes idle only when its running request is finished.
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS)
    server.close(() => {
      clearInterval(sweep)
      closed()
    })
    setTimeout(() => server.closeAllConnections(), LONGEST_CLOSE_MS).unref()
  })
}

const urlOf = ({ address, family, port }: AddressInfo) =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): ConfigError {
  const address = `${host}:${port}`
  if (error.code === 'EADDRINUSE')
    return new ConfigError([
      `SERVICE_PORT: ${address} is taken. Stop the process that listens there, or set another port.`,
    ])
  return new ConfigError([`SERVICE_HOST, SERVICE_PORT: cannot listen at ${address} (${error.message}).`])
}
