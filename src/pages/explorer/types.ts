/** What the page shows of a memory: the fields of GraphQL's `Memory`. */
export type Memory = {
  id: string
  content: string
  policy: string
  tags: string[]
  importance: number
  state: 'ACTIVE' | 'ARCHIVED'
  health: number
  recallCount: number
  lastRecalledAt: string | null
  expiresAt: string | null
  createdAt: string
  updatedAt: string
  version: number
}

export const relationshipTypes = [
  'RELATED_TO',
  'CAUSED_BY',
  'PART_OF',
  'REFERENCES',
  'CONTRADICTS',
  'SUPPORTS',
  'SIMILAR_TO',
  'DERIVED_FROM',
] as const

export type RelationshipType = (typeof relationshipTypes)[number]

export const origins = ['ASSERTED', 'DISCOVERED'] as const

export type Origin = (typeof origins)[number]

export type GraphConnection = {
  sourceId: string
  targetId: string
  relationshipType: RelationshipType
  strength: number | null
  origin: Origin
  createdAt: string
}

/** A change of a memory or of one of its connections, from the feed. */
export type HistoryEntry = {
  cursor: string
  kind: string
  at: string
  memoryId: string | null
  version: number | null
  connection: Pick<GraphConnection, 'sourceId' | 'targetId' | 'relationshipType' | 'origin'> | null
}

type Ranked = { rank: number; score: number }

/** A hit of a search, and why it is one. */
export type Hit = {
  memory: Memory
  score: number
  relevance: number
  sources: { semantic: Ranked | null; keyword: Ranked | null }
  explain: {
    semantic: { cosine: number; part: number } | null
    keyword: { relevance: number; part: number } | null
    session: { rank: number } | null
    formula: string
  } | null
}

export type SearchType = 'HYBRID' | 'SEMANTIC' | 'KEYWORD'

/** A way between two memories. */
export type Path = { score: number; length: number; memories: Memory[]; connections: GraphConnection[] }

/** Which connections are drawn. */
export type Filter = {
  types: ReadonlySet<RelationshipType>
  origins: ReadonlySet<Origin>
  minStrength: number
}

export const everything: Filter = {
  types: new Set(relationshipTypes),
  origins: new Set(origins),
  minStrength: 0,
}

/** An absent strength counts as 1, as it does in the walks of the service. */
export const weightOf = ({ strength }: Pick<GraphConnection, 'strength'>) => strength ?? 1

export const passes = ({ types, origins: from, minStrength }: Filter, connection: GraphConnection) =>
  types.has(connection.relationshipType) && from.has(connection.origin) && weightOf(connection) >= minStrength

/** Whether a filter may let something pass that another one does not, by what the service is asked for. */
export const isWider = (filter: Filter, than: Filter) =>
  filter.minStrength < than.minStrength || [...filter.types].some(type => !than.types.has(type))
