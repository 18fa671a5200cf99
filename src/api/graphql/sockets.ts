import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  type ExecutionArgs,
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
} from 'graphql'
import {
  CloseCode,
  type Context as Connection,
  handleProtocols,
  makeServer,
  type ServerOptions,
} from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import type { App, Context } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'
import type { Authenticator, Principal } from '../../service/access/auth.ts'
import { StreamQuota } from '../../service/feed/stream-quota.ts'
import { credentialsOf } from '../auth.ts'
import type { Callers } from '../callers.ts'
import { markAuthenticated } from '../connection-quota.ts'
import type { Rate } from '../rate-limit.ts'
import { refuseUpgrade } from '../raw-response.ts'
import type { Schema } from './index.ts'
import {
  openSubscription,
  type Prepared,
  prepare,
  type SubscriptionParts,
  toFormatted,
} from './subscriptions.ts'

const MAXIMUM_MESSAGE = 100_000
const SUBSCRIPTIONS = 20
/** How long a socket may take to send its key. */
const INIT_MS = 5_000
/** A socket that has not answered a ping before the next one is terminated. */
const PING_MS = 12_000
/** A socket without a subscription is closed after this time, because nothing checks its key in the meantime. */
const IDLE_MS = 60_000
/** A socket that does not answer the closing handshake within this time is terminated. */
const LINGER_MS = 1_000

type Extra = {
  request: IncomingMessage
  /** The address of the caller. */
  ip: string
  signal: AbortSignal
  close: (code: number, reason: string) => void
}
type Params = Record<string, unknown>
type Socket = Connection<Params, Extra>
type Options = ServerOptions<Params, Extra>

/**
 * Subscriptions by the graphql-transport-ws protocol. The key comes in a header, or in the `connection_init` message.
 * This uses `makeServer` of `graphql-ws`, not its `useServer`, which writes the errors of clients to the console.
 */
export function createSockets(
  app: App,
  callers: Callers,
  authenticator: Authenticator,
  schema: Schema,
  rate: Rate,
) {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAXIMUM_MESSAGE, handleProtocols })
  const quota = new StreamQuota(app.config.feed.streams)
  const server = makeServer<Params, Extra>(optionsOf(app, authenticator, schema, rate, quota))
  return {
    upgrade(req: IncomingMessage, socket: Duplex, head: Buffer) {
      if (quota.isFull) return refuseUpgrade(socket, tooManySockets(), '/graphql')
      sockets.handleUpgrade(req, socket, head, client =>
        serve(app, server, client, { request: req, ip: callers.addressOf(req) }),
      )
    },
    async close() {
      for (const client of sockets.clients) client.close(1001, 'Going away')
      const cut = setTimeout(() => {
        for (const client of sockets.clients) client.terminate()
      }, LINGER_MS)
      await Promise.all([...sockets.clients].map(gone))
      clearTimeout(cut)
    },
  }
}

/** The library reads no message without a text, also where the client names a document by its id. */
function withText(message: string): string {
  if (!message.includes('"documentId"')) return message
  try {
    const { payload, ...rest } = JSON.parse(message)
    return JSON.stringify({ ...rest, payload: { query: '', ...payload } })
  } catch {
    return message
  }
}

const gone = (client: WebSocket) => new Promise(resolve => client.once('close', resolve))

/** Connects a socket with the server of the protocol. An invalid message closes the socket. */
function serve(
  { log }: App,
  server: ReturnType<typeof makeServer<Params, Extra>>,
  client: WebSocket,
  caller: Pick<Extra, 'request' | 'ip'>,
) {
  const leaving = new AbortController()
  let answered = true
  const pings = setInterval(() => {
    if (!answered) return client.terminate()
    answered = false
    client.ping()
  }, PING_MS)
  const close = (code: number, reason: string) => client.close(code, reason)
  const closed = server.opened(
    {
      protocol: client.protocol,
      send: text =>
        new Promise((resolve, reject) => {
          if (client.readyState !== client.OPEN) return resolve()
          client.send(text, error => (error ? reject(error) : resolve()))
        }),
      close: (code = CloseCode.InternalServerError, reason = '') => close(code, reason),
      onMessage: listen =>
        client.on('message', data =>
          listen(withText(String(data))).catch(error => {
            log.error({ error: error instanceof Error ? error.stack : String(error) }, 'fault in a socket')
            close(CloseCode.InternalServerError, 'Internal server error')
          }),
        ),
    },
    { ...caller, signal: leaving.signal, close },
  )
  client.on('pong', () => {
    answered = true
  })
  client.on('error', () => {})
  client.once('close', (code, reason) => {
    clearInterval(pings)
    leaving.abort()
    closed(code, String(reason))
  })
}

