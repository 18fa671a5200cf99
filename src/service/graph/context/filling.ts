import type { Memory } from '../../../contract/memory.ts'
import type { BridgingMemory, ConnectedMemory } from '../../../store/graph/context.ts'
import { costOf, type Entry, formatContext, type PlacedMemory } from './text.ts'
import { beginningOf, estimateTokens } from './tokens.ts'

export type Surroundings = {
  /** Hits that are listed under a newer one. */
  older: ReadonlyMap<string, readonly PlacedMemory[]>
  turns: ReadonlyMap<string, readonly PlacedMemory[]>
  bridges: ReadonlyMap<string, readonly BridgingMemory[]>
  contradictions: ReadonlyMap<string, readonly ConnectedMemory[]>
  neighbours: ReadonlyMap<string, readonly ConnectedMemory[]>
  communities: ReadonlyMap<string, readonly Memory[]>
}
export type Hit = {
  memory: Memory
  /** Why it is in the text, if not as a hit of a question. */
  role?: Entry['role']
  score: number | null
  relevance: number | null
  /** The hits that are newer and say nearly the same, newest first. */
  newer?: readonly string[]
}

/** The share of the budget that hits get before their neighbours. */
const FOR_HITS = 0.7
/** One memory gets at most this share of the budget, or this many tokens if that is more. */
const FOR_ONE = 0.34
const ENOUGH_TOKENS = 200
/** No more characters make one token of the estimate, so no more of a content is read than can be shown. */
const LONGEST_TOKEN = 6
/** A memory of which less than this can be shown is left out. */
const LEAST_TOKENS = 24

/**
 * Selects hits and connected memories for a budget of tokens, and formats them. First come the best hits, each together
 * with the memories that contradict it, or not at all; then what joins two of the selected hits, what is older and says
 * nearly the same, their turns of the session and their neighbours; then, if there is room, further hits and what is central to the
 * communities of the selected ones. Each memory appears once. Other requests run at each `nextSlice`.
 */
export async function fillContext(
  hits: readonly Hit[],
  surroundings: Surroundings,
  { budget, header }: { budget: number; header: string },
  nextSlice: () => Promise<void>,
) {
  const found = new Map(hits.map(hit => [hit.memory.id, hit]))
  const shown = new Set<string>()
  const roots: Entry[] = []
  const all = budget - estimateTokens(header)
  const most = Math.max(ENOUGH_TOKENS, Math.floor(budget * FOR_ONE))
  let room = Math.floor(all * FOR_HITS)
  const repeated = new Set([...surroundings.older.values()].flat().map(({ memory }) => memory.id))
  for (const { memory } of hits) if (!repeated.has(memory.id)) await place(memory, undefined, roots, 0)
  room += all - Math.floor(all * FOR_HITS)
  for (const root of roots)
    for (const tie of [
      ...(surroundings.bridges.get(root.memory.id) ?? []).filter(({ to }) => shown.has(to)),
      ...(surroundings.older.get(root.memory.id) ?? []),
      ...(surroundings.turns.get(root.memory.id) ?? []),
      ...(surroundings.neighbours.get(root.memory.id) ?? []),
    ])
      await place(tie.memory, tie, root.attached, 1)
  for (const { memory } of hits) await place(memory, undefined, roots, 0)
  for (const root of [...roots])
    for (const memory of surroundings.communities.get(root.memory.id) ?? [])
      await place(memory, undefined, root.attached, 1, root.memory.id)
  return { ...formatContext(roots, header), left_out: countOthers(hits, surroundings, shown) }

  async function place(
    memory: Memory,
    tie: Entry['tie'],
    among: Entry[],
    depth: number,
    centralFor?: string,
  ) {
    if (shown.has(memory.id)) return
    await nextSlice()
    const against = (surroundings.contradictions.get(memory.id) ?? []).filter(
      each => !shown.has(each.memory.id),
    )
    const group = [
      { ...entryOf(memory, centralFor ? 'community' : roleIn(memory, tie), tie, depth), centralFor },
      ...against.map(each => entryOf(each.memory, 'contradiction', each, depth + 1)),
    ]
    const fitting = squeeze(group, room, most)
    if (!fitting) return
    for (const entry of fitting) {
      room -= costOf(entry)
      shown.add(entry.memory.id)
    }
    const [first, ...rest] = fitting as [Entry, ...Entry[]]
    among.push({ ...first, attached: rest })
  }

  function roleIn({ id }: Memory, tie: Entry['tie']): Entry['role'] {
    return tie ? roleOf(tie) : (found.get(id)?.role ?? 'hit')
  }

  function entryOf(memory: Memory, role: Entry['role'], tie: Entry['tie'], depth: number): Entry {
    const { score = null, relevance = null } = found.get(memory.id) ?? {}
    const content = memory.content.trim().slice(0, (Math.min(most, Math.max(0, room)) + 1) * LONGEST_TOKEN)
    return { memory, role, score, relevance, tie, depth, content, excerpt: false, attached: [] }
  }
}

function roleOf(tie: NonNullable<Entry['tie']>): Entry['role'] {
  if ('to' in tie) return 'bridge'
  if (!('place' in tie)) return 'neighbour'
  return tie.place === 'older' ? 'older' : 'turn'
}

/** Shortens the entries to the room that is left; undefined if too little of one would remain. */
function squeeze(entries: readonly Entry[], room: number, most: number): Entry[] | undefined {
  const costs = entries.map(costOf)
  const wanted = costs.reduce((sum, cost) => sum + Math.min(most, cost), 0)
  const limit = wanted <= room ? most : Math.floor(room / entries.length)
  const cut = entries.map((entry, at) =>
    (costs[at] as number) <= limit ? entry : shortenEntry(entry, limit),
  )
  return cut.every(entry => entry !== undefined) ? cut : undefined
}

function shortenEntry(entry: Entry, limit: number): Entry | undefined {
  let left = limit - costOf({ ...entry, content: '…' })
  while (left >= LEAST_TOKENS) {
    const content = beginningOf(entry.content.slice(0, (left + 1) * LONGEST_TOKEN), left)
    const shorter = { ...entry, content: `${content}…`, excerpt: true }
    const over = costOf(shorter) - limit
    if (over <= 0) return shorter
    left -= over
  }
  return undefined
}

function countOthers(hits: readonly Hit[], surroundings: Surroundings, shown: ReadonlySet<string>): number {
  const { contradictions, neighbours, turns, bridges } = surroundings
  const ties = [contradictions, neighbours, turns, bridges].flatMap(each => [...each.values()].flat())
  const central = [...surroundings.communities.values()].flat()
  const ids = new Set([...[...hits, ...ties].map(({ memory }) => memory.id), ...central.map(({ id }) => id)])
  return [...ids].filter(id => !shown.has(id)).length
}
