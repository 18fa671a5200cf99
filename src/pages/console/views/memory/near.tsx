import { Link } from 'wouter'
import type { Memory } from '../../data/client.ts'
import { firstLine } from '../../parts/words.ts'
import type { Related } from './related.ts'

const SHOWN = 8
const LABEL = 26
const WIDTH = 640
/** With so many neighbours at most, the picture is as high. */
const HEIGHTS = [
  [2, 84],
  [4, 140],
  [SHOWN, 200],
] as const

/** The strongest neighbours around the memory. The list below says the same, with the types. */
export function Near({ memory, related }: { memory: Memory; related: Related }) {
  const shown = related.slice(0, SHOWN)
  const height = HEIGHTS.find(([most]) => shown.length <= most)?.[1] ?? 0
  const middle = { x: WIDTH / 2, y: height / 2 }
  const placeOf = (at: number) => placeAmong(shown.length, height, at)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing has no other element for a group of links
    <svg className="near" viewBox={`0 0 ${WIDTH} ${height}`} role="group" aria-label="Neighbours">
      {shown.map(({ connection }, at) => {
        const { x, y } = placeOf(at)
        return (
          <line
            key={`${connection.source_id} ${connection.target_id} ${connection.relationship_type}`}
            className={connection.relationship_type}
            {...{ x1: middle.x, y1: middle.y, x2: x, y2: y }}
            strokeWidth={0.6 + 2 * (connection.strength ?? 0.5)}
          />
        )
      })}
      <circle cx={middle.x} cy={middle.y} r={9} />
      <Label x={middle.x} y={middle.y - 16} text={firstLine(memory)} />
      {shown.map(({ memory: other, connection }, at) => {
        const { x, y } = placeOf(at)
        return (
          <Link
            key={`${other.id} ${connection.relationship_type}`}
            href={`/memories/${other.id}`}
            aria-label={`Neighbour: ${firstLine(other)}`}
          >
            <circle cx={x} cy={y} r={6} />
            <Label x={x} y={y > middle.y ? y + 20 : y - 12} text={firstLine(other)} />
          </Link>
        )
      })}
    </svg>
  )
}

/** Whole words: what is read aloud has each of them. */
const cut = (text: string) => (text.length > LABEL ? `${text.slice(0, LABEL).replace(/\s+\S*$/, '')}…` : text)

const Label = ({ x, y, text }: { x: number; y: number; text: string }) => (
  <text x={x} y={y} textAnchor="middle">
    {cut(text)}
  </text>
)

/** Evenly on an ellipse, none straight above or below the middle, where its name stands. */
function placeAmong(count: number, height: number, at: number) {
  const angle = (2 * Math.PI * (at + 0.5)) / Math.max(count, 2) - Math.PI / 2 - (count % 2 ? Math.PI / 9 : 0)
  return { x: WIDTH / 2 + 230 * Math.cos(angle), y: height / 2 + (height / 2 - 32) * Math.sin(angle) }
}
