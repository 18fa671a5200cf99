import type { GraphQLCompositeType, GraphQLField } from 'graphql'
import { EDGES_A_MEMORY } from '../../service/graph/subgraph.ts'

type Field = GraphQLField<unknown, unknown>
type Args = Readonly<Record<string, unknown>>

/** How long a list is reckoned that has no limit of its own. */
export const USUAL_LENGTH = 20

/** Fields that the library answers; operations have bounds of their own, which the contract keeps. */
export const isPaged = ({ args }: Field) => args.some(({ name }) => name === 'where')

/** How many a field may answer by what is given to it; undefined where that says nothing. */
export function lengthOf(field: Field, args: Args): number | undefined {
  const limit = limitOf(field, args)
  if (isPaged(field)) return Math.min(limit ?? USUAL_LENGTH, namedIn(args.where))
  if (limit !== undefined) return limit
  const lists = Object.values(args).flatMap(value => (Array.isArray(value) ? [value.length] : []))
  return lists.length > 0 ? Math.max(...lists) : undefined
}

/** How many a list may hold of which only the limit of the field above it is known. */
export function lengthBelow(type: GraphQLCompositeType, field: Field, limit: number): number {
  const longer = `${type.name}.${field.name}`
  return longer === 'Subgraph.edges' ? limit * EDGES_A_MEMORY : (longest[longer] ?? limit)
}

/** The most that the service answers where nobody can say how many. */
const longest: Readonly<Record<string, number>> = {
  'ComposeContextPayload.sources': 400,
  'PlanMaintenancePayload.changes': 1000,
  'GetMaintenanceRunPayload.changes': 1000,
}

/** Null stands for the default. */
function limitOf({ args: known }: Field, { limit, first }: Args): number | undefined {
  const length = limit ?? first ?? known.find(({ name }) => name === 'limit')?.defaultValue
  return typeof length === 'number' ? length : undefined
}

/** A filter by ids lets no more pass than it names. */
function namedIn(where: unknown): number {
  const { id } = Object(where) as { id?: { eq?: unknown; in?: unknown } }
  if (id?.eq !== undefined) return 1
  return Array.isArray(id?.in) ? id.in.length : Number.POSITIVE_INFINITY
}