function optionsOf(
  app: App,
  authenticator: Authenticator,
  schema: Schema,
  rate: Rate,
  quota: StreamQuota,
): Options {
  const authenticate = (socket: Socket, signal = socket.extra.signal) =>
    authenticator.authenticate(credentialsOf(credentials(socket)), signal)
  const enter = async (socket: Socket) => {
    await rate.count(credentials(socket))
    return authenticate(socket)
  }
  return {
    connectionInitWaitTimeout: INIT_MS,
    onConnect: socket =>
      enter(socket)
        .then(caller => keep(quota, socket, caller))
        .then(
          () => true,
          error => refuse(socket, error),
        ),
    async onSubscribe(socket, _id, payload) {
      const ctx = contextOf(app, socket)
      try {
        const known = {
          ...ctx,
          ...(await enter(socket)),
          recheck: (signal: AbortSignal) => authenticate(socket, signal),
        }
        if (Object.keys(socket.subscriptions).length > SUBSCRIPTIONS) throw tooMany()
        const parts = await schema()
        const prepared = prepare(parts, payload)
        return {
          schema: parts.schema,
          document: prepared.document,
          contextValue: { ctx: known, parts, prepared },
        }
      } catch (error) {
        return [asError(toFormatted(ctx, error))]
      }
    },
    async subscribe(args) {
      const { ctx, parts, prepared } = (args as Started).contextValue
      // Without a wrapper: a generator around it would wait for a result before it returns when the client unsubscribes.
      return (await openSubscription(parts, ctx, prepared)) as AsyncGenerator<ExecutionResult>
    },
    // The errors are formatted already.
    onNext: (_socket, _id, _payload, _args, answer) => answer as FormattedExecutionResult,
  }
}

/** Counts an open socket against the quota of its key. @throws ServiceError `too_many_streams` */
function keep(quota: StreamQuota, socket: Socket, caller: Principal) {
  const { request, signal, close } = socket.extra
  if (signal.aborted) return
  const held = quota.take(caller)
  markAuthenticated(request.socket)
  let idle = 0
  const looks = setInterval(() => {
    idle = Object.keys(socket.subscriptions).length > 0 ? 0 : idle + PING_MS
    if (idle >= IDLE_MS) close(NORMAL, 'IDLE')
  }, PING_MS)
  const leave = () => {
    clearInterval(looks)
    held[Symbol.dispose]()
  }
  signal.addEventListener('abort', leave, { once: true })
}

type Started = ExecutionArgs & {
  contextValue: { ctx: Context; parts: SubscriptionParts; prepared: Prepared }
}

/** The library requires instances of GraphQLError for a subscription that does not start. */
const asError = ({ message, path, extensions }: GraphQLFormattedError) =>
  new GraphQLError(message, { path: path ?? null, extensions: extensions ?? null })

/** The message takes precedence over the headers. */
function credentials({ connectionParams, extra }: Socket) {
  const params = new Map(
    Object.entries(connectionParams ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
  return {
    ip: extra.ip,
    get: (name: string) => params.get(name) ?? extra.request.headers[name]?.toString(),
  }
}

/** Clients reconnect when they need to. */
const NORMAL = 1000
/** Clients reconnect after `TRY_AGAIN_LATER`, and give up after an error of the protocol. */
const TRY_AGAIN_LATER = 1013
const closings: Readonly<Record<string, number>> = {
  unauthorized: CloseCode.Unauthorized,
  forbidden: CloseCode.Forbidden,
  validation_failed: CloseCode.BadRequest,
  rate_limited: TRY_AGAIN_LATER,
  too_many_streams: TRY_AGAIN_LATER,
  database_unavailable: TRY_AGAIN_LATER,
}

/** Closes a socket with the reason. */
function refuse({ extra }: Socket, error: unknown): false {
  const code = error instanceof ServiceError ? error.code : 'internal_error'
  extra.close(closings[code] ?? CloseCode.InternalServerError, code.toUpperCase())
  return false
}

/** The context before authentication. */
function contextOf(app: App, { extra }: Socket): Context {
  const requestId = randomUUID()
  const nobody: Omit<Principal, 'key' | 'share' | 'address'> = {
    tenant: '',
    scopes: new Set(),
    operator: false,
  }
  const log = app.log.child({ request_id: requestId })
  return { app, ...app.embeddings.active(), ...nobody, requestId, signal: extra.signal, log }
}

const tooManySockets = () =>
  new ServiceError('too_many_streams', 'The maximum number of websockets is open.', { retryAfterSeconds: 10 })

const tooMany = () =>
  new ServiceError('too_many_streams', `A socket may have ${SUBSCRIPTIONS} subscriptions at a time.`, {
    retryAfterSeconds: 10,
  })
