import neo4j, { type Node, type Path, type Relationship } from 'neo4j-driver'

/** Which properties of nodes and relationships and which entries of maps are shown, and how a number is; all, and as it is, unless given. */
export type ShownValue = {
  readonly property?: (name: string, of: 'node' | 'relationship') => boolean
  readonly entry?: (name: string) => boolean
  readonly number?: (value: number) => unknown
}

/** A value of the graph as JSON can hold it: whole numbers as such where JavaScript has them, times as text. */
export function readable(value: unknown, shown: ShownValue = {}): unknown {
  if (typeof value === 'number') return shown.number?.(value) ?? value
  if (value === null || typeof value !== 'object') return value
  if (neo4j.isInt(value)) return neo4j.integer.inSafeRange(value) ? value.toNumber() : value.toString()
  if (Array.isArray(value)) return value.map(each => readable(each, shown))
  if (neo4j.isNode(value)) return nodeOf(value, shown)
  if (neo4j.isRelationship(value)) return relationshipOf(value, shown)
  if (neo4j.isPath(value)) return pathOf(value, shown)
  if (neo4j.isVector(value)) return Array.from(value.asTypedArray(), Number)
  if (Object.getPrototypeOf(value) !== Object.prototype) return String(value)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => shown.entry?.(name) ?? true)
      .map(([name, each]) => [name, readable(each, shown)]),
  )
}

const nodeOf = ({ labels, properties }: Node, shown: ShownValue) => ({
  labels,
  properties: propertiesOf(properties, 'node', shown),
})

const relationshipOf = ({ type, properties }: Relationship, shown: ShownValue) => ({
  type,
  properties: propertiesOf(properties, 'relationship', shown),
})

const pathOf = ({ start, segments }: Path, shown: ShownValue) => [
  nodeOf(start, shown),
  ...segments.flatMap(({ relationship, end }) => [relationshipOf(relationship, shown), nodeOf(end, shown)]),
]

const propertiesOf = (properties: object, of: 'node' | 'relationship', shown: ShownValue) =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => shown.property?.(name, of) ?? true)
      .map(([name, value]) => [name, readable(value, shown)]),
  )

/** A value of JSON as the graph has it: whole numbers are integers. */
export function inGraph(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? neo4j.int(value) : value
  if (Array.isArray(value)) return value.map(inGraph)
  if (typeof value !== 'object' || value === null || neo4j.isInt(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inGraph(each)]))
}
