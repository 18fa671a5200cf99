import { Link } from 'wouter'
import type { Drawn } from './reading.ts'

const WIDTH = 960
const HEIGHT = 420
const MARGIN = 48
const LABEL = 24
/** More names than these would cover each other. */
const NAMED = 40

/** The memories of a result with their connections. The table says the same. */
export function Picture({ nodes, edges }: Drawn) {
  const place = placer(nodes)
  const places = new Map(nodes.map(node => [node.id, place(node)]))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing has no other element for a group of links
    <svg
      className="near graph"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="group"
      aria-label="Graph of the result"
    >
      {edges.map(({ from, to, type }) => {
        const [a, b] = [places.get(from), places.get(to)]
        return (
          <line
            key={`${from} ${type} ${to}`}
            className={type}
            {...{ x1: a?.x, y1: a?.y, x2: b?.x, y2: b?.y }}
          />
        )
      })}
      {nodes.map(({ id, title }) => {
        const { x = 0, y = 0 } = places.get(id) ?? {}
        return (
          <Link key={id} href={`/memories/${id}`} aria-label={title}>
            <circle cx={x} cy={y} r={6} />
            {nodes.length <= NAMED && (
              <text x={x} y={y - 11} textAnchor="middle">
                {title.length > LABEL ? `${title.slice(0, LABEL - 1)}…` : title}
              </text>
            )}
          </Link>
        )
      })}
    </svg>
  )
}

/** Fits all places into the picture. */
function placer(nodes: Drawn['nodes']) {
  const [xs, ys] = [nodes.map(({ x }) => x), nodes.map(({ y }) => y)]
  const scaler = (values: number[], size: number, margin: number) => {
    const [least, most] = [Math.min(...values), Math.max(...values)]
    return (value: number) => margin + ((value - least) / (most - least || 1)) * (size - 2 * margin)
  }
  const [toX, toY] = [scaler(xs, WIDTH, 2 * MARGIN), scaler(ys, HEIGHT, MARGIN / 1.5)]
  return ({ x, y }: { x: number; y: number }) => ({ x: toX(x), y: toY(y) })
}
