import { createHash } from 'node:crypto'

/** The chained SHA-256 of a section without lines. */
export const EMPTY = '0'.repeat(64)

/**
 * The digest of a section with one more line: SHA-256 over the digest so far, as 32 bytes, and the line in UTF-8
 * without its line break. Unlike a plain SHA-256, it can be resumed from the stored digest.
 */
export const chain = (digest: string, line: string): string =>
  createHash('sha256').update(Buffer.from(digest, 'hex')).update(line, 'utf8').digest('hex')
