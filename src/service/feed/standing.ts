import type { Context, Glimpse, NumberedChange, TenantProfile } from '../../context.ts'
import { cosineScale } from '../../platform/embeddings/models.ts'
import { embedQuery } from '../embeddings/vectors.ts'
import { Coverage } from '../search/coverage.ts'
import { backgroundOf, relevanceOf } from '../search/evidence.ts'
import { readQuery } from '../search/words.ts'

/** At it, what speaks for a memory reaches what evidence has to reach. */
const BEARS = 0.5

const DIGITS = 10_000

type Scorer = (memory: Glimpse) => number

/** A saved question with which changed memories are compared: its vector is made once for each embedding space. */
export class StandingSearch {
  readonly #query: string
  readonly #minRelevance: number
  readonly #vectors = new Map<string, Promise<Float32Array>>()
  #last: { profile: TenantProfile; space: string; scorer: Scorer } | undefined

  constructor(query: string, minRelevance = BEARS) {
    this.#query = query
    this.#minRelevance = minRelevance
  }

  /**
   * How clearly the memory of a change bears on the question; undefined if it does not. @throws ServiceError
   * `embedding_unavailable`
   */
  async compare(ctx: Context): Promise<(change: NumberedChange, memory: Glimpse) => number | undefined> {
    const scorer = await this.#scorerIn(ctx)
    return (change, memory) => {
      if (!isDue(change, memory)) return undefined
      const relevance = Math.round(scorer(memory) * DIGITS) / DIGITS
      return relevance >= this.#minRelevance ? relevance : undefined
    }
  }

  async #scorerIn(ctx: Context): Promise<Scorer> {
    const [plain, profile] = await Promise.all([this.#vectorIn(ctx), ctx.app.tenantProfiles.get(ctx)])
    const space = ctx.space.id
    if (this.#last?.profile !== profile || this.#last.space !== space)
      this.#last = { profile, space, scorer: scorerOf(ctx, this.#query, plain, profile) }
    return this.#last.scorer
  }

  #vectorIn(ctx: Context): Promise<Float32Array> {
    const known = this.#vectors.get(ctx.space.id)
    if (known) return known
    const made = embedQuery(ctx, [this.#query], '/matches').then(({ plain }) => plain)
    this.#vectors.set(ctx.space.id, made)
    made.catch(() => this.#vectors.delete(ctx.space.id))
    return made
  }
}

/**
 * Each version of a memory is tested at one change: that of its write, or that of its vector where this came later. A
 * memory that has changed again has a later change.
 */
const isDue = (change: NumberedChange, { version, lateVersion, live, vector }: Glimpse) =>
  live &&
  vector !== null &&
  change.connection === null &&
  change.version === version &&
  (change.kind === 'embedded') === (lateVersion === version)

/** The relevance that a search with this question shows. */
function scorerOf(ctx: Context, query: string, plain: Float32Array, profile: TenantProfile): Scorer {
  const coverage = new Coverage(readQuery(query).words, profile)
  const background = backgroundOf(ctx, plain, profile.chance)
  const onScale = cosineScale(ctx.unrelated)
  const length = Math.hypot(...plain)
  return memory =>
    relevanceOf({
      cosine: onScale(dot(plain, memory.vector as Float32Array) / (length * memory.length)),
      ...background,
      share: coverage.shareIn(memory.has),
    })
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number)
  return sum
}
