import { LRUCache } from 'lru-cache'
import type { Chance, Context, TenantProfile } from '../../context.ts'
import { timeLimit } from '../../platform/time-limit.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import { toDatabaseUnavailable } from '../../store/neo4j/failures.ts'
import { sampleMemories } from '../../store/search/sample.ts'
import { analyse, withoutWords, wordsOf } from './words.ts'

/** A word is common if more than this share of the memories has it. */
const COMMON = 0.1
const SAMPLE = 300
/** A smaller sample of memories, or of vectors, says little: it gives no common words and no cosines of unrelated memories. */
const LEAST = 50
const KEEP_MS = 300_000
/** An empty profile is computed again soon: a tenant can grow within moments, and a failed read can succeed. */
const KEEP_EMPTY_MS = 5_000
const READ_MS = 10_000
/** The time that a search waits for a profile before it runs without one. */
const WAIT_MS = 1_000
const MAXIMUM_PROFILES = 500
const MAXIMUM_WORDS = 1_000
/** How far apart in the sample the memories of a pair are. Neighbours were often written about the same. */
const STEPS = [7, 13, 19, 23]
/** Memories that are all alike give no deviation to divide by. */
const LEAST_DEVIATION = 0.01

const EMPTY: TenantProfile = { words: new Set(), rarity: () => 1, chance: undefined }

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
    using patience = timeLimit(ctx.signal, WAIT_MS)
    return await untilAborted(patience.signal, entry.computing).catch(() => {
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
      if (computed === EMPTY && this.#entries.peek(key) === entry)
        this.#entries.set(key, entry, { ttl: KEEP_EMPTY_MS })
    })
    return entry
  }
}

async function computeTenantProfile(ctx: Context): Promise<TenantProfile> {
  // Other requests wait for it too, so it does not end with the first one.
  const sample = await sampleMemories({ ...ctx, signal: AbortSignal.timeout(READ_MS) }, SAMPLE, LEAST)
  if (sample.length < LEAST) return EMPTY
  const vectors = sample.flatMap(({ vector }) => (vector ? [vector] : []))
  const contents = sample.map(({ content }) => content)
  return {
    words: commonWords(contents),
    rarity: rarityAmong(contents),
    chance: vectors.length < LEAST ? undefined : chanceOf(vectors.map(toUnit)),
  }
}

/**
 * The texts that a semantic search embeds: the query and, if it has words that are common with the tenant, the query
 * without them. Otherwise a name that half of the memories hold would decide which of them are near.
 */
export function focusOf(query: string, { words }: TenantProfile): { texts: string[]; left_out: string[] } {
  const { text, left_out } = withoutWords(query, word => words.has(word))
  return { texts: left_out.length > 0 ? [query, text] : [query], left_out }
}

function commonWords(contents: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const content of contents)
    for (const word of new Set(wordsOf(content))) counts.set(word, (counts.get(word) ?? 0) + 1)
  const common = [...counts].filter(([, count]) => count > COMMON * contents.length)
  return new Set(
    common
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAXIMUM_WORDS)
      .map(([word]) => word),
  )
}

/** Inverse document frequency. Only stems of several memories are kept: most others are as rare as an unknown one. */
function rarityAmong(contents: readonly string[]): TenantProfile['rarity'] {
  const counts = new Map<string, number>()
  for (const content of contents)
    for (const stem of new Set(analyse(content))) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const kept = new Map(
    [...counts]
      .filter(([, count]) => count > 1)
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAXIMUM_WORDS),
  )
  return stem => Math.log((contents.length + 1) / ((kept.get(stem) ?? 0) + 0.5))
}

/** The deviation is that of pairs of neighbours in a ring, some steps apart: as many cosines as there are vectors, for each step. */
function chanceOf(vectors: readonly Float32Array[]): Chance {
  const mean = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors)
    for (const [at, value] of vector.entries()) mean[at]! += value / vectors.length
  const cosines = STEPS.flatMap(step =>
    vectors.map((vector, at) => dot(vector, vectors[(at + step) % vectors.length] as Float32Array)),
  )
  const middle = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length
  const variance = cosines.reduce((sum, cosine) => sum + (cosine - middle) ** 2, 0) / cosines.length
  return { vector: mean, deviation: Math.max(LEAST_DEVIATION, Math.sqrt(variance)) }
}

function toUnit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector)
  return Float32Array.from(vector, value => value / length)
}

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] as number), 0)
