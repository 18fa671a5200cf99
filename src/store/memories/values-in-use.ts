import type { Context } from '../../context.ts'
import { int, read } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'

/** Values of active memories, as lists of each memory. */
const valuesOf = { tags: 'm.tags', sources: '[m.source]', sessions: '[m.sessionId]' } as const

export type Kind = keyof typeof valuesOf

/** How many active memories of the tenant have each value, the most frequent first. Reads each memory once. */
export const countValues = (
  ctx: Context,
  kind: Kind,
  { prefix, offset, limit }: { prefix: string | undefined; offset: number; limit: number },
): Promise<{ value: string; count: number }[]> =>
  read(
    ctx,
    `CYPHER 25
    MATCH (m:Memory) WHERE m.tenant = $tenant AND ${live('m')}
    UNWIND ${valuesOf[kind]} AS value
    WITH value, count(*) AS count WHERE value IS NOT NULL AND ($prefix IS NULL OR value STARTS WITH $prefix)
    RETURN value, count ORDER BY count DESC, value SKIP $offset LIMIT $limit`,
    { tenant: ctx.tenant, prefix: prefix ?? null, offset: int(offset), limit: int(limit) },
  )
