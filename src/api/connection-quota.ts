import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Response } from 'express'
import type { Callers } from './callers.ts'

/** Connections of one address over which no request has been answered yet. */
const UNPROVEN = 256
/** Connections of one address over which requests were answered, none of them with a valid key. */
const ANONYMOUS = 1_024
const AUTHENTICATED = 'authenticated'

/**
 * Bounds the connections that an address holds open without a valid key: the one that was idle longest is closed for a
 * new one. So connections that send nothing, or headers without end, cannot keep others out. A trusted proxy bounds its
 * own connections, which carry the requests of many. Its websockets have one caller each, and count for that one.
 */
export function boundConnections(server: Server, { addressOf, isProxy }: Callers) {
  const unproven = createQuota(UNPROVEN)
  const anonymous = createQuota(ANONYMOUS)
  const watch = (socket: Socket, address = '') => {
    unproven.add(socket, address)
    socket.once(AUTHENTICATED, () => {
      unproven.remove(socket)
      anonymous.remove(socket)
    })
  }
  server.on('connection', (socket: Socket) => {
    if (!isProxy(socket.remoteAddress)) watch(socket, socket.remoteAddress)
  })
  server.on('request', (_req, res: ServerResponse) => {
    const { socket } = res
    res.once('finish', () => {
      if (!socket || socket.destroyed) return
      unproven.remove(socket)
      if (socket.listenerCount(AUTHENTICATED) > 0) anonymous.add(socket, socket.remoteAddress)
    })
  })
  return {
    /** Counts a websocket. */
    upgraded(req: IncomingMessage) {
      if (isProxy(req.socket.remoteAddress)) watch(req.socket, addressOf(req))
    },
  }
}

/** Takes a connection out of the bounds: a valid key came over it. */
export const markAuthenticated = (socket: Socket) => void socket.emit(AUTHENTICATED)

/** Notes whose request this is. Its connection is out of the bounds at once, as a stream may answer for hours. */
export function markTenant(res: Response, tenant: string) {
  res.locals.tenant = tenant
  if (tenant && res.socket) markAuthenticated(res.socket)
}

/** At most so many connections for each address; what was added first is closed first. */
function createQuota(most: number) {
  const byAddress = new Map<string, Set<Socket>>()
  const addresses = new Map<Socket, string>()
  const remove = (socket: Socket) => {
    const address = addresses.get(socket) ?? ''
    const sockets = byAddress.get(address)
    addresses.delete(socket)
    sockets?.delete(socket)
    if (sockets?.size === 0) byAddress.delete(address)
  }
  return {
    remove,
    add(socket: Socket, address = '') {
      if (addresses.has(socket)) remove(socket)
      else socket.once('close', () => remove(socket))
      const sockets = byAddress.get(address) ?? new Set()
      addresses.set(socket, address)
      byAddress.set(address, sockets.add(socket))
      const [oldest] = sockets
      if (sockets.size > most) oldest?.destroy()
    },
  }
}
