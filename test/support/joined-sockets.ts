import type { Socket } from 'node:net'

/** Joins the two ends of a proxied connection: when one closes, the other does. While they are open, `sockets` has both. */
export function joinSockets(sockets: Set<Socket>, client: Socket, server: Socket) {
  for (const [end, other] of [
    [client, server],
    [server, client],
  ] as const) {
    sockets.add(end)
    end.on('error', () => {})
    end.once('close', () => {
      sockets.delete(end)
      other.destroy()
    })
  }
}
