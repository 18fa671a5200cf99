import type { GraphQLCompositeType, GraphQLField } from 'graphql'
import { EDGES_A_MEMORY } from '../../service/graph/subgraph.ts'

type Field = GraphQLField<unknown, unknown>
type Args = Readonly<Record<string, unknown>>

/** The estimated length of a list without a limit. */
export const DEFAULT_LENGTH = 20

/** Fields of the library. The contract sets the bounds of operations. */
export const isPaged = ({ args }: Field) => args.some(({ name }) => name === 'where')

/** The maximum length of a field by its arguments; undefined if they do not limit it. */
export function lengthOf(field: Field, args: Args): number | undefined {
  const limit = limitOf(field, args)
  if (isPaged(field)) return Math.min(limit ?? DEFAULT_LENGTH, namedIn(args.where))
  if (limit !== undefined) return limit
  const lists = Object.values(args).flatMap(value => (Array.isArray(value) ? [value.length] : []))
  return lists.length > 0 ? Math.max(...lists) : undefined
}

/** The maximum length of a list of which only the limit of its parent field is known. */
export function lengthBelow(type: GraphQLCompositeType, field: Field, limit: number): number {
  const longer = `${type.name}.${field.name}`
  return longer === 'Subgraph.edges' ? limit * EDGES_A_MEMORY : (longest[longer] ?? limit)
}

/** The maxima of the service for lists that no argument limits. */
const longest: Readonly<Record<string, number>> = {
  'ComposeContextPayload.sources': 400,
  'PlanMaintenancePayload.changes': 1000,
  'GetMaintenanceRunPayload.changes': 1000,
}

/** Null means the default. */
function limitOf({ args: known }: Field, { limit, first }: Args): number | undefined {
  const length = limit ?? first ?? known.find(({ name }) => name === 'limit')?.defaultValue
  return typeof length === 'number' ? length : undefined
}

/** A filter by ids matches at most as many memories as it names. */
function namedIn(where: unknown): number {
  const { id } = Object(where) as { id?: { eq?: unknown; in?: unknown } }
  if (id?.eq !== undefined) return 1
  return Array.isArray(id?.in) ? id.in.length : Number.POSITIVE_INFINITY
}
