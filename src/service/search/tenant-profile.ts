import { LRUCache } from 'lru-cache'
import type { App, Context } from '../../context.ts'
import { timeLimit } from '../../platform/time-limit.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import { unavailable } from '../../store/neo4j/failures.ts'
import { sampleMemories } from '../../store/search/search.ts'
import { withoutWords, wordsOf } from './words.ts'

/** What is usual with a tenant, as far as a sample of its memories tells. */
export type TenantProfile = {
  /** The words that stand in many of them. */
  readonly words: ReadonlySet<string>
  /** The mean of their vectors, each of length one; undefined where too few have one. */
  readonly vector: Float32Array | undefined
}

/** A word is common that stands in more than this share of the memories. */
const COMMON = 0.1
const SAMPLE = 300
/** Below this many memories, or vectors, a sample says little: no word is common and no cosine usual. */
const LEAST = 50
const KEEP_MS = 300_000
/** A tenant with few memories may have many in a moment, and what could not be read may be read then. */
const KEEP_NOTHING_MS = 5_000
const READ_MS = 10_000
/** Searches wait so long for it, and go on without. */
const WAIT_MS = 1_000
const MOST = 500
const MOST_WORDS = 1_000

type Entry = { readonly usual: Promise<TenantProfile>; found?: TenantProfile }

const NOTHING: TenantProfile = { words: new Set(), vector: undefined }

/**
 * At most five minutes old; nothing where it cannot be read in a moment, as it only refines searches.
 * @throws ServiceError `database_unavailable`
 */
export async function tenantProfile(ctx: Context): Promise<TenantProfile> {
  const entry = entryOf(ctx)
  if (entry.found) return entry.found
  using patience = timeLimit(ctx.signal, WAIT_MS)
  return await untilAborted(patience.signal, entry.usual).catch(() => {
    if (ctx.signal.aborted) throw unavailable(ctx.signal.reason)
    return NOTHING
  })
}

function entryOf(ctx: Context): Entry {
  const entries = entriesOf(ctx.app)
  const key = `${ctx.space.id} ${ctx.tenant}`
  const known = entries.get(key)
  if (known) return known
  const usual = computeTenantProfile(ctx).catch(error => {
    ctx.log.warn({ error: String(error) }, 'searches go on without what is usual with the tenant')
    return NOTHING
  })
  const entry: Entry = { usual }
  entries.set(key, entry)
  void usual.then(found => {
    entry.found = found
    if (found === NOTHING && entries.peek(key) === entry) entries.set(key, entry, { ttl: KEEP_NOTHING_MS })
  })
  return entry
}

async function computeTenantProfile(ctx: Context): Promise<TenantProfile> {
  // Others wait for it too, so it does not end with the request that happened to come first.
  const sample = await sampleMemories({ ...ctx, signal: AbortSignal.timeout(READ_MS) }, SAMPLE, LEAST)
  if (sample.length < LEAST) return NOTHING
  const vectors = sample.flatMap(({ vector }) => (vector ? [vector] : []))
  return {
    words: commonWords(sample.map(({ content }) => content)),
    vector: vectors.length < LEAST ? undefined : meanDirection(vectors),
  }
}

/**
 * The texts that stand for a query by meaning: the query as it is and, where it has words that are common with the
 * tenant, the query without them. A name that half of the memories hold would else decide what is near.
 */
export function focusOf(query: string, { words }: TenantProfile): { texts: string[]; left_out: string[] } {
  const { text, left_out } = withoutWords(query, word => words.has(word))
  return { texts: left_out.length > 0 ? [query, text] : [query], left_out }
}

/** The mean cosine of a vector with those of the tenant's memories: so near is nothing special. Null where it is not known. */
export const typicalCosine = (query: Float32Array, { vector }: TenantProfile): number | null =>
  vector ? dot(query, vector) / Math.hypot(...query) : null

function commonWords(contents: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const content of contents)
    for (const word of new Set(wordsOf(content))) counts.set(word, (counts.get(word) ?? 0) + 1)
  const common = [...counts].filter(([, count]) => count > COMMON * contents.length)
  return new Set(
    common
      .sort(([, a], [, b]) => b - a)
      .slice(0, MOST_WORDS)
      .map(([word]) => word),
  )
}

function meanDirection(vectors: readonly (readonly number[])[]): Float32Array {
  const mean = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) {
    const share = 1 / (vectors.length * Math.hypot(...vector))
    for (const [at, value] of vector.entries()) mean[at]! += value * share
  }
  return mean
}

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] as number), 0)

const remembered = new WeakMap<App, LRUCache<string, Entry>>()

function entriesOf(app: App): LRUCache<string, Entry> {
  const known = remembered.get(app) ?? new LRUCache<string, Entry>({ max: MOST, ttl: KEEP_MS })
  remembered.set(app, known)
  return known
}
