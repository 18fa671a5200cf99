import { createHash } from 'node:crypto'

/** A chained SHA-256 before its first line. */
export const EMPTY = '0'.repeat(64)

/**
 * The digest of a section with one more line: SHA-256 over the digest so far, as 32 bytes, and the line in UTF-8
 * without its line break. It can be gone on with where it was left, which a plain SHA-256 cannot.
 */
export const chain = (digest: string, line: string): string =>
  createHash('sha256').update(Buffer.from(digest, 'hex')).update(line, 'utf8').digest('hex')
