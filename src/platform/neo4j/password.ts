import { randomBytes } from 'node:crypto'

/** A new password. Hexadecimal, because programs read one that begins with a dash as an option. */
export const makePassword = () => randomBytes(16).toString('hex')
