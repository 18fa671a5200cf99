import { createHash } from 'node:crypto'
import { type Sums, sections } from '../contract/bundle.ts'

/** The chained SHA-256 of a section without lines. */
export const EMPTY = '0'.repeat(64)

/**
 * The digest of a section with one more line: SHA-256 over the digest so far, as 32 bytes, and the line in UTF-8
 * without its line break. Unlike a plain SHA-256, it can be resumed from the stored digest.
 */
export const chain = (digest: string, line: string): string =>
  createHash('sha256').update(Buffer.from(digest, 'hex')).update(line, 'utf8').digest('hex')

/** The sums of a bundle without lines. */
export const noSums = () =>
  Object.fromEntries(sections.map(name => [name, { count: 0, sha256: EMPTY }])) as Sums

/** Counts a line in, if it is of a section that is counted. */
export function addLine(sums: Sums, section: string, text: string) {
  const name = sections.find(each => each === section)
  if (name === undefined) return
  const { count, sha256 } = sums[name]
  sums[name] = { count: count + 1, sha256: chain(sha256, text) }
}
