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

export type MemoryKey = { readonly tenant: string; readonly id: string }

export const keysOf = ({ tenant }: { readonly tenant: string }, ids: readonly string[]): MemoryKey[] =>
  ids.map(id => ({ tenant, id }))

/** Each memory once, in the order in which every writer locks several: so no two of them wait for each other. */
export const inLockOrder = <Row extends MemoryKey>(rows: readonly Row[]): Row[] =>
  [...new Map(rows.map(row => [`${row.tenant}:${row.id}`, row]))].map(([, row]) => row).sort(byKey)

/** The order of locks. */
export function byKey(a: MemoryKey, b: MemoryKey): number {
  const [one, other] = [`${a.tenant}:${a.id}`, `${b.tenant}:${b.id}`]
  return one < other ? -1 : one > other ? 1 : 0
}
