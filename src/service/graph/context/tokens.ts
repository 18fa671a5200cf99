/**
 * An estimate of how many tokens a language model reads in a text, without the tokenizer of any: for each run of
 * letters one per five (rounded up), of digits one per two, of white space one per four except for a single blank, and
 * one for each other character, four outside the basic plane. It is too high rather than too low for prose and code.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(PIECES)) tokens += weigh(piece)
  return tokens
}

/** The longest beginning of a text that is estimated at no more than so many tokens, ended between words. */
export function beginningOf(text: string, tokens: number): string {
  let left = tokens
  let end = 0
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    left -= weigh(piece)
    if (left < 0) break
    end = index + piece.length
  }
  if (end === text.length) return text
  const blank = text.slice(0, end + 1).search(/\s\S*$/)
  return text.slice(0, blank > 0 ? blank : end).trimEnd()
}

const PIECES = /[A-Z]?[a-z]+|[A-Z]+|[0-9]+|\s+|[^\s]/gu

function weigh(piece: string): number {
  if (piece === ' ') return 0
  if (/^\s/.test(piece)) return Math.ceil(piece.length / 4)
  if (/^[0-9]/.test(piece)) return Math.ceil(piece.length / 2)
  if (/^[A-Za-z]/.test(piece)) return Math.ceil(piece.length / 5)
  return piece.length > 1 ? 4 : 1
}
