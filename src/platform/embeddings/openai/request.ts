import type { IncomingHttpHeaders } from 'node:http'
import { OpenAI } from 'openai'
import { request } from 'undici'
import type { Config } from '../../config.ts'
import { createDispatcher } from '../../dispatcher.ts'
import { timeLimit } from '../../time-limit.ts'
import { traitsOf } from '../models.ts'
import { vectorsOf } from './answer.ts'
import { faultOf, ProviderFault } from './faults.ts'

export type EmbeddingRequest = (texts: readonly string[], signal: AbortSignal) => Promise<unknown[]>

const PUBLIC_API = 'https://api.openai.com/v1'

/**
 * Makes one request to the endpoint: never repeated, never redirected, bounded in time and size.
 * Every error that it throws is a ProviderFault.
 */
export function createRequest(config: Config['embedding'], model: string): EmbeddingRequest {
  const { dimensions: native, shortens } = traitsOf(model)
  const shortened = shortens && config.dimensions !== undefined && config.dimensions !== native
  const parameters = {
    model,
    encoding_format: 'float' as const,
    ...(shortened ? { dimensions: config.dimensions as number } : {}),
  }
  const { embeddings } = createClient(config)
  return async (texts, signal) => {
    using patience = timeLimit(signal, config.timeoutMs)
    try {
      const answer = await embeddings.create(
        { ...parameters, input: [...texts] },
        { signal: patience.signal },
      )
      return vectorsOf(answer, texts.length)
    } catch (error) {
      if (patience.isOver()) throw new ProviderFault('slow', 'the provider did not answer in time')
      throw faultOf(error)
    }
  }
}

/** Every option is given, so that the client takes nothing from the environment. */
const createClient = ({ apiKey, baseUrl, timeoutMs }: Config['embedding']) =>
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
    fetch: createFetch(),
  })

/**
 * The transport of the client. `fetch` of Node.js takes longer for a request, follows redirects with the credential, and
 * has no bound on an answer that it decompresses.
 */
function createFetch(): typeof fetch {
  const dispatcher = createDispatcher(LONGEST_ANSWER_BYTES)
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

/** Far above 128 vectors of 4,096 numbers. */
const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024
