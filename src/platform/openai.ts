import type { IncomingHttpHeaders } from 'node:http'
import { OpenAI } from 'openai'
import { request } from 'undici'
import { createDispatcher } from './dispatcher.ts'

type Endpoint = {
  readonly apiKey: string | undefined
  readonly baseUrl: string | undefined
  readonly timeoutMs: number
  readonly longestAnswerBytes: number
}

const PUBLIC_API = 'https://api.openai.com/v1'

/** Every option is given, so that the client takes nothing from the environment. */
export const createOpenAi = ({ apiKey, baseUrl, timeoutMs, longestAnswerBytes }: Endpoint) =>
  new OpenAI({
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseUrl ?? PUBLIC_API,
    defaultHeaders: apiKey ? {} : { Authorization: null },
    // The time limit of the request ends first.
    timeout: 2 * timeoutMs,
    maxRetries: 0,
    logLevel: 'off',
    fetch: createFetch(longestAnswerBytes),
  })

/**
 * The transport of the client. `fetch` of Node.js takes longer for a request, follows redirects with the credential, and
 * has no bound on an answer that it decompresses.
 */
function createFetch(longestAnswerBytes: number): typeof fetch {
  const dispatcher = createDispatcher(longestAnswerBytes)
  return async (url, { body, headers, signal } = {}) => {
    const sent = { method: 'POST' as const, headers: Object.fromEntries(new Headers(headers)), dispatcher }
    const answer = await request(String(url), { ...sent, body: body as string, signal: signal ?? null })
    const text = await answer.body.text()
    const { statusCode: status } = answer
    if (status < 200 || status > 299) return refusal(status, text, answer.headers)
    return new Response(text || null, { status, headers: { 'content-type': 'application/json' } })
  }
}

/** The client reads the reason from `error.message`; some servers write it elsewhere. */
const refusal = (status: number, message: string, headers: IncomingHttpHeaders) =>
  new Response(status === 304 ? null : JSON.stringify({ error: { message } }), {
    status,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  })
