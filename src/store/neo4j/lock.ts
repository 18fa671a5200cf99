/**
 * The part of a statement that takes the write lock of a node or connection `x`, and holds it until the transaction ends:
 * what is read behind it is what the statement changes. The property is only the means, and is removed by `unlock` in the
 * same statement. Locking what another transaction has removed in the meantime does nothing, without an error.
 */
export const lock = (x: string) => `SET ${x}.lock = true`

export const unlock = (x: string) => `REMOVE ${x}.lock`

/** Both at once, where the next part of the statement reads `x`. */
export const lockNow = (x: string) => `${lock(x)} ${unlock(x)}`

/** Goes on only with what is still there once it is locked. */
export const lockPresent = (x: string) => `${lock(x)} WITH * WHERE ${x}.lock`

/** Locks what is still a memory `m`: maintenance may have removed it. */
export const lockMemory = `${lockPresent('m')} AND m.removedBy IS NULL`

export type MemoryKey = { readonly tenant: string; readonly id: string }

export const keysOf = ({ tenant }: { readonly tenant: string }, ids: readonly string[]): MemoryKey[] =>
  ids.map(id => ({ tenant, id }))

/** Two tenants may have the same id. */
export const keyOf = ({ tenant, id }: MemoryKey) => `${tenant}:${id}`

/** Each memory once, in the order in which every writer locks several: so no two of them wait for each other. */
export const inLockOrder = <Row extends MemoryKey>(rows: readonly Row[]): Row[] =>
  [...new Map(rows.map(row => [keyOf(row), row])).values()].sort(byKey)

/** The order of locks. */
export function byKey(a: MemoryKey, b: MemoryKey): number {
  const [one, other] = [keyOf(a), keyOf(b)]
  return one < other ? -1 : one > other ? 1 : 0
}
