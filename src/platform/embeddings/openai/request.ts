import { OpenAI } from 'openai'
import { Agent, type Dispatcher, EnvHttpProxyAgent, errors, request as send } from 'undici'
import { type Config, readMachine } from '../../config.ts'
import { traitsOf } from '../models.ts'
import { vectorsOf } from './answer.ts'
import { faultOf, ProviderFault } from './faults.ts'

export type Request = (texts: readonly string[], signal: AbortSignal) => Promise<unknown[]>

const PUBLIC_API = 'https://api.openai.com/v1'

/**
 * One request to the endpoint: never repeated, never redirected, bounded in time and size.
 * Whatever it throws is a ProviderFault.
 */
export function createRequest(config: Config['embedding'], model: string): Request {
  const { dimensions: native, shortens } = traitsOf(model)
  const shortened = shortens && config.dimensions !== undefined && config.dimensions !== native
  const parameters = {
    model,
    encoding_format: 'float' as const,
    ...(shortened ? { dimensions: config.dimensions as number } : {}),
  }
  const client = createClient(config)
  return async (texts, signal) => {
    try {
      const body = { ...parameters, input: [...texts] }
      const response = await client.embeddings.create(body, { signal }).asResponse()
      return vectorsOf(await response.text(), texts.length)
    } catch (error) {
      throw faultOf(error)
    }
  }
}

/** Everything is given, so that the client takes nothing from the environment by itself. */
const createClient = ({ apiKey, baseUrl, timeoutMs }: Config['embedding']) =>
  new OpenAI({
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseUrl ?? PUBLIC_API,
    defaultHeaders: apiKey ? {} : { Authorization: null },
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    fetch: createFetch(),
  })

/** Far above 128 vectors of 4,096 numbers. */
const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024

/** What the client gives with a request. */
type Given = { method: Dispatcher.HttpMethod; headers: Headers; body: string; signal: AbortSignal }

/**
 * Sends what the client asks for, without all that `fetch` does beside. Reads the whole answer before it returns, so that
 * the client's time limit covers the body too. Proxies are those of `fetch`: of the environment, where Node.js is told so.
 */
function createFetch(): typeof fetch {
  const settings = { maxResponseSize: LONGEST_ANSWER_BYTES, allowH2: false }
  const { NODE_USE_ENV_PROXY } = readMachine().environment
  const dispatcher = NODE_USE_ENV_PROXY === '1' ? new EnvHttpProxyAgent(settings) : new Agent(settings)
  return async (url, init) => {
    const answer = await send(String(url), { ...(init as unknown as Given), dispatcher })
    const bytes = await answer.body.bytes().catch(refuseTooLarge)
    const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    return new Response(bytes.length > 0 ? bytes : null, { status: answer.statusCode, headers })
  }
}

function refuseTooLarge(error: unknown): never {
  if (error instanceof errors.ResponseExceededMaxSizeError)
    throw new ProviderFault('down', 'the answer of the provider is too large')
  throw error
}
