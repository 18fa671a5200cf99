import { MultiDirectedGraph } from 'graphology'
import louvain from 'graphology-communities-louvain'
import forceAtlas2 from 'graphology-layout-forceatlas2'
import defaults from 'graphology-layout-forceatlas2/defaults.js'
import { graphToByteArrays } from 'graphology-layout-forceatlas2/helpers.js'
import iterate from 'graphology-layout-forceatlas2/iterate.js'

/** Nodes are numbers from 0; `edges` has the two ends of each, `places` x and y of each node, NaN for a new one. */
export type Asked = { count: number; edges: Uint32Array; places: Float32Array }
export type Arranged = { places: Float32Array; communities: Uint32Array; isDone: boolean }

const LONGEST_MS = 12_000
/** Between two answers: a small graph is drawn again for each. */
const STEP_MS = { small: 50, large: 200 }
const LARGE = 1_000
/** How far apart two memories of a community, and two communities, begin. */
const NEAR = 10
const FAR = 120

/** What the layout keeps of each memory, of which the first two are its place. */
const NUMBERS = 10

type Placed = { x: number; y: number; community?: number }

addEventListener('message', ({ data }: MessageEvent<Asked>) => arrange(data))

function arrange({ count, edges, places }: Asked) {
  const graph = new MultiDirectedGraph<Placed>()
  for (let at = 0; at < count; at++) graph.addNode(at, { x: 0, y: 0 })
  for (let at = 0; at < edges.length; at += 2) graph.addEdge(edges[at], edges[at + 1])
  // The same memories are divided in the same way each time.
  if (graph.size > 0) louvain.assign(graph, { rng: seeded(1) })
  begin(graph, places)
  const communities = Uint32Array.from(graph.mapNodes((_id, { community = 0 }) => community))
  const loose = count > LARGE ? graph.filterNodes(id => graph.degree(id) === 0).reverse() : []
  if (loose.length < count) for (const id of loose) graph.dropNode(id)
  const drawn = graph.mapNodes(Number)
  const settings = { ...defaults, ...forceAtlas2.inferSettings(graph), adjustSizes: false, gravity: 0.6 }
  // How fast each memory moves is kept in them from round to round.
  const matrices = graphToByteArrays(graph, () => 1)
  const tell = (isDone: boolean) => {
    const now = new Float32Array(places.length)
    for (const [at, id] of drawn.entries())
      now.set(matrices.nodes.subarray(NUMBERS * at, NUMBERS * at + 2), 2 * id)
    if (drawn.length < count) putAround(now, drawn, loose.map(Number))
    postMessage({ places: now, communities, isDone } satisfies Arranged)
  }
  const began = performance.now()
  const rounds = Math.min(600, 60 + Math.round(60_000 / Math.max(count, 1)), roundsFor(places))
  const step = count > LARGE ? STEP_MS.large : STEP_MS.small
  let [done, each] = [0, 1]
  while (done < rounds && performance.now() - began < LONGEST_MS) {
    const from = performance.now()
    for (let round = 0; round < each; round++) iterate(settings, matrices.nodes, matrices.edges)
    done += each
    each = Math.max(1, Math.round((each * step) / (performance.now() - from + 1)))
    tell(false)
  }
  tell(true)
}

/**
 * In a large graph, memories without a connection lie around the others, as close as these: forces would drive them far away.
 * The last one, which is the oldest, comes first, so that a new one moves none.
 */
function putAround(places: Float32Array, drawn: readonly number[], loose: readonly number[]) {
  const meanOf = (figureOf: (id: number) => number) =>
    drawn.reduce((sum, id) => sum + figureOf(id), 0) / drawn.length
  const x = meanOf(id => places[2 * id] as number)
  const y = meanOf(id => places[2 * id + 1] as number)
  const square = meanOf(
    id => ((places[2 * id] as number) - x) ** 2 + ((places[2 * id + 1] as number) - y) ** 2,
  )
  const reach = 2 * square
  for (const [at, id] of loose.entries()) {
    const radius = Math.sqrt(APART * reach + (reach * (at + 1)) / drawn.length)
    places[2 * id] = x + radius * Math.cos(at * GOLDEN_ANGLE)
    places[2 * id + 1] = y + radius * Math.sin(at * GOLDEN_ANGLE)
  }
}

/** How much more than the others take up is free for them, before those without a connection begin. */
const APART = 1.3

/** A large graph of which most has a place stays where it is. */
function roundsFor(places: Float32Array): number {
  const share = places.reduce((sum, each) => sum + Number(Number.isNaN(each)), 0) / Math.max(places.length, 1)
  return places.length / 2 > LARGE ? Math.ceil(300 * share) : Number.POSITIVE_INFINITY
}

/** A new node begins near its community, in a spiral; the others where they were. */
function begin(graph: MultiDirectedGraph<Placed>, places: Float32Array) {
  const met = new Map<number, number>()
  graph.updateEachNodeAttributes((id, node) => {
    const [x, y] = [places[2 * Number(id)] as number, places[2 * Number(id) + 1] as number]
    if (!Number.isNaN(x)) return { ...node, x, y }
    const { community = 0 } = node
    const member = met.get(community) ?? 0
    met.set(community, member + 1)
    const [middle, near] = [spiral(community, FAR), spiral(member, NEAR)]
    return { ...node, x: middle.x + near.x, y: middle.y + near.y }
  })
}

const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5))

function spiral(place: number, step: number) {
  const [radius, angle] = [step * Math.sqrt(place + 1), place * GOLDEN_ANGLE]
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) }
}

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
