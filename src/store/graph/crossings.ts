import type { Context } from '../../context.ts'
import type { RelationshipType } from '../../contract/connections.ts'
import type { GraphEdge } from '../../contract/graph.ts'
import { filterParameters, type MemoryFilter, passes, passesValidity } from '../memories/filter.ts'
import { otherEnd, typesInGraph } from '../neo4j/projections.ts'
import { liveAt } from '../neo4j/tokens.ts'

export type EdgeFilter = {
  types: readonly RelationshipType[] | undefined
  direction: 'out' | 'in' | 'both'
  minStrength: number | undefined
  includeArchived: boolean
  /** Which memories a walk enters; a connection must hold when they must. */
  memories: MemoryFilter
  /** The ends of a path, which the caller names: they need not pass the filter, but must be active. */
  ends?: readonly string[]
}

/** An edge as a walk crosses it: from `from` to `to`, whichever way it points. `weight` is its strength, 1 when absent. */
export type Step = { from: string; to: string; weight: number; edge: GraphEdge }

/**
 * `lost` when a memory at the other end is left out whose version of the time that is asked for is not kept; `cut` when
 * there may be more.
 */
export type Steps = { steps: Step[]; lost: boolean; cut: boolean }

/** A connection in a pattern, as it points for the memory before it; `edge` is its part in brackets, or nothing. */
export const pointing = (edge: string, direction: EdgeFilter['direction']) =>
  ({ out: `-${edge}->`, in: `<-${edge}-`, both: `-${edge}-` })[direction]

/** Whether a memory has more connections than `$bound`, of any type: Neo4j knows that without reading them. */
export const isHubIn =
  ({ direction }: EdgeFilter) =>
  (m: string) =>
    `COUNT { (${m})${pointing('', direction)}() } > $bound`

export const directions = ({ direction }: EdgeFilter) =>
  direction === 'both' ? (['out', 'in'] as const) : [direction]

export const crossings = (filter: EdgeFilter) =>
  directions(filter)
    .map(way => crossing(way, filter))
    .join(' UNION ALL ')

export const parametersOf = (
  { tenant }: Context,
  { minStrength, includeArchived, memories, ends = [] }: EdgeFilter,
) => ({
  tenant,
  minStrength: minStrength ?? ANY_STRENGTH,
  includeArchived,
  ends,
  ...filterParameters(memories),
})

/** Less than every strength. */
const ANY_STRENGTH = -1

export const shown = (m: string) =>
  `(${liveAt(m)} OR ($includeArchived AND ${m}.state = 'archived')) AND (${m}.id IN $ends OR (${passes(m)}))`

/** Whether a walk crosses a connection `r`. */
const crossed = `($minStrength < 0 OR coalesce(r.strength, 1.0) >= $minStrength) AND ${passesValidity('r')}`

export const arrow = ({ types, direction }: EdgeFilter) =>
  pointing(`[r:${typesInGraph(types)} WHERE ${crossed}]`, direction)

const crossing = (way: 'out' | 'in', { types }: EdgeFilter) =>
  `MATCH (a)${pointing(`[r:${typesInGraph(types)}]`, way)}${otherEnd('b')}
    WHERE b.tenant = $tenant AND ${shown('b')} AND ${crossed}
    RETURN r, b`
