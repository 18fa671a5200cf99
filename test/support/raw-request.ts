import { request } from 'node:http'

export type RawResponse = { status: number; headers: NodeJS.Dict<string | string[]>; text: string }

/** A request that `fetch` would refuse to send, or would tidy up first. */
export function rawRequest(
  url: string,
  { method = 'GET', path, headers = {}, body }: RawRequest = {},
): Promise<RawResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>()
  const { hostname, port, pathname, search } = new URL(url)
  const options = { hostname, port, method, path: path ?? pathname + search, headers, agent: false }
  const req = request(options, async res => {
    let text = ''
    for await (const chunk of res.setEncoding('utf8')) text += chunk
    resolve({ status: res.statusCode ?? 0, headers: res.headers, text })
  })
  req.once('error', reject).end(body)
  return promise
}

type RawRequest = {
  method?: string
  /** As it is to stand in the request line. */
  path?: string
  headers?: Record<string, string | string[]>
  body?: string | Uint8Array
}
