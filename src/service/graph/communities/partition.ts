import { hash } from 'node:crypto'
import { UndirectedGraph } from 'graphology'
import louvainModule from 'graphology-communities-louvain'
import pagerankModule from 'graphology-metrics/centrality/pagerank.js'
import type { Standing, StandingOf, Tie } from '../../../store/graph/communities.ts'

// Their types say that a module has a property `default`; Node.js gives the module itself.
const louvain = louvainModule as unknown as typeof louvainModule.default
const pagerank = pagerankModule as unknown as typeof pagerankModule.default

/** A smaller group is no community. */
const LEAST_MEMBERS = 3
/** The part of all members of an old and a new community that both must have for the new one to keep the id. */
const SAME = 0.25
/** A connection of strength 0 still says that two memories have to do with each other. */
const LEAST_WEIGHT = 0.01
const FIGURES = 3

type Community = { id: string; members: readonly number[] }

/** A graph that is given piece by piece, by numbers: the place of a memory in the order of ids. */
export class MemoryGraph {
  readonly #before: StandingOf[] = []
  readonly #places = new Map<string, number>()
  readonly #sources: number[] = []
  readonly #targets: number[] = []
  readonly #weights: number[] = []

  /** Memories in the order of their ids, all of them before the first connection. */
  addMemories(memories: readonly (StandingOf & { live: boolean })[]) {
    for (const { live, ...standing } of memories) {
      if (live) this.#places.set(standing.id, this.#before.length)
      this.#before.push(standing)
    }
  }

