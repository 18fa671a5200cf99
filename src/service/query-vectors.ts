import type { Embedder } from '../platform/embeddings/index.ts'
import { untilAborted } from '../platform/until-aborted.ts'

type Entry = {
  readonly vector: Promise<Float32Array>
  /** How many callers wait for it. */
  waiting: number
  settled: boolean
  readonly unwanted: AbortController
}

const TINY = 1e-3
const MOST = 500
/** Longer ones are rarely asked twice, and would take much memory. */
const LONGEST = 2_000

/** The vectors of the queries that were asked last, and of those that are asked at the same time. */
export class QueryVectors {
  readonly #embedder: Embedder
  readonly #entries = new Map<string, Entry>()

  constructor(embedder: Embedder) {
    this.#embedder = embedder
  }

  /**
   * Tenants do not share: a quick answer would tell one what another has asked. A failure is forgotten at once.
   * @throws EmbeddingUnavailable, or the reason of the signal
   */
  async get(tenant: string, texts: readonly string[], signal: AbortSignal): Promise<Float32Array> {
    const key = JSON.stringify([tenant, ...texts])
    if (key.length > LONGEST) return this.#embed(tenant, texts, signal)
    const entry = this.#entries.get(key) ?? this.#ask(key, tenant, texts)
    this.#touch(key, entry)
    entry.waiting++
    try {
      return await untilAborted(signal, entry.vector)
    } finally {
      entry.waiting--
      if (entry.waiting === 0 && !entry.settled) this.#drop(key, entry)
    }
  }

  #ask(key: string, tenant: string, texts: readonly string[]): Entry {
    const unwanted = new AbortController()
    const vector = this.#embed(tenant, texts, unwanted.signal)
    const entry: Entry = { vector, waiting: 0, settled: false, unwanted }
    vector.then(
      () => {
        entry.settled = true
      },
      () => this.#drop(key, entry),
    )
    return entry
  }

  async #embed(tenant: string, texts: readonly string[], signal: AbortSignal): Promise<Float32Array> {
    const embeddings = await this.#embedder.embed(texts, { kind: 'query', signal, share: tenant })
    return meanOf(embeddings.map(({ vector }) => vector))
  }

  /** The last one used stands last; the first one goes when there are too many. */
  #touch(key: string, entry: Entry) {
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > MOST && oldest !== undefined) this.#entries.delete(oldest)
  }

  #drop(key: string, entry: Entry) {
    entry.unwanted.abort()
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
  }
}

/** The direction between vectors of length one; that of the first where they cancel each other out. */
function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const [first] = vectors as [Float32Array]
  if (vectors.length === 1) return first
  const mean = first.map((_, at) => vectors.reduce((sum, vector) => sum + (vector[at] as number), 0))
  return Math.hypot(...mean) > TINY ? mean : first
}
