import { LRUCache } from 'lru-cache'
import type { Context } from '../../context.ts'
import { readWords } from '../../store/search/hits.ts'

/** Bounds the characters of all words that are kept, and of those of one text. */
const CHARACTERS = { together: 16_000_000, each: 100_000 }
/** What a key and an entry take, in characters. */
const ENTRY = 200
/** After this time words are read again. */
const KEEP_MS = 300_000

type Text = { readonly id: string; readonly digest: string | null }

/**
 * The words of memories as the index has them, which are most of what a search reads. They are known by the digests of the
 * texts, so those of a changed text are read again. Tenants do not share them: a quick answer would tell one what another has.
 */
export class KnownWords {
  readonly #words = new LRUCache<string, string>({
    maxSize: CHARACTERS.together,
    maxEntrySize: CHARACTERS.each,
    sizeCalculation: words => words.length + ENTRY,
    ttl: KEEP_MS,
    ttlResolution: 1_000,
  })

  get({ tenant }: Pick<Context, 'tenant'>, digest: string | null): string | undefined {
    if (digest === null) return undefined
    return this.#words.get(`${tenant} ${digest}`)
  }

  keep({ tenant }: Pick<Context, 'tenant'>, digest: string | null, words: string): void {
    if (digest === null) return
    this.#words.set(`${tenant} ${digest}`, words)
  }

  /** The words of memories by their ids; those that are not known are read in one statement. */
  async of(ctx: Context, texts: readonly Text[]): Promise<Map<string, string>> {
    const words = new Map<string, string>()
    const unknown: string[] = []
    for (const { id, digest } of texts) {
      const known = this.get(ctx, digest)
      if (known === undefined) unknown.push(id)
      else words.set(id, known)
    }
    if (unknown.length === 0) return words
    for (const read of await readWords(ctx, unknown)) {
      this.keep(ctx, read.digest, read.words)
      words.set(read.id, read.words)
    }
    return words
  }
}
