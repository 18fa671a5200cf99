import { describe, expect, test } from 'vitest'
import { MemoryGraph } from '../../src/service/graph/communities/partition.ts'
import { mutualInformation, numbersFrom, type Planted, plant } from './planted.ts'

const idOf = (place: number) => `m${String(place).padStart(6, '0')}`
const none = { community: null, rank: null, degree: null }

type Before = ReadonlyMap<string, string | null>

/** Gives the graph as the worker does, and returns the community of each memory. */
function analyse({ communities, edges }: Planted, before: Before = new Map(), tenant = 'acme') {
  const graph = new MemoryGraph()
  graph.addMemories(
    communities.map((_, place) => ({
      ...none,
      id: idOf(place),
      live: true,
      community: before.get(idOf(place)) ?? null,
    })),
  )
  graph.addTies(
    edges.map(([from, to]) => ({ source: idOf(from), target: idOf(to), strength: null })),
    1,
  )
  const { changes, communities: ids } = graph.analyse(tenant)
  const found = new Map(changes.map(({ id, community }) => [id, community]))
  const of = communities.map((_, place) => found.get(idOf(place)) ?? before.get(idOf(place)) ?? null)
  return { of, ids, changes }
}

const graphs = [
  { sizes: Array.from({ length: 10 }, () => 30), inside: 12, outside: 2 },
  { sizes: Array.from({ length: 25 }, () => 40), inside: 10, outside: 2 },
  { sizes: [200, 120, 80, 60, 40, 30, 20, 15], inside: 12, outside: 1.5 },
  { sizes: Array.from({ length: 40 }, (_, at) => 20 + at), inside: 14, outside: 3 },
]

describe.each(graphs)('in a graph of $sizes.length planted communities', ({ sizes, inside, outside }) => {
  test.each([1, 2, 3])('the communities are found (seed %i)', seed => {
    const planted = plant(sizes, inside, outside, seed)
    expect(mutualInformation(analyse(planted).of, planted.communities)).toBeGreaterThanOrEqual(0.9)
  })

  test('the same graph has the same communities, in whatever order its connections come', () => {
    const planted = plant(sizes, inside, outside, 4)
    const random = numbersFrom(5)
    const edges = planted.edges.toSorted(() => random() - 0.5)
    const flipped = edges.map(([from, to]) =>
      random() < 0.5 ? ([to, from] as const) : ([from, to] as const),
    )
    expect(analyse({ ...planted, edges: flipped })).toEqual(analyse(planted))
  })
})

test('ids of communities that did not change stay over 20 rounds of changes, and are given to no other', () => {
  const random = numbersFrom(7)
  let planted = plant(
    Array.from({ length: 20 }, () => 30),
    12,
    1,
    6,
  )
  let of = analyse(planted).of
  const first = of
  const untouched = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  for (let round = 0; round < 20; round++) {
    planted = changed(planted, untouched, random)
    const before = new Map(of.map((community, place) => [idOf(place), community]))
    of = analyse(planted, before).of
    const kept = planted.communities.flatMap((group, place) => (untouched.has(group) ? [place] : []))
    const stayed = kept.filter(place => of[place] === first[place])
    expect(stayed.length / kept.length).toBeGreaterThanOrEqual(0.98)
    for (const group of untouched)
      expect(commonest(planted, of, group)).toBe(commonest(planted, first, group))
  }
})

/** Removes and draws connections in the groups that may change, and between them. */
function changed({ communities, edges }: Planted, untouched: ReadonlySet<number>, random: () => number) {
  const places = communities.flatMap((group, place) => (untouched.has(group) ? [] : [place]))
  const any = () => places[Math.floor(random() * places.length)] as number
  const kept = edges.filter(
    ([from, to]) =>
      untouched.has(communities[from] as number) ||
      untouched.has(communities[to] as number) ||
      random() > 0.1,
  )
  const drawn = Array.from({ length: edges.length - kept.length }, () => [any(), any()] as const)
  return { communities, edges: [...kept, ...drawn.filter(([from, to]) => from !== to)] }
}

function commonest({ communities }: Planted, of: readonly (string | null)[], group: number) {
  const ids = of.filter((_, place) => communities[place] === group)
  return [...Map.groupBy(ids, id => id)].sort(([, a], [, b]) => b.length - a.length)[0]?.[0]
}

test('the larger part of a community that falls apart keeps its id, and the other gets a new one', () => {
  const whole = plant([40], 20, 0, 1)
  const [id] = analyse(whole).ids
  const before = new Map(whole.communities.map((_, place) => [idOf(place), id as string]))
  const apart = plant([25, 15], 12, 0, 2)
  const { of, ids } = analyse(apart, before)
  expect(ids).toHaveLength(2)
  expect(of[0]).toBe(id)
  expect(of[39]).not.toBe(id)
})

test('memories of another tenant with the same ids have communities with other ids', () => {
  const planted = plant([10, 10], 6, 0, 1)
  const [mine, theirs] = [analyse(planted, new Map(), 'acme'), analyse(planted, new Map(), 'globex')]
  expect(mine.ids.filter(id => theirs.ids.includes(id))).toEqual([])
})

test('a memory in the middle of a star has the highest rank, the mean is 1, and connections are counted', () => {
  const edges = Array.from({ length: 9 }, (_, at) => [0, at + 1] as const)
  const { changes } = analyse({ communities: Array.from({ length: 12 }, () => 0), edges })
  const [centre, ...leaves] = changes
  expect(changes).toHaveLength(10)
  expect(centre).toMatchObject({ degree: 9 })
  expect(leaves.every(({ rank }) => (rank as number) < (centre?.rank as number))).toBe(true)
  const sum = changes.reduce((total, { rank }) => total + (rank as number), 0)
  expect(sum / changes.length).toBeCloseTo(1, 2)
})

test('two memories alone are no community, and one without connections has no rank', () => {
  const { of, ids, changes } = analyse({ communities: [0, 0, 0], edges: [[0, 1]] })
  expect(ids).toEqual([])
  expect(of).toEqual([null, null, null])
  expect(changes.map(({ id }) => id)).toEqual([idOf(0), idOf(1)])
})
