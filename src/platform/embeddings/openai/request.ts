import type { Config } from '../../config.ts'
import { createOpenAi } from '../../openai.ts'
import { timeLimit } from '../../time-limit.ts'
import { traitsOf } from '../models.ts'
import { vectorsOfResponse } from './answer.ts'
import { faultOf, isRefusal, ProviderFault, REFUSES_ALL } from './faults.ts'
import { errorWordsOf } from './words.ts'

export type EmbeddingRequest = (texts: readonly string[], signal: AbortSignal) => Promise<unknown[]>

/** A text at which no model fails, unless the provider fails at all. */
export const HARMLESS = 'ok'

type Parameters = { readonly encoding_format?: 'float'; readonly dimensions?: number }

/**
 * Makes one request to the endpoint: never repeated, never redirected, bounded in time and size. The first one finds out
 * which parameters the endpoint takes. Every error that it throws is a ProviderFault.
 */
export function createRequest(config: Config['embedding'], model: string): EmbeddingRequest {
  const client = createOpenAi({ ...config, longestAnswerBytes: LONGEST_ANSWER_BYTES })
  const forms = formsFor(config, model)
  let taken: Promise<Taken> | undefined
  const post = async (input: readonly string[], parameters: Parameters, signal: AbortSignal) => {
    using limit = timeLimit(signal, config.timeoutMs)
    try {
      const body = { model, input, ...parameters }
      return vectorsOfResponse(await client.post('/embeddings', { body, signal: limit.signal }), input.length)
    } catch (error) {
      if (limit.isOver()) throw new ProviderFault('slow', 'the provider did not answer in time')
      throw faultOf(error, answer => errorWordsOf(answer, input, config.apiKey))
    }
  }
  return async (texts, signal) => {
    const isFirst = taken === undefined
    taken ??= formTaken(forms, config.dimensions, form => post([HARMLESS], form, signal))
    const { form, vectors } = await taken.catch((fault: unknown) => {
      taken = undefined
      throw fault
    })
    return isFirst && texts.length === 1 && texts[0] === HARMLESS ? vectors : post(texts, form, signal)
  }
}

type Taken = { form: Parameters; vectors: unknown[] }

/**
 * The forms of a request in the order in which they are tried: many servers refuse `dimensions`, and some
 * `encoding_format`.
 */
function formsFor({ dimensions }: Config['embedding'], model: string): Parameters[] {
  const { dimensions: native, shortens } = traitsOf(model)
  const chosen = dimensions !== undefined && dimensions !== native
  const sizes = chosen ? (shortens ? [{ dimensions }] : [{}, { dimensions }]) : [{}]
  return [{ encoding_format: 'float' as const }, {}].flatMap(format =>
    sizes.map(size => ({ ...format, ...size })),
  )
}

/** The first form of a request that gives a vector of the wanted length. @throws ProviderFault if there is none */
async function formTaken(
  forms: readonly Parameters[],
  wanted: number | undefined,
  ask: (form: Parameters) => Promise<unknown[]>,
): Promise<Taken> {
  let refusal: ProviderFault | undefined
  let other: { form: Parameters; length: number } | undefined
  for (const form of forms) {
    try {
      const vectors = await ask(form)
      const length = (vectors[0] as ArrayLike<number> | null)?.length
      if (length === undefined || wanted === undefined || length === wanted) return { form, vectors }
      other ??= { form, length }
    } catch (error) {
      const fault = faultOf(error)
      if (!isRefusal(fault)) throw fault
      refusal ??= fault
    }
  }
  if (other)
    throw new ProviderFault(
      'setup',
      `the vectors of the model have ${other.length} dimensions, not ${wanted}: check SERVICE_EMBEDDING_DIMENSIONS`,
      null,
      refusal?.words,
    )
  throw new ProviderFault('setup', REFUSES_ALL, null, refusal?.words)
}

/** Far above 128 vectors of 4,096 numbers. */
const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024
