import type { Context, TenantProfile } from '../../context.ts'
import { cosine as cosineOf } from '../../platform/embeddings/cosines.ts'
import { cosineScale } from '../../platform/embeddings/models.ts'
import type { QueryWord } from '../../platform/text/words.ts'
import type { Glimpse, NumberedChange } from '../../store/feed/types.ts'
import { embedQuery } from '../embeddings/vectors.ts'
import { Coverage } from '../search/coverage.ts'
import { backgroundOf, relevanceOf } from '../search/evidence.ts'
import { readQuery } from '../search/words.ts'

/** At it, what speaks for a memory reaches what evidence has to reach. */
const BEARS = 0.5

const DIGITS = 10_000

/** The relevance that a search with a question shows for a memory, where it is not below a bound. */
type Scorer = (memory: Glimpse, least: number) => number | undefined

type Prepared = { readonly profile: TenantProfile; readonly space: string; readonly scorer: Scorer }

/** A saved question with which changed memories are compared: its vector is made once for each embedding space. */
export class StandingSearch {
  readonly #query: string
  readonly #words: readonly QueryWord[]
  readonly #minRelevance: number
  readonly #vectors = new Map<string, Promise<Float32Array>>()
  #prepared: Prepared | undefined

  constructor(query: string, minRelevance = BEARS) {
    this.#query = query
    this.#words = readQuery(query).words
    this.#minRelevance = minRelevance
  }

  /** For a space and a tenant; undefined if that is done. @throws ServiceError `embedding_unavailable` */
  prepare(ctx: Context, profile: TenantProfile): Promise<void> | undefined {
    const isPrepared = this.#prepared?.profile === profile && this.#prepared.space === ctx.space.id
    return isPrepared ? undefined : this.#prepare(ctx, profile)
  }

  async #prepare(ctx: Context, profile: TenantProfile): Promise<void> {
    const plain = await this.#vectorIn(ctx)
    const coverage = new Coverage(this.#words, profile)
    this.#prepared = { profile, space: ctx.space.id, scorer: scorerOf(ctx, coverage, plain, profile) }
  }

  /** How clearly the memory of a change bears on the question; undefined if it does not, or does not pass. */
  relevanceOf(
    change: NumberedChange,
    memory: Glimpse,
    passes: ((memory: Glimpse) => boolean) | undefined,
  ): number | undefined {
    if (!this.#prepared || !isDue(change, memory)) return undefined
    const exact = this.#prepared.scorer(memory, this.#minRelevance - 1 / DIGITS)
    if (exact === undefined || (passes && !passes(memory))) return undefined
    const relevance = Math.round(exact * DIGITS) / DIGITS
    return relevance >= this.#minRelevance ? relevance : undefined
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
  change.version === version &&
  (change.kind === 'embedded') === (lateVersion === version)

/** Most memories are far from most questions: their words are compared only where all of them together could decide. */
function scorerOf(ctx: Context, coverage: Coverage, plain: Float32Array, profile: TenantProfile): Scorer {
  const background = backgroundOf(ctx, plain, profile.chance)
  const onScale = cosineScale(ctx.unrelated)
  return (memory, least) => {
    const cosine = onScale(cosineOf(plain, memory.vector as Float32Array))
    const relevance = (share: number) => relevanceOf({ cosine, ...background, share })
    return relevance(1) < least ? undefined : relevance(coverage.shareIn(memory.has))
  }
}
