import type { Memory } from '../../contract/memory.ts'
import { fromMillis } from '../neo4j/projections.ts'
import { END_OF_TIME } from '../neo4j/statements.ts'
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

/** The property of each ordering, how a cursor carries it, and a bound that lies beyond every value. */
export const sortKey = {
  created_at: {
    property: 'createdAt',
    value: 'm.createdAt.epochMillis',
    bound: fromMillis,
  },
  updated_at: {
    property: 'updatedAt',
    value: 'm.updatedAt.epochMillis',
    bound: fromMillis,
  },
  importance: { property: 'importance', value: 'm.importance', bound: (name: string) => name },
  health: { property: 'health', value: 'm.health', bound: (name: string) => name },
  last_recalled_at: { property: 'recallOrder', value: 'm.recallOrder', bound: (name: string) => name },
} as const satisfies Record<Ordering, unknown>

/** A part of the order that one index seek can read: one state, and ascending recalls without or with their nulls. */
type Part = { state: State; missing: boolean }

export function seeksOf({ states, orderBy, order, after }: ListQuery): Part[] {
  const split = nullsAreSplit({ orderBy, order })
  const beyondKnown = split && after?.key === 0
  return states.flatMap(state => [
    ...(beyondKnown ? [] : [{ state, missing: false }]),
    ...(split ? [{ state, missing: true }] : []),
  ])
}

/** Reads the index in order: every property of it has a predicate, and ORDER BY names them all. */
export function seek(query: ListQuery, part: Part): string {
  const { property } = sortKey[query.orderBy]
  const direction = query.order === 'desc' ? ' DESC' : ''
  return `MATCH (m:Memory) WHERE ${within(query, part)}
    WITH m ORDER BY m.tenant${direction}, m.state${direction}, m.${property}${direction}, m.id${direction}`
}

export function within(query: ListQuery, { state, missing }: Part): string {
  const { property, bound } = sortKey[query.orderBy]
  const descending = query.order === 'desc'
  const sortsBehind = !missing || query.after?.key === 0
  return [
    `m.tenant = $tenant AND m.state = '${state}'`,
    missing ? `m.${property} = 0` : `m.${property} >= ${bound('$from')} AND m.${property} <= ${bound('$to')}`,
    ...(query.after && sortsBehind
      ? [
          missing
            ? 'm.id > $id'
            : `NOT (m.${property} = ${bound('$key')} AND m.id ${descending ? '>=' : '<='} $id)`,
        ]
      : []),
    'm.id IS NOT NULL',
  ].join(' AND ')
}

/** Never recalled is stored as 0, which sorts last on its own in a descending order only. */
const nullsAreSplit = ({ orderBy, order }: Pick<ListQuery, 'orderBy' | 'order'>) =>
  orderBy === 'last_recalled_at' && order === 'asc'

/** The tightest range of the sort key that the position and a filter on the same field allow. */
export function startOfSeek(query: ListQuery): { from: number; to: number } {
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
export const byPosition = (query: Pick<ListQuery, 'orderBy' | 'order'>) => {
  const rank = ({ key }: Position) => (nullsAreSplit(query) && key === 0 ? Number.POSITIVE_INFINITY : key)
  const sign = query.order === 'asc' ? 1 : -1
  return (a: Position, b: Position) =>
    rank(a) === rank(b)
      ? sign * (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
      : sign * (rank(a) < rank(b) ? -1 : 1)
}
