import type { Context } from '../../context.ts'
import { int, readValues } from '../neo4j/statements.ts'
import { filterClause, isIndexed, type MemoryFilter } from './filter.ts'
import type { ListQuery } from './ordering.ts'

/** Filters of the full-text index that keep at most this many are answered from the full-text index, without a bound. */
export const SMALL_SET = 2_000

/** The ids of all memories that pass the filters of the full-text index, when they are few; undefined when they are many. */
export async function smallSet(
  ctx: Context,
  states: ListQuery['states'],
  filter: MemoryFilter,
): Promise<string[] | undefined> {
  if (!isIndexed(filter) && filter.policy === undefined) return undefined
  const ids = await readValues<string>(
    ctx,
    `CALL db.index.fulltext.queryNodes('memory_text', $lucene, {limit: $limit}) YIELD node AS m
    WHERE m.tenant = $tenant
    RETURN m.id AS id`,
    { tenant: ctx.tenant, lucene: filterClause(ctx.tenant, states, filter), limit: int(SMALL_SET + 1) },
  )
  return ids.length > SMALL_SET ? undefined : ids
}