  /** Connections whose ends are both live; the others are passed over. */
  addTies(ties: readonly Tie[], weight: number) {
    for (const { source, target, strength } of ties) {
      const [from, to] = [this.#places.get(source), this.#places.get(target)]
      if (from === undefined || to === undefined || from === to) continue
      this.#sources.push(Math.min(from, to))
      this.#targets.push(Math.max(from, to))
      this.#weights.push(weight * Math.max(strength ?? 1, LEAST_WEIGHT))
    }
  }

  /** The communities, the largest first, and the memories of which something is to be written. */
  analyse(tenant: string): { communities: string[]; size: number; changes: StandingOf[] } {
    const graph = this.#build()
    const standings = new Map<number, Standing>()
    if (graph.size > 0) {
      const ranks = ranksOf(graph)
      for (const node of graph.nodes())
        standings.set(Number(node), {
          community: null,
          rank: rounded(ranks.get(Number(node)) ?? 0),
          degree: graph.getNodeAttribute(node, 'degree') as number,
        })
      const found = this.#named(tenant, groupsOf(graph), ranks)
      for (const { id, members } of found)
        for (const member of members) (standings.get(member) as Standing).community = id
      return { communities: found.map(({ id }) => id), ...this.#outcome(standings) }
    }
    return { communities: [], ...this.#outcome(standings) }
  }

  #outcome(standings: ReadonlyMap<number, Standing>) {
    const none: Standing = { community: null, rank: null, degree: null }
    const changes = this.#before.flatMap(({ id, ...before }, place) => {
      const now = standings.get(place) ?? none
      const isSame =
        before.community === now.community && before.rank === now.rank && before.degree === now.degree
      return isSame ? [] : [{ id, ...now }]
    })
    return { size: this.#places.size + this.#sources.length, changes }
  }

  /** In one order, whatever the order of the connections was: sums and ties come out the same. */
  #build() {
    const graph = new UndirectedGraph<{ degree: number }, { weight: number }>()
    const order = Array.from(this.#sources, (_, at) => at).sort(
      (a, b) =>
        (this.#sources[a] as number) - (this.#sources[b] as number) ||
        (this.#targets[a] as number) - (this.#targets[b] as number) ||
        (this.#weights[a] as number) - (this.#weights[b] as number),
    )
    const connected = new Set([...this.#sources, ...this.#targets])
    for (const place of [...connected].sort((a, b) => a - b)) graph.addNode(place, { degree: 0 })
    for (const at of order) {
      const [from, to, weight] = [this.#sources[at], this.#targets[at], this.#weights[at] as number]
      const [edge] = graph.mergeUndirectedEdge(from, to)
      graph.updateEdgeAttribute(edge, 'weight', (sum = 0) => sum + weight)
      for (const end of [from, to]) graph.updateNodeAttribute(end, 'degree', (sum = 0) => sum + 1)
    }
    return graph
  }

  /** Gives each group the id of the old community that it has most in common with, or a new one from its centre. */
  #named(
    tenant: string,
    groups: readonly (readonly number[])[],
    ranks: ReadonlyMap<number, number>,
  ): Community[] {
    const kept = this.#survivors(groups)
    const taken = new Set(kept.values())
    return groups.map((members, group) => {
      const known = kept.get(group)
      if (known !== undefined) return { id: known, members }
      const central = members.toSorted((a, b) => (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0) || a - b)
      const id = central.map(place => idFrom(tenant, this.#idOf(place))).find(each => !taken.has(each))
      taken.add(id as string)
      return { id: id as string, members }
    })
  }

  /** Which group keeps which id: the pairs with the most in common first. */
  #survivors(groups: readonly (readonly number[])[]): Map<number, string> {
    const sizes = new Map<string, number>()
    for (const place of this.#places.values()) count(sizes, this.#before[place]?.community)
    const pairs = groups.flatMap((members, group) => {
      const shared = new Map<string, number>()
      for (const member of members) count(shared, this.#before[member]?.community)
      return Array.from(shared, ([id, both]) => {
        const all = members.length + (sizes.get(id) ?? 0) - both
        return { group, id, both, likeness: both / all }
      })
    })
    const kept = new Map<number, string>()
    const taken = new Set<string>()
    for (const { group, id, likeness } of pairs.sort(
      (a, b) => b.both - a.both || b.likeness - a.likeness || a.group - b.group || (a.id < b.id ? -1 : 1),
    ))
      if (likeness >= SAME && !kept.has(group) && !taken.has(id)) {
        kept.set(group, id)
        taken.add(id)
      }
    return kept
  }

  #idOf(place: number): string {
    return (this.#before[place] as StandingOf).id
  }
}

const count = (counts: Map<string, number>, key: string | null | undefined) => {
  if (typeof key === 'string') counts.set(key, (counts.get(key) ?? 0) + 1)
}

const idFrom = (tenant: string, memory: string) => `c${hash('sha256', `${tenant} ${memory}`).slice(0, 15)}`

const rounded = (value: number) => Number(value.toPrecision(FIGURES))

type Graph = UndirectedGraph<{ degree: number }, { weight: number }>

/** As multiples of the mean: they stay where the graph grows elsewhere. */
function ranksOf(graph: Graph): Map<number, number> {
  const ranks = pagerank(graph, {
    getEdgeWeight: 'weight',
    maxIterations: 200,
    // The library multiplies it by the number of nodes.
    tolerance: 1e-6 / graph.order,
  })
  return new Map(Object.entries(ranks).map(([node, rank]) => [Number(node), rank * graph.order]))
}

/** The communities as lists of their members, the largest first. */
function groupsOf(graph: Graph): number[][] {
  const communities = louvain(graph, { getEdgeWeight: 'weight', rng: sameNumbers() })
  return Object.values(connectedParts(graph, communities))
    .filter(({ length }) => length >= LEAST_MEMBERS)
    .map(members => members.sort((a, b) => a - b))
    .sort((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number))
}

/** Louvain can put memories together that nothing connects inside their community: each part is one of its own. */
function connectedParts(graph: Graph, communities: Readonly<Record<string, number>>): number[][] {
  const parts: number[][] = []
  const seen = new Set<string>()
  for (const start of graph.nodes()) {
    if (seen.has(start)) continue
    seen.add(start)
    const part = [start]
    for (const node of part)
      graph.forEachNeighbor(node, neighbour => {
        if (seen.has(neighbour) || communities[neighbour] !== communities[start]) return
        seen.add(neighbour)
        part.push(neighbour)
      })
    parts.push(part.map(Number))
  }
  return parts
}

/** Numbers from 0 to 1 that are the same in every analysis (Mulberry32). */
function sameNumbers(): () => number {
  let state = 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
