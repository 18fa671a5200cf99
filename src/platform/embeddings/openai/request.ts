import { OpenAI } from 'openai'
import type { Config } from '../../config.ts'
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
    fetch: boundedFetch,
  })

/** Far above 128 vectors of 4,096 numbers. */
const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024

/** Reads the whole answer before it returns, so that the client's time limit covers the body too. */
async function boundedFetch(url: string | URL | globalThis.Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const { status, headers } = response
  if (!response.body) return new Response(null, { status, headers })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.length
    if (bytes > LONGEST_ANSWER_BYTES)
      throw new ProviderFault('down', 'the answer of the provider is too large')
    chunks.push(chunk)
  }
  return new Response(Buffer.concat(chunks), { status, headers })
}
