import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Hands every request on as it is, with a key: for clients that cannot be given one. */
export async function startKeyedProxy(target: string, headers: Record<string, string>) {
  const { port } = new URL(target)
  const server = createServer((req, res) => {
    const onward = request(
      { host: '127.0.0.1', port, path: req.url, method: req.method, headers: { ...req.headers, ...headers } },
      answer => {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      },
    )
    onward.on('error', () => res.destroy())
    res.on('close', () => onward.destroy())
    req.pipe(onward)
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => void server.close().closeAllConnections(),
  }
}
