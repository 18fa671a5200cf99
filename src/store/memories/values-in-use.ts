import type { Caller } from '../neo4j/attempts.ts'
import { withinTenants } from '../neo4j/of-tenant.ts'
import { int, read } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'

/** Values of active memories, as lists of each memory. */
const valuesOf = {
  tags: 'm.tags',
  sources: '[m.source]',
  sessions: '[m.sessionId]',
  kinds: '[m.kind]',
} as const

export type ValueKind = keyof typeof valuesOf

type Reach = { prefix: string | undefined; after: string | null; offset: number; limit: number }

/**
 * How many active memories of the tenants have each value: the most frequent first, or those behind `after` by their names.
 * Reads each memory once.
 */
export function countValues(
  caller: Caller,
  tenants: readonly string[],
  kind: ValueKind,
  { prefix, after, offset, limit }: Reach,
): Promise<{ value: string; count: number }[]> {
  const { each, tenant, parameters } = withinTenants(tenants)
  return read(
    caller,
    `${each}
    MATCH (m:Memory) WHERE m.tenant = ${tenant} AND ${live('m')}
    UNWIND ${valuesOf[kind]} AS value
    WITH value WHERE value IS NOT NULL AND value STARTS WITH $prefix AND value > $after
    WITH value, count(*) AS count
    RETURN value, count ORDER BY ${after === null ? 'count DESC, value' : 'value'} SKIP $offset LIMIT $limit`,
    { ...parameters, prefix: prefix ?? '', after: after ?? '', offset: int(offset), limit: int(limit) },
  )
}
