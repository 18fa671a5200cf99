import { type Embedding, EmbeddingUnavailable } from '../embedder.ts'
import { BadVector, toUnit } from '../unit.ts'
import type { Breaker } from './breaker.ts'
import { faultOf, isOfText, ProviderFault } from './faults.ts'
import { type EmbeddingRequest, HARMLESS } from './request.ts'

export type Provider = {
  readonly request: EmbeddingRequest
  readonly breaker: Breaker
  readonly dimensions: number
  readonly signal: AbortSignal
  /** So many texts were refused in one request, and each of them was taken in a smaller one. */
  readonly refusedTogether?: (texts: number) => void
}

/** The outcome for one text of an answered request. */
export type AttemptOutcome = Embedding | EmbeddingUnavailable

/** One request, through the breaker. A fault of one of the texts shows that the provider works. */
export async function attempt(
  provider: Provider,
  texts: string[],
): Promise<AttemptOutcome[] | ProviderFault> {
  const pass = provider.breaker.enter()
  if (pass instanceof EmbeddingUnavailable) return texts.map(() => pass)
  try {
    const outcomes = usable(await provider.request(texts, provider.signal), provider.dimensions)
    pass.succeeded(outcomes.some(outcome => !(outcome instanceof EmbeddingUnavailable)))
    return outcomes
  } catch (error) {
    const fault = await classify(provider, faultOf(error))
    if (isOfText(fault)) pass.succeeded(false)
    else pass.failed(fault)
    return fault
  }
}

/** When the provider failed, a harmless text shows whether one of these texts is the cause or the provider is down. */
async function classify(provider: Provider, fault: ProviderFault): Promise<ProviderFault> {
  if (fault.kind !== 'failed') return fault
  const works = await provider.request([HARMLESS], provider.signal).then(
    () => true,
    () => false,
  )
  return works ? fault : new ProviderFault('down', fault.message, null, fault.words)
}

function usable(vectors: unknown[], dimensions: number): AttemptOutcome[] {
  const outcomes = vectors.map(vector => checked(vector, dimensions))
  if (outcomes.length > 1 && outcomes.every(outcome => outcome instanceof EmbeddingUnavailable))
    throw new ProviderFault('down', 'none of the vectors of the provider can be used')
  return outcomes
}

function checked(vector: unknown, dimensions: number): AttemptOutcome {
  try {
    return { vector: toUnit(vector, dimensions), truncated: false }
  } catch (error) {
    if (!(error instanceof BadVector)) throw error
    if (error.fault === 'length')
      throw new ProviderFault('down', `the answer of the provider cannot be used: ${error.message}`)
    return new EmbeddingUnavailable(`the provider has no usable vector for the text: ${error.message}`, {
      itemFault: true,
    })
  }
}
