import type { Memory } from '../../contract/memory.ts'
import { END_OF_TIME, time } from '../neo4j/statements.ts'
import type { MemoryFilter } from './filter.ts'

type Ordering = 'created_at' | 'updated_at' | 'importance' | 'health' | 'last_recalled_at'

type State = Memory['state']

/** Where a page begins: behind this memory, in the part of the order where its key is null or is not. */
export type Position = { key: number; id: string }

export type ListQuery = {
  states: readonly State[]
  orderBy: Ordering
  order: 'asc' | 'desc'
  after: Position | undefined
  filter: MemoryFilter
}

/** The property of each ordering, and how a cursor carries it. */
export const sortKey = {
  created_at: { property: 'createdAt', value: 'm.createdAt.epochMillis' },
  updated_at: { property: 'updatedAt', value: 'm.updatedAt.epochMillis' },
  importance: { property: 'importance', value: 'm.importance' },
  health: { property: 'health', value: 'm.health' },
  last_recalled_at: { property: 'recallOrder', value: 'm.recallOrder' },
} as const satisfies Record<Ordering, unknown>

/** Behind these ids, ascending or descending, there is none. */
const NOWHERE = { asc: '', desc: '\uffff' }

/** The parts of the order that one index seek can read: of one state, and ascending recalls without or with their nulls. */
export function seeksOf(query: ListQuery) {
  const { states, orderBy, order, after } = query
  const split = nullsAreSplit(query)
  const keyOf = (value: number) =>
    orderBy.endsWith('_at') && orderBy !== 'last_recalled_at' ? time(value) : value
  const partOf = (missing: boolean, { from, to }: { from: number; to: number }, place?: Position) => ({
    missing,
    from: keyOf(from),
    to: keyOf(to),
    key: keyOf(place?.key ?? from),
    id: place?.id ?? NOWHERE[order],
  })
  const parts = [
    ...(split && after?.key === 0 ? [] : [partOf(false, startOfSeek(query), after)]),
    ...(split ? [partOf(true, { from: 0, to: 0 }, after?.key === 0 ? after : undefined)] : []),
  ]
  return states.flatMap(state => parts.map(part => ({ state, ...part })))
}

/** Reads a `part` of the index in order: every property of it has a predicate, and ORDER BY names them all. */
export function seek(query: Ordered): string {
  const { property } = sortKey[query.orderBy]
  const direction = query.order === 'desc' ? ' DESC' : ''
  return `MATCH (m:Memory) USING INDEX SEEK m:Memory(tenant, state, ${property}, id) WHERE ${within(query)}
      WITH m ORDER BY m.tenant${direction}, m.state${direction}, m.${property}${direction}, m.id${direction}`
}

/** Whether a memory lies in a `part`, by the value that sorts it. */
export const within = (
  { orderBy, order }: Ordered,
  key = `m.${sortKey[orderBy].property}`,
) => `m.tenant = $tenant AND m.state = part.state AND ${key} >= part.from AND ${key} <= part.to
        AND NOT (${key} = part.key AND m.id ${order === 'desc' ? '>=' : '<='} part.id) AND m.id IS NOT NULL`

type Ordered = Pick<ListQuery, 'orderBy' | 'order'>

/** Never recalled is stored as 0, which sorts last on its own in a descending order only. */
const nullsAreSplit = ({ orderBy, order }: Ordered) => orderBy === 'last_recalled_at' && order === 'asc'

/** The tightest range of the sort key that the position and a filter on the same field allow. */
function startOfSeek(query: ListQuery): { from: number; to: number } {
  const { orderBy, order, after, filter } = query
  const lowest = nullsAreSplit(query) ? 1 : 0
  const bounds = {
    created_at: filter.createdAt,
    updated_at: filter.updatedAt,
    importance: filter.importance,
    health: undefined,
    last_recalled_at: undefined,
  }[orderBy]
  const range = { from: bounds?.from ?? lowest, to: bounds?.to ?? END_OF_TIME }
  if (!after) return range
  return order === 'desc'
    ? { ...range, to: Math.min(range.to, after.key) }
    : { ...range, from: Math.max(range.from, after.key) }
}

/** The position of a memory in an order. */
export function positionOf({ orderBy }: Pick<ListQuery, 'orderBy'>, memory: Memory): Position {
  const value = memory[orderBy]
  return { key: typeof value === 'number' ? value : value === null ? 0 : Date.parse(value), id: memory.id }
}

/** The order of a page, as the graph sorts it. */
export const byPosition = (query: Ordered) => {
  const rank = ({ key }: Position) => (nullsAreSplit(query) && key === 0 ? Number.POSITIVE_INFINITY : key)
  const sign = query.order === 'asc' ? 1 : -1
  return (a: Position, b: Position) =>
    rank(a) === rank(b)
      ? sign * (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
      : sign * (rank(a) < rank(b) ? -1 : 1)
}
