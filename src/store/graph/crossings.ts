import type { Context } from '../../context.ts'
import type { RelationshipType } from '../../contract/connections.ts'
import type { GraphEdge } from '../../contract/graph.ts'
import { filterParameters, type MemoryFilter, passes, passesValidity } from '../memories/filter.ts'
import { otherEnd, typeNames, typesInGraph } from '../neo4j/projections.ts'
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
export const isHub = (m: string) => `${degree(m, 'out')} + ${degree(m, 'in')} > $bound`

const degree = (m: string, way: 'out' | 'in') =>
  `CASE WHEN '${way}' IN $ways THEN COUNT { (${m})${pointing('', way)}() } ELSE 0 END`

export const parametersOf = (
  { tenant }: Context,
  { types, direction, minStrength, includeArchived, memories, ends = [] }: EdgeFilter,
) => ({
  tenant,
  types: typeNames(types),
  ways: direction === 'both' ? ['out', 'in'] : [direction],
  minStrength: minStrength ?? ANY_STRENGTH,
  includeArchived,
  ends,
  ...filterParameters(memories),
})

/** Less than every strength. */
const ANY_STRENGTH = -1

export const shown = (m: string) =>
  `CASE WHEN $includeArchived AND ${m}.state = 'archived' THEN true ELSE ${liveAt(m)} END
      AND CASE WHEN ${m}.id IN $ends THEN true ELSE ${passes(m)} END`

/** Whether a walk crosses a connection `r`. */
const crossed = `type(r) IN $types AND ($minStrength < 0 OR coalesce(r.strength, 1.0) >= $minStrength) AND ${passesValidity('r')}`

export const arrow = ({ direction }: EdgeFilter) =>
  pointing(`[r:${typesInGraph()} WHERE ${crossed}]`, direction)

const crossing = (way: 'out' | 'in') => `WITH a WHERE '${way}' IN $ways
      MATCH (a)${pointing(`[r:${typesInGraph()}]`, way)}${otherEnd('b')} RETURN r, b`

/** Finds the connections `r` of a memory `a` with the memories `b` at their other ends, in a statement with `parametersOf`. */
export const crossings = `CALL (a) { ${crossing('out')} UNION ALL ${crossing('in')} }
    WITH a, r, b WHERE b.tenant = $tenant AND ${crossed} AND ${shown('b')}`
