import type { App, Context } from '../context.ts'
import { sampleContents } from '../store/search.ts'
import { withoutWords, wordsOf } from './words.ts'

/** A word is common that stands in more than this share of the tenant's memories, as far as a sample tells. */
const COMMON = 0.1
const SAMPLE = 300
/** Below this many memories a share says little: no word counts as common. */
const LEAST = 50
const KEEP_MS = 300_000
const READ_MS = 10_000
const MOST_TENANTS = 500
const MOST_WORDS = 1_000

type Entry = { readonly words: Promise<ReadonlySet<string>>; readonly until: number }

/**
 * The texts that stand for a query by meaning: the query as it is and, where it has words that are common with the
 * tenant, the query without them. A name that half of the memories hold would else decide what is near.
 */
export async function focusOf(ctx: Context, query: string): Promise<{ texts: string[]; left_out: string[] }> {
  const common = await commonWords(ctx)
  const { text, left_out } = withoutWords(query, word => common.has(word))
  return { texts: left_out.length > 0 ? [query, text] : [query], left_out }
}

/** The words that stand in many of the tenant's memories, from a sample that is at most five minutes old. */
function commonWords(ctx: Context, now = Date.now()): Promise<ReadonlySet<string>> {
  const entries = entriesOf(ctx.app)
  const known = entries.get(ctx.tenant)
  const entry = known && known.until > now ? known : { words: countWords(ctx), until: now + KEEP_MS }
  entries.delete(ctx.tenant)
  entries.set(ctx.tenant, entry)
  entry.words.catch(() => entries.get(ctx.tenant) === entry && entries.delete(ctx.tenant))
  const [oldest] = entries.keys()
  if (entries.size > MOST_TENANTS && oldest !== undefined) entries.delete(oldest)
  return entry.words
}

async function countWords(ctx: Context): Promise<ReadonlySet<string>> {
  // Others wait for it too, so it does not end with the request that happened to come first.
  const contents = await sampleContents({ ...ctx, signal: AbortSignal.timeout(READ_MS) }, SAMPLE)
  if (contents.length < LEAST) return new Set()
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

const remembered = new WeakMap<App, Map<string, Entry>>()

function entriesOf(app: App): Map<string, Entry> {
  const known = remembered.get(app) ?? new Map()
  remembered.set(app, known)
  return known
}
