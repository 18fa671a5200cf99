import type { Type } from '../../parts/connecting.tsx'
import type { MemoryGraph, Node } from './reading.ts'

export const colourings = ['tag', 'kind', 'policy', 'age', 'state', 'cluster'] as const
export type Colouring = (typeof colourings)[number]

/** A group of memories with one colour. `name` is unique. */
type Group = { name: string; colour: string; count: number }

export type Palette = {
  groups: readonly Group[]
  groupOf: (node: Node) => string
  colourOf: (node: Node) => string
}

const hues = [
  '#3b6fd4',
  '#d9762b',
  '#2f9e6e',
  '#b5489c',
  '#c2a21d',
  '#5f5bd0',
  '#c94f4f',
  '#2b9db3',
  '#7a9a2e',
]
const GREY = '#8b8f99'
const ages = ['#e0672f', '#d99a3a', '#6aa86b', '#4b86b4', '#6c6f8e']
const DAY_MS = 86_400_000
const ageNames = [
  ['today', 1],
  ['this week', 7],
  ['this month', 31],
  ['this year', 366],
] as const
const OLDER = 'older'
const OTHERS = 'others'

export const typeColours: Readonly<Record<Type, string>> = {
  related_to: '#b3b8c2',
  similar_to: '#7f8fb0',
  supports: '#2f9e6e',
  contradicts: '#d1432f',
  caused_by: '#d9762b',
  part_of: '#5f5bd0',
  references: '#2b9db3',
  derived_from: '#b5489c',
}

/** The groups of a graph by one of their qualities: the largest have colours of their own. */
export function paletteOf(graph: MemoryGraph, colouring: Colouring): Palette {
  const counts = new Map<string, number>()
  const nameOf = remembered(namers[colouring](graph))
  graph.forEachNode((_id, node) => {
    const name = nameOf(node)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  })
  const names = colouring === 'age' ? [...ageNames.map(([name]) => name), OLDER] : largest(counts)
  const shades = colouring === 'age' ? ages : hues
  const colours = new Map(names.map((name, at) => [name, shades[at] ?? GREY]))
  const groupOf = (node: Node) => (colours.has(nameOf(node)) ? nameOf(node) : OTHERS)
  const groups = names
    .map(name => ({ name, colour: colours.get(name) ?? GREY, count: counts.get(name) ?? 0 }))
    .filter(({ count }) => count > 0)
  const rest = graph.order - groups.reduce((sum, { count }) => sum + count, 0)
  return {
    groups: rest > 0 ? [...groups, { name: OTHERS, colour: GREY, count: rest }] : groups,
    groupOf,
    colourOf: node => colours.get(nameOf(node)) ?? GREY,
  }
}

/** Each memory is asked for several times a picture. */
function remembered(find: (node: Node) => string): (node: Node) => string {
  const names = new WeakMap<Node, string>()
  return node => {
    const name = names.get(node) ?? find(node)
    names.set(node, name)
    return name
  }
}

const largest = (counts: ReadonlyMap<string, number>) =>
  [...counts]
    .filter(([name]) => name !== '')
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .slice(0, hues.length)
    .map(([name]) => name)

const namers: Record<Colouring, (graph: MemoryGraph) => (node: Node) => string> = {
  policy: () => node => node.policy,
  kind: () => node => node.kind,
  state: () => node => node.state,
  cluster: graph => {
    const names = namesOfClusters(graph)
    return ({ community }) => names.get(community) ?? ''
  },
  age: () => {
    const now = Date.now()
    return ({ createdAt }) => ageNames.find(([, days]) => now - createdAt < days * DAY_MS)?.[0] ?? OLDER
  },
  /** Of its tags the one that most memories have. */
  tag: graph => {
    const counts = new Map<string, number>()
    graph.forEachNode((_id, { tags }) => {
      for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
    })
    return ({ tags }) =>
      tags.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1))[0] ?? ''
  },
}

/** A cluster is named after the tag that most of its memories have. */
function namesOfClusters(graph: MemoryGraph): ReadonlyMap<number, string> {
  const counts = new Map<number, Map<string, number>>()
  graph.forEachNode((_id, { community, tags }) => {
    const ofCommunity = counts.get(community) ?? new Map<string, number>()
    for (const tag of tags) ofCommunity.set(tag, (ofCommunity.get(tag) ?? 0) + 1)
    counts.set(community, ofCommunity)
  })
  return new Map(
    Array.from(counts, ([community, ofCommunity]) => {
      const [first] = [...ofCommunity].sort(([, a], [, b]) => b - a)
      return [community, `${first?.[0] ?? 'group'} (${community + 1})`]
    }),
  )
}
