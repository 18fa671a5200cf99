import type { Context } from '../context.ts'
import { type Figure, NEAR_DUPLICATE } from '../contract/insights.ts'
import * as store from '../store/insights.ts'
import { nearOf } from '../store/lifecycle/matching.ts'
import { getMemories } from '../store/memories/get.ts'
import { START } from '../store/memories/look-through.ts'
import { seal, unseal } from './cursors.ts'
import type { Handler } from './handler.ts'
import { toFilter } from './memories/filters.ts'

/** How long the vectors of a tenant are compared for one figure. The store reads the next part only within it. */
const LOOKS_MS = 1_000
/** Memories whose near ones are searched for in one statement. */
const SEARCHED_AT_ONCE = 100

export const getInsights: Handler<'getInsights'> = async (ctx, { days }) => {
  const [insights, near_duplicates, outliers] = await Promise.all([
    store.readInsights(ctx, days),
    countFound(ctx, 'near_duplicates'),
    countFound(ctx, 'outliers'),
  ])
  return { ...insights, near_duplicates, outliers }
}

async function countFound(ctx: Context, figure: Figure) {
  const { found, next } = await find(ctx, figure, { after: START, most: Number.POSITIVE_INFINITY })
  return { count: found.length, complete: next === null }
}

export const listInsightMemories: Handler<'listInsightMemories'> = async (ctx, { limit, cursor, figure }) => {
  const walk = ['listInsightMemories', figure]
  const after = cursor === undefined ? START : (unseal(ctx, walk, cursor) as string)
  const { found, next } = await find(ctx, figure, { after, most: limit + 1 })
  const page = found.slice(0, limit)
  const last = found.length > limit ? (page.at(-1)?.id ?? null) : next
  const memories = await getMemories(
    ctx,
    page.map(({ id }) => id),
  )
  return {
    memories: page.flatMap(({ id, near }) => {
      const memory = memories.get(id)
      return memory ? [{ memory, near: near.map(toNear) }] : []
    }),
    next_cursor: last === null ? null : seal(ctx, walk, last),
    has_more: last !== null,
    truncated: last !== null && found.length < limit,
    limit,
  }
}

const toNear = ({ id, cosine }: Found['near'][number]) => ({ memory_id: id, similarity: cosine })

type Found = { id: string; near: { id: string; cosine: number }[] }

/** The memories of a figure behind one, at most `most` or as many as the time allows, and behind which to continue. */
async function find(
  ctx: Context,
  figure: Figure,
  { after, most }: { after: string; most: number },
): Promise<{ found: Found[]; next: string | null }> {
  const until = performance.now() + LOOKS_MS
  const found: Found[] = []
  let next: string | null = after
  do {
    const wanted = isByVector(figure) ? SEARCHED_AT_ONCE : most - found.length
    const page = await store.readFigure(ctx, figure, { after: next, most: wanted })
    found.push(...(isByVector(figure) ? await compare(ctx, figure, page.ids) : page.ids.map(alone)))
    next = page.next
  } while (next !== null && found.length < most && performance.now() < until)
  return { found, next }
}

const isByVector = (figure: Figure) => figure === 'near_duplicates' || figure === 'outliers'

const alone = (id: string): Found => ({ id, near: [] })

/** Those of these memories that the figure counts by what is near to them. */
async function compare(ctx: Context, figure: Figure, ids: readonly string[]): Promise<Found[]> {
  const isOutlier = figure === 'outliers'
  const near = await nearOf(ctx, ids, toFilter({}), isOutlier ? ctx.discoveryThreshold : NEAR_DUPLICATE)
  return ids.flatMap(id => {
    const found = near.get(id)
    return found && (found.length === 0) === isOutlier ? [{ id, near: found }] : []
  })
}
