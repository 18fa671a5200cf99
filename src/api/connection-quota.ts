import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Connections of one address, none of which has sent a valid key. */
const UNPROVEN = 256
const AUTHENTICATED = 'authenticated'

/**
 * Bounds the connections that an address holds open before a request with a valid key came over them: the oldest is
 * closed for a new one. So connections that send nothing, or headers without end, cannot keep others out.
 */
export function boundConnections(server: Server) {
  const unproven = new Map<string, Set<Socket>>()
  const forget = (address: string, socket: Socket) => {
    const sockets = unproven.get(address)
    sockets?.delete(socket)
    if (sockets?.size === 0) unproven.delete(address)
  }
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const sockets = unproven.get(address) ?? new Set()
    unproven.set(address, sockets.add(socket))
    for (const event of ['close', AUTHENTICATED]) socket.once(event, () => forget(address, socket))
    const [oldest] = sockets
    if (sockets.size > UNPROVEN) oldest?.destroy()
  })
  server.on('request', (_req, res: ServerResponse & { locals?: { tenant?: string } }) => {
    const { socket } = res
    res.once('finish', () => {
      if (socket && res.locals?.tenant) markAuthenticated(socket)
    })
  })
}

/** Takes a connection out of the bound: a valid key came over it. */
export const markAuthenticated = (socket: Socket) => void socket.emit(AUTHENTICATED)
