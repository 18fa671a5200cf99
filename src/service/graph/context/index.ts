import type { Context } from '../../../context.ts'
import type { Output, Parsed } from '../../../contract/index.ts'
import { timeSlices } from '../../../platform/time-slices.ts'
import {
  agreement,
  type ConnectedMemory,
  contradiction,
  strongestConnected,
} from '../../../store/graph/context.ts'
import type { MemoryFilter } from '../../../store/memories/filter.ts'
import { toFilter } from '../../memories/filters.ts'
import { NO_PREFERENCES } from '../../search/hits.ts'
import { findMemories } from '../../search/search.ts'
import { type Around, fillContext } from './filling.ts'

const HITS = 20
const CONTRADICTIONS = 4
const NEIGHBOURS = 3
/** Separates questions with and without an answer; `docs/explanation/search.md` says how well. */
const RELEVANT = 0.3
/** The share of the minimum that the other hits need once one of them has reached it. */
const OTHERS = 0.5

export async function composeContext(
  ctx: Context,
  { query, max_tokens, min_relevance, record_recall, diversity, ...filters }: Parsed<'composeContext'>,
): Promise<Output<'composeContext'>> {
  const {
    results: found,
    truncated,
    degraded,
    parts,
  } = await findMemories(ctx, {
    query,
    by_parts: true,
    search_type: 'hybrid',
    limit: HITS,
    ...filters,
    ...NO_PREFERENCES,
    diversity,
    highlight: false,
    explain: false,
    ...(min_relevance === undefined ? {} : { min_relevance: OTHERS * min_relevance }),
  })
  const results = relevantOnly(found, min_relevance ?? (ctx.embedder.semantic ? RELEVANT : 0))
  const around = await surroundings(
    ctx,
    results.map(({ memory }) => memory.id),
    toFilter({ valid_at: filters.valid_at }),
  )
  const context = await fillContext(results, around, max_tokens, timeSlices())
  const ids = context.sources.map(({ memory_id }) => memory_id)
  if (record_recall) await ctx.app.recalls.record(ctx, ids)
  return { ...context, truncated, degraded, parts }
}

/** None, unless one of them is relevant enough; then also those that are less so. */
const relevantOnly = <Hit extends { relevance: number }>(hits: readonly Hit[], minimum: number) =>
  hits.some(({ relevance }) => relevance >= minimum) ? hits : []

/** What contradicts the hits and their neighbours, and the neighbours of the hits. */
async function surroundings(ctx: Context, ids: readonly string[], filter: MemoryFilter): Promise<Around> {
  const neighbours = await strongestConnected(ctx, ids, agreement, { count: NEIGHBOURS, filter })
  const shown = [...new Set([...ids, ...neighbours.map(({ memory }) => memory.id)])]
  const contradictions = await strongestConnected(ctx, shown, contradiction, {
    count: CONTRADICTIONS,
    filter,
  })
  return { neighbours: byMemory(neighbours), contradictions: byMemory(contradictions) }
}

const byMemory = (all: readonly ConnectedMemory[]) => Map.groupBy(all, ({ from }) => from)
