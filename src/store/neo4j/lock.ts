/**
 * The part of a statement that takes the write lock of a node or connection `x`, and holds it until the transaction ends:
 * what is read behind it is what the statement changes. The property is only the means, and is removed by `unlock` in the
 * same statement. Locking what another transaction has removed meanwhile does nothing, without an error.
 */
export const lock = (x: string) => `SET ${x}.lock = true`

export const unlock = (x: string) => `REMOVE ${x}.lock`

/** Both at once, where the next part of the statement reads `x`. */
export const lockNow = (x: string) => `${lock(x)} ${unlock(x)}`

/** Goes on only with what is still there once it is locked. */
export const lockPresent = (x: string) => `${lock(x)} WITH * WHERE ${x}.lock`
