import { request } from 'undici'
import { z } from 'zod'
import type { Config } from './config.ts'
import { createDispatcher } from './dispatcher.ts'
import { createBreaker } from './embeddings/openai/breaker.ts'
import { ProviderFault } from './embeddings/openai/faults.ts'
import { untilAborted } from './until-aborted.ts'

/** A model that reads a query with each text. */
export type Reranker = {
  /** How well each text answers the query: higher is better. @throws if there is no usable answer in time */
  score(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]>
}

/** Far above 50 scores with the texts that some servers repeat. */
const LONGEST_ANSWER_BYTES = 4 * 1024 * 1024

const answer = z.object({
  results: z.array(z.object({ index: z.int().nonnegative(), relevance_score: z.number() })),
})

/**
 * The reranker at an address that takes `{model, query, documents}` and answers `{results: [{index, relevance_score}]}`,
 * as Cohere, Jina, vLLM and text-embeddings-inference behind a proxy do. After faults it is left alone for a while.
 */
export function createReranker({ url, model, apiKey, timeoutMs }: Config['rerank']): Reranker | undefined {
  if (url === undefined) return undefined
  const dispatcher = createDispatcher(LONGEST_ANSWER_BYTES)
  const breaker = createBreaker()
  /** Ends on its own: a caller that gives up must not leave the breaker without an outcome. */
  const send = async (query: string, documents: readonly string[]) => {
    const pass = breaker.enter()
    if (pass instanceof Error) throw pass
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const { statusCode, body } = await request(url, {
        method: 'POST',
        dispatcher,
        signal,
        headers: {
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ model, query, documents }),
      })
      const text = await body.text()
      if (statusCode !== 200) throw new ProviderFault('down', `the reranking model answers ${statusCode}`)
      const scores = scoresOf(JSON.parse(text), documents.length)
      pass.succeeded(true)
      return scores
    } catch (error) {
      const fault = faultIn(error, signal)
      pass.failed(fault)
      throw fault
    }
  }
  return { score: (query, texts, signal) => untilAborted(signal, send(query, texts)) }
}

function faultIn(error: unknown, { aborted }: AbortSignal): ProviderFault {
  if (error instanceof ProviderFault) return error
  return aborted
    ? new ProviderFault('slow', 'the reranking model did not answer in time')
    : new ProviderFault('down', 'the reranking model gave no usable answer')
}

/** A text that the model left out is worse than all others. */
function scoresOf(body: unknown, count: number): number[] {
  const scores = Array<number>(count).fill(Number.MIN_SAFE_INTEGER)
  for (const { index, relevance_score } of answer.parse(body).results)
    if (index < count) scores[index] = relevance_score
  return scores
}
