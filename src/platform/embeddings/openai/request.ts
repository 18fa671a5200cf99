import type { Config } from '../../config.ts'
import { traitsOf } from '../models.ts'
import { vectorsOf } from './answer.ts'
import { faultOf, faultOfStatus, ProviderFault } from './faults.ts'

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
    encoding_format: 'float',
    ...(shortened ? { dimensions: config.dimensions } : {}),
  }
  const url = `${(config.baseUrl ?? PUBLIC_API).replace(/\/+$/, '')}/embeddings`
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(config.apiKey ? { authorization: `Bearer ${config.apiKey}` } : {}),
  }
  return async (texts, signal) => {
    using limit = limitOf(signal, config.timeoutMs)
    const body = JSON.stringify({ ...parameters, input: texts })
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: limit.signal,
      })
      const text = await boundedText(response)
      if (!response.ok) throw faultOfStatus(response.status, response.headers, text)
      return vectorsOf(text, texts.length)
    } catch (error) {
      throw limit.isOver() ? new ProviderFault('slow', 'the provider did not answer in time') : faultOf(error)
    }
  }
}

/** Ends with the signal, or after a time. Disposing leaves nothing behind on a signal that lives long. */
function limitOf(signal: AbortSignal, milliseconds: number) {
  const ending = new AbortController()
  let over = false
  const timer = setTimeout(() => {
    over = true
    ending.abort()
  }, milliseconds)
  const abort = () => ending.abort()
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  return {
    signal: ending.signal,
    isOver: () => over,
    [Symbol.dispose]() {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    },
  }
}

/** Far above 128 vectors of 4,096 numbers. */
const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024

/** The whole body, within the time limit of the request. @throws ProviderFault when it is too large */
async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > LONGEST_ANSWER_BYTES)
      throw new ProviderFault('down', 'the answer of the provider is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
