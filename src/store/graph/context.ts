import type { Context } from '../../context.ts'
import { type RelationshipType, relationshipTypes } from '../../contract/connections.ts'
import type { Memory } from '../../contract/memory.ts'
import { filterParameters, isFound, type MemoryFilter, passesValidity } from '../memories/filter.ts'
import { getMemories } from '../memories/get.ts'
import {
  type MemoryColumns,
  memoryColumns,
  memoryOf,
  otherEnd,
  spaceParameter,
  typeNames,
  typesInGraph,
} from '../neo4j/projections.ts'
import { int, read } from '../neo4j/statements.ts'

/** A memory that is connected with `from`; `outward` when the connection leaves `from`. */
export type ConnectedMemory = { from: string; memory: Memory; type: RelationshipType; outward: boolean }

/** A memory that is connected with `to` as well. */
export type BridgingMemory = ConnectedMemory & { to: string }

export const contradiction: RelationshipType[] = ['contradicts']
export const agreement = relationshipTypes.filter(type => type !== 'contradicts')

/** For each memory the `count` living ones that pass a filter and that connections of these types tie to it most strongly, either way round. */
export async function strongestConnected(
  ctx: Context,
  ids: readonly string[],
  types: readonly RelationshipType[],
  { count, filter }: { count: number; filter: MemoryFilter },
): Promise<ConnectedMemory[]> {
  const rows = await read<Omit<ConnectedMemory, 'memory'> & { memory: MemoryColumns }>(
    ctx,
    `${strongest}
    WITH a, b, r, at ORDER BY at, coalesce(r.strength, 1.0) DESC, b.id
    RETURN a.id AS from, ${memoryColumns('b')} AS memory, toLower(type(r)) AS type, startNode(r) = a AS outward`,
    { ...parametersOf(ctx, types, filter), ids, count: int(count), space: spaceParameter(ctx) },
  )
  return rows.map(row => ({ ...row, memory: memoryOf(ctx, row.memory) }))
}

/** The beginning of a statement that finds for each memory `a`, the one `at` this place of the ids, its neighbours `b`, each by its strongest connection `r`. */
const strongest = `UNWIND range(0, size($ids) - 1) AS at
    MATCH (a:Memory {tenant: $tenant, id: $ids[at]}) USING INDEX SEEK a:Memory(tenant, id)
    CALL (a) {
      MATCH (a)-[r:${typesInGraph()}]-${otherEnd('b')}
      WHERE b.tenant = $tenant AND type(r) IN $types AND ${isFound('b')} AND ${passesValidity('r')}
      WITH b, r ORDER BY coalesce(r.strength, 1.0) DESC, type(r), startNode(r).id, b.id
      WITH b, collect(r)[0] AS r
      RETURN b, r ORDER BY coalesce(r.strength, 1.0) DESC, b.id LIMIT $count
    }`

const parametersOf = ({ tenant }: Context, types: readonly RelationshipType[], filter: MemoryFilter) => ({
  tenant,
  types: typeNames(types),
  ...filterParameters(filter),
})

/** How a memory is tied to the one `at` this place of the given ones. */
type Tie = { at: number; id: string; strength: number; type: RelationshipType; outward: boolean }

type TiesRow = {
  at: number
  ties: [id: string, strength: number, type: RelationshipType, outward: boolean][]
  joined: string[]
}

/**
 * The memories that join two of the given ones which no connection joins, by the strongest paths first: of the `count`
 * neighbours to which each of them is tied most strongly, at most `most`, each with the pairs that it joins.
 */
export async function strongestBridges(
  ctx: Context,
  ids: readonly string[],
  types: readonly RelationshipType[],
  { count, most, filter }: { count: number; most: number; filter: MemoryFilter },
): Promise<BridgingMemory[]> {
  const rows = await read<TiesRow>(
    ctx,
    `${strongest}
    WITH at, a, collect([b.id, coalesce(r.strength, 1.0), toLower(type(r)), startNode(r) = a]) AS ties
    RETURN at, ties, COLLECT { MATCH (a)-[:${typesInGraph()}]-(c) WHERE c.id IN $ids RETURN DISTINCT c.id } AS joined
    ORDER BY at`,
    { ...parametersOf(ctx, types, filter), ids, count: int(count) },
  )
  const bridges = bridgesOf(ids, rows).slice(0, most)
  const memories = await getMemories(ctx, [...new Set(bridges.map(([{ id }]) => id))])
  return bridges.flatMap(([first, last]) => {
    const memory = memories.get(first.id)
    const [from, to] = [ids[first.at], ids[last.at]] as [string, string]
    return memory ? [{ from, to, memory, type: first.type, outward: first.outward }] : []
  })
}

/** The two ties of each bridge, the strongest bridge first; the rows come in the order of the ids. */
function bridgesOf(ids: readonly string[], rows: readonly TiesRow[]): [Tie, Tie][] {
  const given = new Set(ids)
  const joined = new Map(rows.map(row => [row.at, new Set(row.joined)]))
  const ties = rows.flatMap(({ at, ties }) =>
    ties.map(([id, strength, type, outward]): Tie => ({ at, id, strength, type, outward })),
  )
  const ends = Map.groupBy(
    ties.filter(({ id }) => !given.has(id)),
    ({ id }) => id,
  )
  const isApart = ([{ at }, last]: [Tie, Tie]) => !joined.get(at)?.has(ids[last.at] as string)
  return [...ends.values()].flatMap(each => pairsOf(each).filter(isApart)).sort(byStrength)
}

const pairsOf = <Item>(items: readonly Item[]) =>
  items.flatMap((one, at) => items.slice(at + 1).map((other): [Item, Item] => [one, other]))

const byStrength = ([a, b]: [Tie, Tie], [c, d]: [Tie, Tie]) =>
  c.strength * d.strength - a.strength * b.strength || a.at - c.at || b.at - d.at || (a.id < c.id ? -1 : 1)
