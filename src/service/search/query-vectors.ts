import { LRUCache } from 'lru-cache'
import type { Context, QueryVector } from '../../context.ts'
import { baseTenant } from '../../contract/private.ts'
import { createFlight, type Flight } from '../../platform/single-flight.ts'

const TINY = 1e-3
/** Longer queries are rarely repeated, and their keys take much memory. */
const LONGEST_KEY = 2_000

/** The vectors of the latest queries. Equal queries at the same time share one request to the provider. */
export class QueryVectors {
  readonly #flights = new LRUCache<string, Flight<QueryVector>>({ max: 500 })

  /**
   * Tenants do not share vectors: a quick response would show one tenant what another has searched for. A failure is not
   * kept.
   * @throws EmbeddingUnavailable, or the reason of the signal
   */
  async get(ctx: Context, texts: readonly string[]): Promise<QueryVector> {
    const key = JSON.stringify([ctx.space.id, ctx.tenant, ...texts])
    if (key.length > LONGEST_KEY) return embed(ctx, texts, ctx.signal)
    const flight = this.#flights.get(key) ?? this.#start(key, ctx, texts)
    return flight.join(ctx.signal)
  }

  #start(key: string, ctx: Context, texts: readonly string[]): Flight<QueryVector> {
    const flight = createFlight(
      wanted => embed(ctx, texts, wanted),
      () => {
        if (this.#flights.peek(key) === flight) this.#flights.delete(key)
      },
    )
    this.#flights.set(key, flight)
    return flight
  }
}

async function embed({ embedder, tenant }: Context, texts: readonly string[], signal: AbortSignal) {
  const embeddings = await embedder.embed(texts, { kind: 'query', signal, share: baseTenant(tenant) })
  const vectors = embeddings.map(({ vector }) => vector)
  return { plain: vectors[0] as Float32Array, mean: meanOf(vectors) }
}

/** The mean of vectors of length one; the first of them if they cancel each other out. */
function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const [first] = vectors as [Float32Array]
  if (vectors.length === 1) return first
  const mean = first.map((_, at) => vectors.reduce((sum, vector) => sum + (vector[at] as number), 0))
  return Math.hypot(...mean) > TINY ? mean : first
}
