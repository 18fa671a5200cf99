import type { BatchCall } from '../../batcher.ts'
import { divide, weightedMean } from '../divide.ts'
import { type Embedding, EmbeddingUnavailable } from '../embedder.ts'
import { type AttemptOutcome, attempt, type Provider } from './attempt.ts'
import { isOfText, isRefusal, ProviderFault, REFUSES_ALL, toEmbeddingUnavailable } from './faults.ts'
import { HARMLESS } from './request.ts'

/** Gives every job its vector or its own reason. */
export async function embedJobs(provider: Provider, jobs: BatchCall<string, Embedding>[]): Promise<void> {
  const texts = jobs.map(({ item }) => item)
  await embedEach(provider, texts, embedAlone, (at, outcome) => {
    if (outcome instanceof EmbeddingUnavailable) jobs[at]?.reject(outcome)
    else jobs[at]?.resolve(outcome)
  })
}

type Alone = (provider: Provider, text: string, fault: ProviderFault) => Promise<AttemptOutcome>

/**
 * A request that may have failed for one of its texts is divided, breadth first, until the text at fault stands alone: its
 * neighbours get their vectors.
 */
async function embedEach(
  provider: Provider,
  texts: readonly string[],
  alone: Alone,
  deliver: (at: number, outcome: AttemptOutcome) => void,
): Promise<void> {
  const batches = [texts.map((text, at) => ({ text, at }))]
  let refused = 0
  let anyAlone = false
  for (const batch of batches) {
    const outcomes = await attempt(
      provider,
      batch.map(({ text }) => text),
    )
    if (outcomes instanceof ProviderFault && batch.length > 1 && isOfText(outcomes)) {
      refused = batch.length
      batches.push(...halves(batch))
    } else {
      anyAlone ||= outcomes instanceof ProviderFault
      for (const [position, { text, at }] of batch.entries())
        deliver(at, await outcomeFor(provider, text, outcomes, position, alone))
    }
  }
  if (refused > 0 && !anyAlone) provider.refusedTogether?.(refused)
}

const halves = <Item>(items: Item[]) => [items.slice(0, items.length >> 1), items.slice(items.length >> 1)]

async function outcomeFor(
  provider: Provider,
  text: string,
  outcomes: AttemptOutcome[] | ProviderFault,
  position: number,
  alone: Alone,
): Promise<AttemptOutcome> {
  if (!(outcomes instanceof ProviderFault)) return outcomes[position] as AttemptOutcome
  return isOfText(outcomes) ? alone(provider, text, outcomes) : toEmbeddingUnavailable(outcomes)
}

/**
 * A single text at fault. A failure is tried again. If another text works, the text may be too long, whatever the
 * provider calls that: its vector is the mean of those of its parts. Else the cause.
 */
async function embedAlone(provider: Provider, text: string, first: ProviderFault): Promise<AttemptOutcome> {
  let fault = first
  if (!isRefusal(fault)) {
    const again = await attempt(provider, [text])
    if (!(again instanceof ProviderFault)) return again[0] as AttemptOutcome
    fault = again
  }
  const cause = isRefusal(fault) ? await findCause(provider, fault) : toEmbeddingUnavailable(fault)
  return cause.itemFault ? ((await embedInParts(provider, text)) ?? cause) : cause
}

/** No model finds a shorter text too long. */
const SHORTEST_PART = 64
const MOST_PARTS = 64

/**
 * The mean of the vectors of the parts: of two, or four, or more, until the provider takes all. Of the smallest parts some
 * may stay without a vector; then the embedding is truncated. Undefined if none has one.
 */
async function embedInParts(provider: Provider, text: string): Promise<AttemptOutcome | undefined> {
  for (let count = 2; text.length >= count * SHORTEST_PART; count *= 2) {
    const parts = divide(text, count)
    const isLast = count === MOST_PARTS || text.length < 2 * count * SHORTEST_PART
    const outcomes = isLast ? await embedParts(provider, parts) : await attempt(provider, parts)
    if (!(outcomes instanceof ProviderFault)) return meanOf(parts, outcomes)
    if (!isOfText(outcomes)) return toEmbeddingUnavailable(outcomes)
  }
  return undefined
}

async function embedParts(provider: Provider, parts: readonly string[]): Promise<AttemptOutcome[]> {
  const outcomes: AttemptOutcome[] = []
  const refuse: Alone = async (_provider, _text, fault) => toEmbeddingUnavailable(fault)
  await embedEach(provider, parts, refuse, (at, outcome) => {
    outcomes[at] = outcome
  })
  return outcomes
}

/** A part that has no vector for now makes the whole wait. */
function meanOf(parts: readonly string[], outcomes: readonly AttemptOutcome[]): AttemptOutcome | undefined {
  const known = outcomes.flatMap((outcome, at) =>
    outcome instanceof EmbeddingUnavailable
      ? []
      : [{ vector: outcome.vector, length: (parts[at] as string).length }],
  )
  const waiting = outcomes.find(outcome => outcome instanceof EmbeddingUnavailable && !outcome.itemFault)
  if (waiting) return waiting
  return known.length === 0
    ? undefined
    : { vector: weightedMean(known), truncated: known.length < parts.length }
}

/** Whether it is this text that is refused, or every text: then the model or a setting is at fault. */
async function findCause(provider: Provider, refusal: ProviderFault): Promise<EmbeddingUnavailable> {
  const harmless = await attempt(provider, [HARMLESS])
  if (harmless instanceof ProviderFault)
    return isRefusal(harmless) ? refusesAll(provider, harmless) : toEmbeddingUnavailable(harmless)
  const [answer] = harmless
  return answer instanceof EmbeddingUnavailable ? answer : toEmbeddingUnavailable(refusal)
}

function refusesAll(provider: Provider, { words }: ProviderFault): EmbeddingUnavailable {
  const setup = new ProviderFault('setup', REFUSES_ALL, null, words)
  const pass = provider.breaker.enter()
  if (!(pass instanceof EmbeddingUnavailable)) pass.failed(setup)
  return toEmbeddingUnavailable(setup)
}
