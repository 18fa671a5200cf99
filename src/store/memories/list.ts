import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memories.ts'
import { type MemoryColumns, memoryColumns, memoryOf, spaceParameter } from '../neo4j/projections.ts'
import { int, read, time } from '../neo4j/statements.ts'
import { filterClause, hasTags, type IndexedFilter, liveOrArchived } from '../neo4j/tokens.ts'

type Ordering = 'created_at' | 'updated_at' | 'importance' | 'health' | 'last_recalled_at'
type State = Memory['state']

/** Where a page begins: behind this memory, in the part of the order where its key is null or is not. */
export type Position = { key: number; id: string }

export type ListQuery = IndexedFilter & {
  orderBy: Ordering
  order: 'asc' | 'desc'
  after: Position | undefined
  importance: Range
  createdAt: Range
  updatedAt: Range
}

/** From inclusive; `to` exclusive for times (milliseconds) and inclusive for importance. */
export type Range = { from: number | undefined; to: number | undefined }

/** How many memories a filtered page may look at; beyond it the page ends early and says so. */
export const WORK_BOUND = 10_000
/** Tags or a policy that keep at most this many are answered from the full-text index, without a bound. */
export const SMALL_SET = 2_000

/**
 * The first `count` memories behind the position that pass the filters, among the first WORK_BOUND looked at. Without
 * filters there is no bound, as only expired memories are passed over.
 */
export async function scanMemories(ctx: Context, query: ListQuery, count: number): Promise<Memory[]> {
  const rows = await read<{ found: MemoryColumns[] }>(
    ctx,
    isFiltered(query) || !isOneSeek(query) ? scan(query) : plainScan(query),
    {
      ...parameters(ctx, query),
      count: int(count),
      bound: int(isFiltered(query) ? WORK_BOUND : Number.MAX_SAFE_INTEGER),
    },
  )
  return listed(ctx, rows)
}

function scan(query: ListQuery): string {
  const branches = parts(query).map(
    part => `${seek(query, part)} LIMIT $bound
      WITH m WHERE ${passes}
      RETURN m, ${part.missing} AS missing LIMIT $count`,
  )
  return `CYPHER 25
    CALL () { ${branches.join('\n UNION ALL ')} }
    ${page(query)}`
}

/** The usual page: as the index gives it, with nothing to test but the time limit and nothing to sort. */
const plainScan = (query: ListQuery) => `CYPHER 25
    ${parts(query)
      .map(part => seek(query, part))
      .join('')}
    WHERE ${liveOrArchived('m')}
    WITH m LIMIT $count
    ${answer}`

const listed = (ctx: Context, rows: readonly { found: MemoryColumns[] }[]): Memory[] =>
  (rows[0]?.found ?? []).map(columns => memoryOf(ctx, columns))

/**
 * Like `scanMemories`, with the last memory that was looked at when the bound stopped it: there the next page begins.
 * One statement tells both, so that nothing can move between them.
 */
export async function scanToBound(
  ctx: Context,
  query: ListQuery,
  count: number,
): Promise<{ found: Memory[]; end: Position | undefined }> {
  const { value } = sortKey[query.orderBy]
  const branches = parts(query).map(
    part => `${seek(query, part)} LIMIT $bound
      WITH collect(m) AS looked
      RETURN [m IN looked WHERE ${passes}][..$count] AS passing, ${part.missing} AS missing,
        CASE WHEN size(looked) < $bound THEN [] ELSE [m IN looked[-1..] | {key: ${value}, id: m.id}] END AS ends`,
  )
  const rows = await read<{ found: MemoryColumns[]; ends: Position[] }>(
    ctx,
    `CYPHER 25
    CALL () { ${branches.join('\n UNION ALL ')} }
    WITH collect({passing: passing, missing: missing}) AS parts, reduce(all = [], each IN collect(ends) | all + each) AS ends
    CALL (parts) {
      UNWIND parts AS part
      UNWIND part.passing AS m
      WITH m, part.missing AS missing
      ${page(query)}
    }
    RETURN found, ends`,
    { ...parameters(ctx, query), count: int(count), bound: int(WORK_BOUND) },
  )
  return { found: listed(ctx, rows), end: rows[0]?.ends.sort(byPosition(query))[0] }
}

/** The ids of all memories with these tags and this policy, when they are few; undefined when they are many. */
export async function smallSet(ctx: Context, query: IndexedFilter): Promise<string[] | undefined> {
  if (!hasTags(query) && query.policy === undefined) return undefined
  const rows = await read<{ id: string }>(
    ctx,
    `CYPHER 25
    CALL db.index.fulltext.queryNodes('memory_text', $lucene, {limit: $limit}) YIELD node AS m
    WHERE m.tenant = $tenant
    RETURN m.id AS id`,
    { tenant: ctx.tenant, lucene: filterClause(ctx.tenant, query), limit: int(SMALL_SET + 1) },
  )
  return rows.length > SMALL_SET ? undefined : rows.map(({ id }) => id)
}

/** The first `count` of a given set of memories behind the position that pass the filters. */
export async function sortMemories(
  ctx: Context,
  query: ListQuery,
  ids: readonly string[],
  count: number,
): Promise<Memory[]> {
  const branches = parts(query).map(
    part => `UNWIND $ids AS id
      MATCH (m:Memory {id: id}) USING INDEX SEEK m:Memory(id) WHERE ${within(query, part)} AND ${passes}
      RETURN m, ${part.missing} AS missing`,
  )
  const rows = await read<{ found: MemoryColumns[] }>(
    ctx,
    `CYPHER 25
    CALL () { ${branches.join('\n UNION ALL ')} }
    ${page(query)}`,
    { ...parameters(ctx, query), ids, count: int(count) },
  )
  return listed(ctx, rows)
}

