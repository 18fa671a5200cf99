import type { Context } from '../../../context.ts'
import type { Parsed } from '../../../contract/index.ts'
import type { Memory } from '../../../contract/memory.ts'
import { agreement, contradiction, strongestConnected } from '../../../store/graph/context.ts'
import type { MemoryFilter } from '../../../store/memories/filter.ts'
import { inEachPart } from '../../access/private.ts'
import { toFilter } from '../../memories/filters.ts'
import { turnsAround } from '../../search/turns.ts'
import { bridgesBetween } from './bridges.ts'
import type { Hit, Surroundings } from './filling.ts'
import type { PlacedMemory } from './text.ts'

const CONTRADICTIONS = 4
const NEIGHBOURS = 3
/** So many turns of a session are shown before and after a hit. */
const TURNS = 1

/**
 * What contradicts the hits and what is shown beside them, the neighbours of the hits, the hits that are older than
 * another one that says nearly the same, and for a question the turns of their sessions and what joins two of them, which
 * pass its filters.
 */
export async function surroundings(
  ctx: Context,
  hits: readonly Hit[],
  input: Parsed<'composeContext'>,
): Promise<Omit<Surroundings, 'communities'>> {
  const memories = hits.map(({ memory }) => memory)
  const parts = await inEachPart(ctx, memories, (part, own) => tiesOf(part, own, input))
  return {
    older: byMemory(olderOf(hits)),
    turns: byMemory(parts.flatMap(({ turns }) => turns)),
    bridges: byMemory(parts.flatMap(({ bridges }) => bridges)),
    neighbours: byMemory(parts.flatMap(({ neighbours }) => neighbours)),
    contradictions: byMemory(parts.flatMap(({ contradictions }) => contradictions)),
  }
}

/** Connections and sessions do not lead from the shared memories into private ones, or back. */
async function tiesOf(ctx: Context, memories: readonly Memory[], input: Parsed<'composeContext'>) {
  const filter = toFilter({ valid_at: input.valid_at })
  const ids = memories.map(({ id }) => id)
  const isAsked = input.query !== undefined
  const turns = isAsked ? await placedTurns(ctx, memories, toFilter(input)) : []
  const neighbours = await strongestConnected(ctx, ids, agreement, { count: NEIGHBOURS, filter })
  const bridges = isAsked ? await bridgesBetween(ctx, memories, neighbours, toFilter(input)) : []
  const beside = [...neighbours, ...turns, ...bridges].map(({ memory }) => memory.id)
  const shown = [...new Set([...ids, ...beside])]
  const contradictions = await strongestConnected(ctx, shown, contradiction, {
    count: CONTRADICTIONS,
    filter,
  })
  return { turns, bridges, neighbours, contradictions }
}

async function placedTurns(ctx: Context, hits: readonly Memory[], filter: MemoryFilter) {
  const turns = await turnsAround(ctx, hits, filter, TURNS)
  return [...turns].flatMap(([from, each]) =>
    each.map(
      ({ memory, offset }): PlacedMemory => ({ from, memory, place: offset < 0 ? 'before' : 'after' }),
    ),
  )
}

/** Each under the newest of those that are newer. */
function olderOf(hits: readonly Hit[]): PlacedMemory[] {
  const shown = new Set(hits.map(({ memory }) => memory.id))
  return hits.flatMap(({ memory, newer = [] }) => {
    const from = newer.find(id => shown.has(id))
    return from === undefined ? [] : [{ from, memory, place: 'older' as const }]
  })
}

const byMemory = <Tie extends { from: string }>(all: readonly Tie[]) => Map.groupBy(all, ({ from }) => from)
