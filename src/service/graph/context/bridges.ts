import type { Context } from '../../../context.ts'
import type { Memory } from '../../../contract/memory.ts'
import { tokensOf } from '../../../platform/text/words.ts'
import {
  agreement,
  type BridgingMemory,
  type ConnectedMemory,
  strongestBridges,
} from '../../../store/graph/context.ts'
import type { MemoryFilter } from '../../../store/memories/filter.ts'

/** How many are shown, of how many that are compared, among so many neighbours of each hit. */
const BRIDGES = { shown: 3, most: 20, count: 50 }
/** The share of its words that each of the two hits must lack: otherwise it says no more than that hit. */
const NEW_WORDS = 0.25
/** More of a content is not read for it. */
const READ_CHARACTERS = 2_000

/**
 * What joins two hits that are not connected with each other, the strongest for each pair, where it says more than either.
 * The `neighbours` of the hits show whether there may be such a pair.
 */
export async function bridgesBetween(
  ctx: Context,
  hits: readonly Memory[],
  neighbours: readonly ConnectedMemory[],
  filter: MemoryFilter,
): Promise<BridgingMemory[]> {
  if (!areApart(hits, neighbours)) return []
  const ids = hits.map(({ id }) => id)
  const found = await findBridges(ctx, ids, filter)
  const words = new Map([...hits, ...found.map(({ memory }) => memory)].map(each => [each.id, stemsOf(each)]))
  const taken = new Set<string>()
  const bridges = found.filter(({ from, to, memory }) => {
    const pair = `${from} ${to}`
    if (taken.has(pair) || taken.has(memory.id) || ![from, to].every(hit => adds(memory.id, hit)))
      return false
    taken.add(pair).add(memory.id)
    return true
  })
  return bridges.slice(0, BRIDGES.shown)

  function adds(id: string, hit: string): boolean {
    const [own, known] = [[...(words.get(id) ?? [])], words.get(hit)]
    return own.filter(word => !known?.has(word)).length > NEW_WORDS * own.length
  }
}

const stemsOf = ({ content }: Memory) => new Set(tokensOf(content.slice(0, READ_CHARACTERS)).stems)

export const findBridges = (ctx: Context, ids: readonly string[], filter: MemoryFilter) =>
  strongestBridges(ctx, ids, agreement, { ...BRIDGES, filter })

/** Whether two of the hits may not be connected. */
function areApart(hits: readonly Memory[], neighbours: readonly ConnectedMemory[]): boolean {
  const ids = new Set(hits.map(({ id }) => id))
  const ends = neighbours.filter(({ memory }) => ids.has(memory.id))
  const joined = new Set(ends.map(({ from, memory }) => [from, memory.id].sort().join()))
  return joined.size < (hits.length * (hits.length - 1)) / 2
}
