import type { Chance, Context } from '../../context.ts'
import { cosine } from '../../platform/embeddings/cosines.ts'
import { cosineScale } from '../../platform/embeddings/models.ts'
import type { Asked, Found, Result } from './hits.ts'

/**
 * Measured by `node bench/quality/main.ts --relevance`, on the scale of the built-in model: what a question has with any memory of the tenant, the cosine
 * that counts 1, what all words of the query together count, what evidence has to reach, and how much more of it a tenant
 * needs whose memories are all alike.
 */
const EVIDENCE = { chance: 0.6, unit: 0.1, words: 1, bar: 2.2, crowding: 2 }
const STEEPNESS = 2

/** What one query has with unrelated memories. */
type Background = { readonly chance: number; readonly crowding: number }

/**
 * Rates each result from 0 to 1: how clearly it bears on the query, by its cosine and by the words that it shares. Without
 * vectors the words decide alone. A query for a time alone is for all memories of that time. Other requests run at each `nextSlice`.
 */
export async function withRelevance(
  ctx: Context,
  results: readonly Result[],
  { profile, coverage, time }: Asked,
  plain: Float32Array | null,
  nextSlice: () => Promise<void>,
): Promise<Found[]> {
  const onScale = cosineScale(ctx.unrelated)
  const background = plain ? backgroundOf(ctx, plain, profile.chance) : undefined
  const rated: Found[] = []
  for (const { cosine, ...result } of results) {
    await nextSlice()
    const share = coverage.of({ id: result.memory.id, words: result.words })
    const evidence =
      cosine === null || !background ? { share } : { cosine: onScale(cosine), ...background, share }
    rated.push({
      ...result,
      relevance: time.alone && result.explain?.time ? 1 : relevanceOf(evidence),
      explain: result.explain && { ...result.explain, relevance: { ...nothing, ...evidence } },
    })
  }
  return rated
}

const nothing = { cosine: null, chance: null, crowding: null }

/** From the tenant's own vectors; with few of them, from what is known of the model. */
export function backgroundOf(
  { unrelated }: Pick<Context, 'unrelated'>,
  plain: Float32Array,
  chance: Chance | undefined,
): Background {
  const onScale = cosineScale(unrelated)
  if (!chance) return { chance: UNRELATED, crowding: 0 }
  return {
    chance: onScale(cosine(plain, chance.vector)),
    crowding: chance.crowding === undefined ? 0 : onScale(chance.crowding),
  }
}

/** What unrelated texts have on the scale on which models are compared. */
const UNRELATED = 0.04

type Evidence = Partial<Background> & { readonly cosine?: number; readonly share: number }

export function relevanceOf({ cosine, chance = 0, crowding = 0, share }: Evidence): number {
  if (cosine === undefined) return share
  const above = (cosine - EVIDENCE.chance * chance) / EVIDENCE.unit
  const evidence = above + EVIDENCE.words * share - EVIDENCE.bar - EVIDENCE.crowding * crowding
  return 1 / (1 + Math.exp(-STEEPNESS * evidence))
}