/** The property of each ordering, how a cursor carries it, and a bound that lies beyond every value. */
const sortKey = {
  created_at: {
    property: 'createdAt',
    value: 'm.createdAt.epochMillis',
    bound: (name: string) => `datetime({epochMillis: ${name}, timezone: 'Z'})`,
  },
  updated_at: {
    property: 'updatedAt',
    value: 'm.updatedAt.epochMillis',
    bound: (name: string) => `datetime({epochMillis: ${name}, timezone: 'Z'})`,
  },
  importance: { property: 'importance', value: 'm.importance', bound: (name: string) => name },
  health: { property: 'health', value: 'm.health', bound: (name: string) => name },
  last_recalled_at: { property: 'recallOrder', value: 'm.recallOrder', bound: (name: string) => name },
} as const satisfies Record<Ordering, unknown>

export const isFiltered = ({ policy, tags, importance, createdAt, updatedAt }: ListQuery) =>
  [policy, tags, ...[importance, createdAt, updatedAt].flatMap(({ from, to }) => [from, to])].some(
    value => value !== undefined,
  )

/** Whether one index seek reads the whole order: then a page that is full lacks nothing. */
export const isOneSeek = (query: ListQuery) => parts(query).length === 1

/** A part of the order that one index seek can read: one state, and ascending recalls without or with their nulls. */
type Part = { state: State; missing: boolean }

function parts({ states, orderBy, order, after }: ListQuery): Part[] {
  const split = nullsAreSplit({ orderBy, order })
  const beyondKnown = split && after?.key === 0
  return states.flatMap(state => [
    ...(beyondKnown ? [] : [{ state, missing: false }]),
    ...(split ? [{ state, missing: true }] : []),
  ])
}

/** Reads the index in order: every property of it has a predicate, and ORDER BY names them all. */
function seek(query: ListQuery, part: Part): string {
  const { property } = sortKey[query.orderBy]
  const direction = query.order === 'desc' ? ' DESC' : ''
  return `MATCH (m:Memory) WHERE ${within(query, part)}
    WITH m ORDER BY m.tenant${direction}, m.state${direction}, m.${property}${direction}, m.id${direction}`
}

function within(query: ListQuery, { state, missing }: Part): string {
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

/** All filters in one text, whichever are asked for: every other text would have to be planned anew. */
const passes = `${liveOrArchived('m')}
  AND ($policy IS NULL OR m.policy = $policy)
  AND ($tags IS NULL OR CASE $tagsMatch WHEN 'any' THEN any(tag IN $tags WHERE tag IN m.tags)
    ELSE all(tag IN $tags WHERE tag IN m.tags) END)
  AND ($minImportance IS NULL OR m.importance >= $minImportance)
  AND ($maxImportance IS NULL OR m.importance <= $maxImportance)
  AND ($createdFrom IS NULL OR m.createdAt >= $createdFrom) AND ($createdTo IS NULL OR m.createdAt < $createdTo)
  AND ($updatedFrom IS NULL OR m.updatedAt >= $updatedFrom) AND ($updatedTo IS NULL OR m.updatedAt < $updatedTo)`

const page = (query: ListQuery) => `${sorted(query)}
    ${answer}`

/** All in one row: a page costs the driver less than its rows. */
const answer = `RETURN collect(${memoryColumns('m')}) AS found`

/** The first in order. One that is archived while both states are read is read twice, and counts once. */
function sorted({ orderBy, order }: ListQuery): string {
  const { property } = sortKey[orderBy]
  const direction = order === 'desc' ? ' DESC' : ''
  return `WITH DISTINCT m, missing ORDER BY missing, m.${property}${direction}, m.id${direction} LIMIT $count`
}

function parameters(ctx: Context, query: ListQuery) {
  const { from, to } = startOfSeek(query)
  const isTime = query.orderBy.endsWith('_at')
  const key = (value: number) => (isTime ? int(value) : value)
  return {
    tenant: ctx.tenant,
    space: spaceParameter(ctx),
    from: key(from),
    to: key(to),
    key: query.after ? key(query.after.key) : null,
    id: query.after?.id ?? null,
    policy: query.policy ?? null,
    tags: query.tags?.length ? query.tags : null,
    tagsMatch: query.tagsMatch,
    minImportance: query.importance.from ?? null,
    maxImportance: query.importance.to ?? null,
    createdFrom: moment(query.createdAt.from),
    createdTo: moment(query.createdAt.to),
    updatedFrom: moment(query.updatedAt.from),
    updatedTo: moment(query.updatedAt.to),
  }
}

const moment = (value: number | undefined) => (value === undefined ? null : time(value))

/** Never recalled is stored as 0, which sorts last by itself in a descending order only. */
const nullsAreSplit = ({ orderBy, order }: Pick<ListQuery, 'orderBy' | 'order'>) =>
  orderBy === 'last_recalled_at' && order === 'asc'

/** The tightest range of the sort key that the position and a filter on the same field allow. */
function startOfSeek(query: ListQuery): { from: number; to: number } {
  const { orderBy, order, after, importance, createdAt, updatedAt } = query
  const lowest = nullsAreSplit(query) ? 1 : 0
  const filter = {
    created_at: createdAt,
    updated_at: updatedAt,
    importance,
    health: undefined,
    last_recalled_at: undefined,
  }[orderBy]
  const range = { from: filter?.from ?? lowest, to: filter?.to ?? 253_402_300_799_999 }
  if (!after) return range
  return order === 'desc'
    ? { ...range, to: Math.min(range.to, after.key) }
    : { ...range, from: Math.max(range.from, after.key) }
}

/** Where a memory stands in an order. */
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
