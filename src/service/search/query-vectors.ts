import { LRUCache } from 'lru-cache'
import type { Embedder } from '../../platform/embeddings/index.ts'
import { createFlight, type Flight } from '../../platform/single-flight.ts'

const TINY = 1e-3
/** Longer ones are rarely asked twice, and would take much memory. */
const LONGEST = 2_000

/** The vectors of the queries that were asked last, and of those that are asked at the same time. */
export class QueryVectors {
  readonly #embedder: Embedder
  readonly #flights = new LRUCache<string, Flight<Float32Array>>({ max: 500 })

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
    const flight = this.#flights.get(key) ?? this.#ask(key, tenant, texts)
    return flight.join(signal)
  }

  #ask(key: string, tenant: string, texts: readonly string[]): Flight<Float32Array> {
    const flight = createFlight(
      wanted => this.#embed(tenant, texts, wanted),
      () => {
        if (this.#flights.get(key) === flight) this.#flights.delete(key)
      },
    )
    this.#flights.set(key, flight)
    return flight
  }

  async #embed(tenant: string, texts: readonly string[], signal: AbortSignal): Promise<Float32Array> {
    const embeddings = await this.#embedder.embed(texts, { kind: 'query', signal, share: tenant })
    return meanOf(embeddings.map(({ vector }) => vector))
  }
}

/** The direction between vectors of length one; that of the first where they cancel each other out. */
function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const [first] = vectors as [Float32Array]
  if (vectors.length === 1) return first
  const mean = first.map((_, at) => vectors.reduce((sum, vector) => sum + (vector[at] as number), 0))
  return Math.hypot(...mean) > TINY ? mean : first
}
