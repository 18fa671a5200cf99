import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force'
import type { Edge, Graph, Node } from './graph.ts'

/** How long the first part of a new arrangement is worked out before anything moves on the screen. */
const AHEAD_MS = 250

/** Arranges the memories: what is strongly connected comes close together, and nothing overlaps. */
export function createLayout(graph: Graph) {
  const links = forceLink<Node, Edge>()
    .distance(({ weight }) => 46 + (1 - weight) * 150)
    .strength(
      ({ weight, source, target }) =>
        weight / Math.min(Math.max(source.degree, 1), Math.max(target.degree, 1)),
    )
  const simulation = forceSimulation<Node>()
    .force('links', links)
    .force('apart', forceManyBody<Node>().strength(-150).distanceMax(600).theta(1.1))
    .force(
      'x',
      forceX<Node>().strength(({ degree }) => (degree === 0 ? 0.09 : 0.04)),
    )
    .force(
      'y',
      forceY<Node>().strength(({ degree }) => (degree === 0 ? 0.11 : 0.05)),
    )
    .force(
      'room',
      forceCollide<Node>(node => radiusOf(node) + 5),
    )
    .stop()

  /** Takes in what the graph has become. `calm` lets what is there already nearly stand still. */
  function update({ calm = false } = {}) {
    simulation.nodes([...graph.nodes.values()])
    links.links([...graph.edges()])
    simulation.alpha(Math.max(simulation.alpha(), calm ? 0.25 : 1))
    if (!calm) ahead()
  }

  function ahead() {
    const until = performance.now() + AHEAD_MS
    while (simulation.alpha() > 0.08 && performance.now() < until) simulation.tick()
  }

  /** One step; false when all is at rest. */
  function step(): boolean {
    if (simulation.alpha() < 0.004) return false
    simulation.tick()
    return true
  }

  /** Goes on to rest at once, for those who do not want things to move. */
  function settle() {
    const until = performance.now() + AHEAD_MS * 4
    while (performance.now() < until && step());
    simulation.alpha(0)
  }

  return { update, step, settle, warm: (alpha: number) => void simulation.alpha(alpha) }
}

export type Layout = ReturnType<typeof createLayout>

/** More connections and more importance: larger. */
export const radiusOf = ({ degree, memory }: Node) =>
  4 + Math.min(8, Math.sqrt(degree) * 1.25) + memory.importance * 2.5
