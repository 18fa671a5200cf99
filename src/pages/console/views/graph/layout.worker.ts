import { MultiDirectedGraph } from 'graphology'
import louvain from 'graphology-communities-louvain'
import forceAtlas2 from 'graphology-layout-forceatlas2'

/** Nodes are numbers from 0; `edges` has the two ends of each, `places` x and y of each node, NaN for a new one. */
export type Asked = { count: number; edges: Uint32Array; places: Float32Array }
export type Arranged = { places: Float32Array; communities: Uint32Array; isDone: boolean }

const LONGEST_MS = 12_000
/** Between two pictures: a large one takes long to draw. */
const STEP_MS = { small: 50, large: 1_500 }
const LARGE = 1_500
/** How far apart two memories of a community, and two communities, begin. */
const NEAR = 10
const FAR = 120

type Placed = { x: number; y: number; community?: number }

addEventListener('message', ({ data }: MessageEvent<Asked>) => arrange(data))

function arrange({ count, edges, places }: Asked) {
  const graph = new MultiDirectedGraph<Placed>()
  for (let at = 0; at < count; at++) graph.addNode(at, { x: 0, y: 0 })
  for (let at = 0; at < edges.length; at += 2) graph.addEdge(edges[at], edges[at + 1])
  // The same memories are divided in the same way each time.
  if (graph.size > 0) louvain.assign(graph, { rng: seeded(1) })
  begin(graph, places)
  const settings = { ...forceAtlas2.inferSettings(graph), adjustSizes: false, gravity: 0.6 }
  const began = performance.now()
  const rounds = Math.min(600, 60 + Math.round(60_000 / Math.max(count, 1)))
  const step = count > LARGE ? STEP_MS.large : STEP_MS.small
  let each = 1
  for (let done = 0; done < rounds && performance.now() - began < LONGEST_MS; done += each) {
    const from = performance.now()
    forceAtlas2.assign(graph, { iterations: each, settings })
    each = Math.max(1, Math.round((each * step) / (performance.now() - from + 1)))
    tell(graph, false)
  }
  tell(graph, true)
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

function tell(graph: MultiDirectedGraph<Placed>, isDone: boolean) {
  const places = new Float32Array(2 * graph.order)
  const communities = new Uint32Array(graph.order)
  graph.forEachNode((id, { x, y, community = 0 }) => {
    places[2 * Number(id)] = x
    places[2 * Number(id) + 1] = y
    communities[Number(id)] = community
  })
  postMessage({ places, communities, isDone } satisfies Arranged)
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
