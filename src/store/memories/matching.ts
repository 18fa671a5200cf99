import type { Context } from '../../context.ts'
import { int, read } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'
import { filterParameters, type MemoryFilter, passes } from './filter.ts'

/** The ids of active memories behind one that pass a filter, in order, the first of so many. */
export async function readMatching(
  ctx: Context,
  filter: MemoryFilter,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await read<{ id: string }>(
    ctx,
    `MATCH (m:Memory) WHERE m.tenant = $tenant AND m.id > $after AND ${live('m')} AND ${passes('m')}
    RETURN m.id AS id ORDER BY id LIMIT $limit`,
    { tenant: ctx.tenant, after, ...filterParameters(filter), limit: int(limit) },
  )
  return rows.map(({ id }) => id)
}
