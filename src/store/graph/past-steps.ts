import type { Context } from '../../context.ts'
import { earlierAt, recordedAt } from '../connections/earlier.ts'
import { memoryAsOf, wasShown } from '../memories/as-of.ts'
import { passesValidity } from '../memories/filter.ts'
import {
  type EdgeColumns,
  earlierColumns,
  edgeColumns,
  edgeOf,
  otherEnd,
  typesInGraph,
} from '../neo4j/projections.ts'
import { int, read } from '../neo4j/statements.ts'
import { type EdgeFilter, parametersOf, pointing, type Step, type Steps } from './crossings.ts'

type PastStep = { from: string; to: string; edge: EdgeColumns; kept: boolean }

/** All edges that left the given memories at the time of the filter, from memories that were there then. */
export async function stepsAsOf(
  ctx: Context,
  ids: readonly string[],
  filter: EdgeFilter,
  bound: number,
): Promise<Steps> {
  const rows = await read<PastStep>(
    ctx,
    `UNWIND $ids AS id
    MATCH (a:Memory {tenant: $tenant, id: id}) USING INDEX SEEK a:Memory(tenant, id)
    CALL (a) { ${stoodThen('out')} UNION ALL ${stoodThen('in')} }
    WITH a, b, edge WHERE b.createdAt <= $asOf AND coalesce(edge[3], 1.0) >= $minStrength
    ${memoryAsOf('b')}
    WITH a, b, edge, kept WHERE NOT kept OR ${wasShown}
    RETURN a.id AS from, b.id AS to, edge, kept LIMIT $bound`,
    {
      ids,
      ...parametersOf(ctx, filter),
      states: filter.includeArchived ? ['active', 'archived'] : ['active'],
      bound: int(bound),
    },
  )
  const steps = rows.flatMap(({ from, to, edge, kept }) =>
    kept ? [{ from, to, weight: edge[3] ?? 1, edge: edgeOf(edge) }] : [],
  )
  // An import may give a connection the age of one that was removed here.
  const unique = new Map(steps.map(step => [edgeName(step), step]))
  return { steps: [...unique.values()], lost: rows.some(({ kept }) => !kept), cut: rows.length >= bound }
}

const edgeName = ({ from, to, edge }: Step) => `${from} ${to} ${edge.relationship_type} ${edge.source_id}`

/** The connections of a memory `a` one way that stood at `$asOf`: those of today that were so then, and earlier ones. */
function stoodThen(way: 'out' | 'in'): string {
  const [here, there] =
    way === 'out' ? (['sourceId', 'targetId'] as const) : (['targetId', 'sourceId'] as const)
  return `WITH a WHERE '${way}' IN $ways
    MATCH (a)${pointing(`[r:${typesInGraph()}]`, way)}${otherEnd('b')}
    WHERE b.tenant = $tenant AND type(r) IN $types AND ${recordedAt('r')} <= $asOf AND ${passesValidity('r')}
    RETURN b, ${edgeColumns('r')} AS edge
    UNION ALL
    WITH a WHERE '${way}' IN $ways
    ${earlierAt(here, '$tenant', 'a.id')} AND c.until > $asOf AND c.at <= $asOf AND c.type IN $types
      AND ${passesValidity('c')}
    MATCH (b:Memory {tenant: $tenant, id: c.${there}}) USING INDEX SEEK b:Memory(tenant, id)
    RETURN b, ${earlierColumns('c')} AS edge`
}

/** How many connections of the past are read to find the strongest. */
const PAST_BOUND = 20_000

export async function strongestAsOf(ctx: Context, ids: readonly string[], filter: EdgeFilter, count: number) {
  const { steps } = await stepsAsOf(ctx, ids, filter, PAST_BOUND)
  const ordered = steps.toSorted((a, b) => b.weight - a.weight || (edgeName(a) < edgeName(b) ? -1 : 1))
  return new Map(
    [...Map.groupBy(ordered, ({ from }) => from)].map(([from, all]) => [from, all.slice(0, count)]),
  )
}
