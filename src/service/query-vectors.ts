import type { Embedder, Embedding } from '../platform/embeddings/index.ts'

type Entry = {
  readonly vector: Promise<Float32Array>
  /** How many callers wait for it. */
  waiting: number
  settled: boolean
  readonly unwanted: AbortController
}

const MOST = 500
/** Longer ones are rarely asked twice, and would take much memory. */
const LONGEST = 1_000

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
  async get(tenant: string, query: string, signal: AbortSignal): Promise<Float32Array> {
    if (query.length > LONGEST) return this.#embed(query, signal)
    const key = `${tenant} ${query}`
    const entry = this.#entries.get(key) ?? this.#ask(key, query)
    this.#touch(key, entry)
    entry.waiting++
    try {
      return await untilAborted(signal, entry.vector)
    } finally {
      entry.waiting--
      if (entry.waiting === 0 && !entry.settled) this.#drop(key, entry)
    }
  }

  #ask(key: string, query: string): Entry {
    const unwanted = new AbortController()
    const vector = this.#embed(query, unwanted.signal)
    const entry: Entry = { vector, waiting: 0, settled: false, unwanted }
    vector.then(
      () => {
        entry.settled = true
      },
      () => this.#drop(key, entry),
    )
    return entry
  }

  async #embed(query: string, signal: AbortSignal): Promise<Float32Array> {
    const [embedding] = await this.#embedder.embed([query], { kind: 'query', signal })
    return (embedding as Embedding).vector
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

async function untilAborted<Value>(signal: AbortSignal, value: Promise<Value>): Promise<Value> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([value, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
