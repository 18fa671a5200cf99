/** So many memories are looked at for one page, however few of them are found: each statement has its bound. */
export const MOST_LOOKED_AT = 10_000

/** In the order of the index: reading ends with the limit. */
const behind = `MATCH (m:Memory) USING INDEX SEEK m:Memory(tenant, id) WHERE m.tenant = $tenant AND m.id > $after
      WITH m ORDER BY m.tenant, m.id`

/**
 * A statement that finds at most `$most` memories `m` of the tenant behind `$after`, in the order of their ids, among the next
 * `$looked`. `found` is what keeps those that are meant. Returns their `ids`, and in `next` behind which the following page begins: null
 * if all have been looked at.
 */
export const lookThrough = (found: string) => `CALL () {
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
    RETURN ids, CASE WHEN size(ids) = $most THEN ids[-1] ELSE last[0] END AS next`

/** Behind it lie all memories. */
export const START = ''

export type Page = { ids: string[]; next: string | null }
