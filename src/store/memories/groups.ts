import { relationshipTypes } from '../../contract/connections.ts'
import type { Memory } from '../../contract/memory.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { withinTenants } from '../neo4j/of-tenant.ts'
import { otherEnd, typeInGraph } from '../neo4j/projections.ts'
import { int, read } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'
import { filterParameters, type MemoryFilter, passes } from './filter.ts'

const types = relationshipTypes.map(typeInGraph).join('|')

/** The groups of a memory `m` of a tenant, as a list. */
const groupsOf = (tenant: string) => ({
  policy: '[m.policy]',
  state: '[m.state]',
  tag: 'm.tags',
  source: '[m.source]',
  session: '[m.sessionId]',
  kind: '[m.kind]',
  relationship_type: `COLLECT { MATCH (m)-[r:${types}]-${otherEnd('o')} WHERE o.tenant = ${tenant} AND ${live('o')} RETURN DISTINCT toLower(type(r)) }`,
  day: '[toString(date(m.createdAt))]',
  week: "[toString(date.truncate('week', m.createdAt))]",
  month: '[left(toString(date(m.createdAt)), 7)]',
})

export type Grouping = keyof ReturnType<typeof groupsOf>

const PERIODS: readonly Grouping[] = ['day', 'week', 'month']

export type Group = { value: string | null; count: number; mean_importance: number; mean_health: number }

type Wanted = { states: readonly Memory['state'][]; filter: MemoryFilter; limit: number }

/** Figures of the memories of the tenants that pass a filter, by what they have in common. Reads each of them once. */
export function groupMemories(
  caller: Caller,
  tenants: readonly string[],
  by: Grouping,
  { states, filter, limit }: Wanted,
): Promise<Group[]> {
  const { each, tenant, parameters } = withinTenants(tenants)
  return read<Group>(
    caller,
    `${each}
    MATCH (m:Memory) WHERE m.tenant = ${tenant}
      AND (${live('m')} OR m.state = 'archived') AND m.state IN $states AND ${passes('m')}
    UNWIND ${groupsOf(tenant)[by]} AS value
    WITH value, count(*) AS count, avg(m.importance) AS mean_importance, avg(m.health) AS mean_health
    RETURN value, count, mean_importance, mean_health
    ORDER BY ${PERIODS.includes(by) ? 'value DESC' : 'count DESC, value'} LIMIT $limit`,
    { ...parameters, states, ...filterParameters(filter), limit: int(limit) },
  )
}
