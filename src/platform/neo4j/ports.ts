import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A free port on the loopback address: the preferred one where it is free, otherwise any. */
export async function freePort(preferred = 0): Promise<number> {
  const server = createServer().listen(preferred, '127.0.0.1')
  try {
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  } catch (error) {
    if (preferred === 0) throw error
    return freePort()
  } finally {
    server.close()
  }
}
