import type { BatchCall } from '../../batcher.ts'
import { type Embedding, EmbeddingUnavailable } from '../embedder.ts'
import { half } from '../shorten.ts'
import { type AttemptOutcome, attempt, HARMLESS, type Provider } from './attempt.ts'
import { isOfText, isRefusal, ProviderFault, toEmbeddingUnavailable } from './faults.ts'

/**
 * Gives every job its vector or its own reason. A request that may have failed for one of its texts is divided,
 * breadth first, until the text at fault stands alone: its neighbours get their vectors.
 */
export async function settle(provider: Provider, jobs: BatchCall<string, Embedding>[]): Promise<void> {
  const batches = [jobs]
  for (const batch of batches) {
    const texts = batch.map(job => job.item)
    const outcome = await attempt(provider, texts)
    if (!(outcome instanceof ProviderFault)) deliver(batch, outcome)
    else if (batch.length > 1 && isOfText(outcome)) batches.push(...halves(batch))
    else if (isOfText(outcome)) deliver(batch, [await settleAlone(provider, texts[0] ?? '', outcome)])
    else deliver(batch, Array(batch.length).fill(toEmbeddingUnavailable(outcome)))
  }
}

const halves = <Item>(items: Item[]) => [items.slice(0, items.length >> 1), items.slice(items.length >> 1)]

function deliver(jobs: BatchCall<string, Embedding>[], outcomes: AttemptOutcome[]): void {
  for (const [at, job] of jobs.entries()) {
    const outcome = outcomes[at]
    if (outcome === undefined || outcome instanceof EmbeddingUnavailable) job.reject(outcome)
    else job.resolve(outcome)
  }
}

/** How often a text is sent again: shortened, or as it is. */
const RETRIES: Readonly<Partial<Record<ProviderFault['kind'], number>>> = { length: 8, failed: 1 }

/** A single text at fault: its vector, that of its beginning where it is too long, else the verdict. */
async function settleAlone(provider: Provider, text: string, first: ProviderFault): Promise<AttemptOutcome> {
  let fault = first
  let beginning = text
  for (let retry = 0; retry < (RETRIES[fault.kind] ?? 0); retry++) {
    if (fault.kind === 'length') beginning = half(beginning)
    const outcome = await attempt(provider, [beginning])
    if (!(outcome instanceof ProviderFault)) {
      const [answer] = outcome as [AttemptOutcome]
      return beginning === text ? answer : asTruncated(answer)
    }
    fault = outcome
  }
  return isRefusal(fault) ? verdict(provider, fault) : toEmbeddingUnavailable(fault)
}

const asTruncated = (outcome: AttemptOutcome): AttemptOutcome =>
  outcome instanceof EmbeddingUnavailable ? outcome : { ...outcome, truncated: true }

/** Whether it is this text that is refused, or every text: then the model or a setting is at fault. */
async function verdict(provider: Provider, refusal: ProviderFault): Promise<EmbeddingUnavailable> {
  const harmless = await attempt(provider, [HARMLESS])
  if (harmless instanceof ProviderFault)
    return isRefusal(harmless) ? refusesAll(provider) : toEmbeddingUnavailable(harmless)
  const [answer] = harmless
  return answer instanceof EmbeddingUnavailable ? answer : toEmbeddingUnavailable(refusal)
}

function refusesAll(provider: Provider): EmbeddingUnavailable {
  const setup = new ProviderFault(
    'setup',
    'the provider refuses every text: check the model and its settings',
  )
  const pass = provider.breaker.enter()
  if (!(pass instanceof EmbeddingUnavailable)) pass.failed(setup)
  return toEmbeddingUnavailable(setup)
}
