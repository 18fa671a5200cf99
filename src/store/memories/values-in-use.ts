import type { Context } from '../../context.ts'
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
 * How many active memories of the tenant have each value: the most frequent first, or those behind `after` by their names.
 * Reads each memory once.
 */
export const countValues = (
  ctx: Context,
  kind: ValueKind,
  { prefix, after, offset, limit }: Reach,
): Promise<{ value: string; count: number }[]> =>
  read(
    ctx,
    `CYPHER 25
    MATCH (m:Memory) WHERE m.tenant = $tenant AND ${live('m')}
    UNWIND ${valuesOf[kind]} AS value
    WITH value WHERE value IS NOT NULL AND ($prefix IS NULL OR value STARTS WITH $prefix)
      AND ($after IS NULL OR value > $after)
    WITH value, count(*) AS count
    RETURN value, count ORDER BY ${after === null ? 'count DESC, value' : 'value'} SKIP $offset LIMIT $limit`,
    { tenant: ctx.tenant, prefix: prefix ?? null, after, offset: int(offset), limit: int(limit) },
  )
