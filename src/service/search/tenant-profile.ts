import { LRUCache } from 'lru-cache'
import type { Chance, Context, TenantProfile } from '../../context.ts'
import { indexedTokens, queryWords } from '../../platform/text/words.ts'
import { timeLimit } from '../../platform/time-limit.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import { toDatabaseUnavailable } from '../../store/neo4j/failures.ts'
import { sampleMemories } from '../../store/search/sample.ts'
import { stopWordsOf, withoutWords } from './words.ts'

/** A word is common if more than this share of the memories has it. */
const COMMON = 0.1
const SAMPLE = 300
/** A smaller sample says little of which words are common. */
const LEAST = 50
/** Fewer say nothing of how rare a word is, or how close the vectors are. */
const FEW = 10
const KEEP_MS = 300_000
/** The profile of few memories is computed again soon: a tenant can grow within moments, and a failed read can succeed. */
const KEEP_SMALL_MS = 5_000
const READ_MS = 10_000
/** The time that a search waits for a profile before it runs without one. */
const WAIT_MS = 1_000
const MAXIMUM_PROFILES = 500
const MAXIMUM_WORDS = 1_000

const EMPTY: TenantProfile = { sampled: 0, words: new Set(), rarity: () => 1, chance: undefined }

type Entry = { readonly computing: Promise<TenantProfile>; computed?: TenantProfile }

/** The profiles that this process has computed, for each tenant and embedding space. */
export class TenantProfiles {
  readonly #entries = new LRUCache<string, Entry>({ max: MAXIMUM_PROFILES, ttl: KEEP_MS })

  /**
   * A profile at most five minutes old. Empty if it cannot be computed in a moment: it only refines searches.
   * @throws ServiceError `database_unavailable`
   */
  async get(ctx: Context): Promise<TenantProfile> {
    const entry = this.#entryOf(ctx)
    if (entry.computed) return entry.computed
    using limit = timeLimit(ctx.signal, WAIT_MS)
    return await untilAborted(limit.signal, entry.computing).catch(() => {
      if (ctx.signal.aborted) throw toDatabaseUnavailable(ctx.signal.reason)
      return EMPTY
    })
  }

  #entryOf(ctx: Context): Entry {
    const key = `${ctx.space.id} ${ctx.tenant}`
    const known = this.#entries.get(key)
    if (known) return known
    const computing = computeTenantProfile(ctx).catch(error => {
      ctx.log.warn({ error: String(error) }, 'searches run without the profile of the tenant')
      return EMPTY
    })
    const entry: Entry = { computing }
    this.#entries.set(key, entry)
    void computing.then(computed => {
      entry.computed = computed
      if (computed.sampled < LEAST && this.#entries.peek(key) === entry)
        this.#entries.set(key, entry, { ttl: KEEP_SMALL_MS })
    })
    return entry
  }
}

async function computeTenantProfile(ctx: Context): Promise<TenantProfile> {
  // Other requests wait for it too, so it does not end with the first one.
  const sample = await sampleMemories({ ...ctx, signal: AbortSignal.timeout(READ_MS) }, SAMPLE)
  const vectors = sample.flatMap(({ vector }) => (vector ? [vector] : []))
  const counts = await frequencies(sample.map(({ words }) => words))
  const common = sample.length < LEAST ? [] : mostFrequent(counts, COMMON * sample.length)
  return {
    sampled: sample.length,
    words: new Set(common.map(([token]) => token)),
    rarity: sample.length < FEW ? () => 1 : rarityAmong(counts, sample.length),
    chance: vectors.length === 0 ? undefined : chanceOf(vectors),
  }
}

/**
 * The texts that a search by meaning embeds: the query and, if it has telling words that are common with the tenant, the query
 * without them. Otherwise a name that half of the memories hold would decide which of them are near.
 */
export function focusOf(query: string, { words }: TenantProfile): { texts: string[]; left_out: string[] } {
  const isStopWord = stopWordsOf(query)
  const isCommon = (word: string) => queryWords(word).some(({ forms }) => forms.some(form => words.has(form)))
  const { text, left_out } = withoutWords(query, word => !isStopWord(word) && isCommon(word))
  return { texts: left_out.length > 0 ? [query, text] : [query], left_out }
}

/** In how many of the texts each token stands. Other requests run in between. */
async function frequencies(texts: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const nextSlice = timeSlices()
  for (const words of texts) {
    await nextSlice()
    const { stems, others } = indexedTokens(words)
    for (const token of new Set([...stems, ...others])) counts.set(token, (counts.get(token) ?? 0) + 1)
  }
  return counts
}

const mostFrequent = (counts: ReadonlyMap<string, number>, least: number) =>
  [...counts]
    .filter(([, count]) => count > least)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAXIMUM_WORDS)
    .map(([token, count]) => [copied(token), count] as const)

/** V8 cuts a long word out without copying it: the text that it stands in would be kept as well. */
const copied = (word: string) => ` ${word}`.slice(1)

/** Inverse document frequency. Only tokens of several memories are kept: most others are as rare as an unknown one. */
function rarityAmong(counts: ReadonlyMap<string, number>, sampled: number): TenantProfile['rarity'] {
  const kept = new Map(mostFrequent(counts, 1))
  return token => Math.log((sampled + 1) / ((kept.get(token) ?? 0) + 0.5))
}

/** The mean cosine of two different vectors follows from the length of their mean. */
function chanceOf(vectors: readonly (readonly number[])[]): Chance {
  const count = vectors.length
  const mean = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) for (const [at, value] of vector.entries()) mean[at]! += value / count
  const crowding = (count * Math.hypot(...mean) ** 2 - 1) / (count - 1)
  return { vector: mean, crowding: count < FEW ? undefined : crowding }
}
