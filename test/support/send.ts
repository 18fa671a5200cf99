import { createClient } from '../../src/client.ts'
import type { RouteName } from '../../src/contract/index.ts'
import type { Probe } from './tenant-probes.ts'

const heads = ['content-type', 'etag', 'location', 'allow', 'retry-after', 'www-authenticate']

/** The answer to a request as it goes over the wire: status and headers of the head, and the text. */
export async function send(
  baseUrl: string,
  as: { apiKey: string; tenant?: string },
  name: RouteName,
  { input, headers = {} }: Probe<RouteName>,
) {
  let answer: { text: string; head: { status: number } & Record<string, unknown> } = {
    text: '',
    head: { status: 0 },
  }
  const client = createClient({
    baseUrl,
    ...as,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      const shown = heads.map(each => [each, response.headers.get(each) ?? ''])
      answer = {
        text: await response.clone().text(),
        head: { status: response.status, ...Object.fromEntries(shown) },
      }
      return response
    },
  })
  const call = client[name] as (
    input: unknown,
    options: { headers: Record<string, string> },
  ) => Promise<unknown>
  await call(input, { headers }).catch(() => {})
  return answer
}
