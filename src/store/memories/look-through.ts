import type { Context } from '../../context.ts'
import { int, type Parameters, readValue } from '../neo4j/statements.ts'

/** So many memories are looked at for one page, however few of them are found: each statement has its bound. */
const MOST_LOOKED_AT = 10_000

/** In the order of the index: reading ends with the limit. */
const behind = `MATCH (m:Memory) USING INDEX SEEK m:Memory(tenant, id) WHERE m.tenant = $tenant AND m.id > $after
      WITH m ORDER BY m.tenant, m.id`

export type Window = { after: string; most: number }

/** `next` is behind which memory the following page begins: null if all have been looked at. */
export type Page = { ids: string[]; next: string | null }

/**
 * Finds at most `most` memories `m` of the tenant behind one, in the order of their ids, among the next ones that are looked
 * at. `found` is the part of the statement that keeps those that are meant.
 */
export const lookThrough = (
  ctx: Context,
  found: string,
  { after, most }: Window,
  parameters: Parameters = {},
): Promise<Page> =>
  readValue(ctx, pageOf(found), {
    ...{ tenant: ctx.tenant, after, most: int(most), looked: int(MOST_LOOKED_AT) },
    ...parameters,
  })

const pageOf = (found: string) => `CALL () {
      ${behind} LIMIT $looked
      ${found}
      WITH m LIMIT $most
      RETURN collect(m.id) AS ids
    }
    CALL (ids) {
      WITH ids WHERE size(ids) < $most
      ${behind} SKIP $looked - 1 LIMIT 1
      RETURN collect(m.id) AS last
    }
    RETURN {ids: ids, next: CASE WHEN size(ids) = $most THEN ids[-1] ELSE last[0] END} AS page`

/** Behind it lie all memories. */
export const START = ''
