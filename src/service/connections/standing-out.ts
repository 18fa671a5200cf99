import type { DiscoveryRule } from '../../context.ts'
import { cosinesOf, spreadOf } from '../../platform/embeddings/cosines.ts'
import { indexedTokens, type Tokens, tellingStems, writtenIn } from '../../platform/text/words.ts'

/** So many deviations above the mean cosine of the tenant a pair stands out. */
const DEVIATIONS = { near: 0.5, far: 1.75, wordless: 2.5 }
/** Of its nearest memories so many are near to a memory, on average. */
const NEAREST = 10
/** Fewer memories say nothing about what is usual among them: the threshold of the model decides alone. */
const FEW = 20
/** Few memories say little: the threshold of the model counts as much as so many. */
const PRIOR = 3
const COMMON = { share: 0.03, least: 4 }
/** Finer steps would judge a whole tenant again for next to nothing. */
const STEPS = 100

/** What a memory of a sample says of its tenant. */
export type Measured = { readonly stems: ReadonlySet<string>; readonly vector: readonly Float32Array[] }

/**
 * The rule for a tenant with so many memories. It follows from what is in the sample, whatever its order. `usual` is the
 * threshold of the model.
 */
export function measuredRule(sample: readonly Measured[], memories: number, usual: number): DiscoveryRule {
  if (memories < FEW) return { near: usual, far: usual, wordless: usual, common: new Set(), byWords: false }
  const cosines = cosinesOf(sample.flatMap(({ vector }) => vector)).sort()
  const { mean, deviation } = spreadOf(cosines)
  const share = Math.max(0, 1 - NEAREST / Math.max(1, memories))
  const ofNearest = cosines[Math.floor(share * cosines.length)] ?? -1
  const threshold = (deviations: number) => {
    const measured = Math.max(ofNearest, mean + deviations * deviation)
    const weighted = cosines.length === 0 ? usual : (measured * memories + usual * PRIOR) / (memories + PRIOR)
    return Math.round(weighted * STEPS) / STEPS
  }
  return {
    near: threshold(DEVIATIONS.near),
    far: threshold(DEVIATIONS.far),
    wordless: threshold(DEVIATIONS.wordless),
    common: commonStems(sample),
    byWords: true,
  }
}

function commonStems(sample: readonly Measured[]): Set<string> {
  const counts = new Map<string, number>()
  for (const { stems } of sample) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const most = Math.max(COMMON.least, COMMON.share * sample.length)
  return new Set([...counts].flatMap(([stem, count]) => (count > most ? [stem] : [])))
}

/** What the words of a memory say in a comparison. */
type Reading = {
  readonly tokens: Tokens
  readonly stems: ReadonlySet<string>
}

export function readingOf(words: string): Reading {
  const tokens = indexedTokens(words)
  return { tokens, stems: tellingStems(tokens) }
}

/** A reason names so many words. */
const NAMED = 5

/** Why two memories with this cosine are connected; undefined if they are not. */
export function reasonFor(
  rule: DiscoveryRule,
  one: Reading,
  other: Reading,
  cosine: number,
): string | undefined {
  const shared = [...one.stems].filter(stem => other.stems.has(stem) && !rule.common.has(stem)).sort()
  if (!rule.byWords && shared.length === 0) return cosine >= rule.near ? 'Near' : undefined
  const least = [Number.POSITIVE_INFINITY, rule.far][shared.length] ?? rule.near
  if (cosine >= least)
    return `Near, and both have ${shared
      .slice(0, NAMED)
      .map(stem => `“${spelt(stem, one.tokens)}”`)
      .join(', ')}`
  return cosine >= rule.wordless && !canShareWords(writtenIn(one.tokens), writtenIn(other.tokens))
    ? 'Very near, in texts that can have no words in common'
    : undefined
}

/** Two texts in different languages share no words, and two without any do not either. */
const canShareWords = (one: ReturnType<typeof writtenIn>, other: ReturnType<typeof writtenIn>) =>
  one.script !== undefined &&
  one.script === other.script &&
  (one.language === other.language || one.language === null || other.language === null)

/** A word of the text that has the stem: the shortest one that begins as it does. */
const spelt = (stem: string, { others }: Tokens) =>
  [...others]
    .filter(word => word.startsWith(stem))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0] ?? stem
