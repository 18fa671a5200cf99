import { OpenAI } from 'openai'
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici'
import { type Config, readMachine } from '../../config.ts'
import { timeLimit } from '../../time-limit.ts'
import { traitsOf } from '../models.ts'
import { vectorsOf } from './answer.ts'
import { faultOf, ProviderFault, statusFault } from './faults.ts'

export type Request = (texts: readonly string[], signal: AbortSignal) => Promise<unknown[]>

const PUBLIC_API = 'https://api.openai.com/v1'

/**
 * One request to the endpoint: never repeated, never redirected, bounded in time and size. Address and headers are those
 * of the client library, made once: it would take longer for a request than all else that is done for it here.
 * Whatever it throws is a ProviderFault.
 */
export async function createRequest(config: Config['embedding'], model: string): Promise<Request> {
  const { dimensions: native, shortens } = traitsOf(model)
  const shortened = shortens && config.dimensions !== undefined && config.dimensions !== native
  const parameters = {
    model,
    encoding_format: 'float',
    ...(shortened ? { dimensions: config.dimensions } : {}),
  }
  const { url, headers } = await envelopeOf(config)
  const dispatcher = createDispatcher()
  return async (texts, signal) => {
    using patience = timeLimit(signal, config.timeoutMs)
    try {
      const body = JSON.stringify({ ...parameters, input: texts })
      const sent = { method: 'POST' as const, headers, body, signal: patience.signal, dispatcher }
      const answer = await request(url, sent)
      const text = await answer.body.text()
      if (answer.statusCode < 200 || answer.statusCode > 299)
        throw statusFault(answer.statusCode, text, answer.headers)
      return vectorsOf(text, texts.length)
    } catch (error) {
      if (patience.isOver()) throw new ProviderFault('slow', 'the provider did not answer in time')
      throw faultOf(error)
    }
  }
}

/** Everything is given, so that the client library takes nothing from the environment by itself. */
async function envelopeOf({ apiKey, baseUrl, timeoutMs }: Config['embedding']) {
  const client = new OpenAI({
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseUrl ?? PUBLIC_API,
    defaultHeaders: apiKey ? {} : { Authorization: null },
    timeout: timeoutMs,
    logLevel: 'off',
  })
  const { url, req } = await client.buildRequest({ method: 'post', path: '/embeddings', body: {} })
  return { url, headers: Object.fromEntries(req.headers) }
}

/** Far above 128 vectors of 4,096 numbers. */
const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024

/** Proxies are those of `fetch`: of the environment, where Node.js is told so. */
function createDispatcher(): Dispatcher {
  const settings = { maxResponseSize: LONGEST_ANSWER_BYTES, allowH2: false }
  const { NODE_USE_ENV_PROXY } = readMachine().environment
  return NODE_USE_ENV_PROXY === '1' ? new EnvHttpProxyAgent(settings) : new Agent(settings)
}
