import neo4j, { type Node, type Path, type Relationship } from 'neo4j-driver'

/** A value of the graph as JSON can hold it: whole numbers as such where JavaScript has them, times as text. */
export function readable(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (neo4j.isInt(value)) return neo4j.integer.inSafeRange(value) ? value.toNumber() : value.toString()
  if (Array.isArray(value)) return value.map(readable)
  if (neo4j.isNode(value)) return nodeOf(value)
  if (neo4j.isRelationship(value)) return relationshipOf(value)
  if (neo4j.isPath(value)) return pathOf(value)
  if (neo4j.isVector(value)) return Array.from(value.asTypedArray(), Number)
  if (Object.getPrototypeOf(value) !== Object.prototype) return String(value)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, readable(each)]))
}

const nodeOf = ({ labels, properties }: Node) => ({ labels, properties: readable({ ...properties }) })

const relationshipOf = ({ type, properties }: Relationship) => ({
  type,
  properties: readable({ ...properties }),
})

const pathOf = ({ start, segments }: Path) => [
  nodeOf(start),
  ...segments.flatMap(({ relationship, end }) => [relationshipOf(relationship), nodeOf(end)]),
]

/** A parameter as typed: JSON where it is JSON, else text. Whole numbers are integers for the graph. */
export function parameterOf(text: string): unknown {
  try {
    return inGraph(JSON.parse(text, keepLong))
  } catch {
    return text
  }
}

/** The graph has whole numbers of 64 bits. */
const keepLong = (_name: string, value: unknown, context?: { source?: string }) =>
  /^-?\d{16,}$/.test(context?.source ?? '') ? neo4j.int(context?.source ?? '') : value

function inGraph(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? neo4j.int(value) : value
  if (Array.isArray(value)) return value.map(inGraph)
  if (typeof value !== 'object' || value === null || neo4j.isInt(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inGraph(each)]))
}
