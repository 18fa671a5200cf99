import { divide } from './divide.ts'

/** Tokens assumed for a character: few tokens are shorter than three letters, and other scripts need more. */
const TOKENS = { ascii: 1 / 3, other: 1.5 }

/** The most parts of which the vector of a text is the mean. */
const MOST_PARTS = 16

/**
 * The parts of a text that almost surely fit into so many tokens each, and whether they are the whole text. If a provider
 * still finds one too long, it is divided further.
 */
export function partsFor(
  text: string,
  tokens = Number.POSITIVE_INFINITY,
): { parts: string[]; whole: boolean } {
  const read = beginningOf(text, MOST_PARTS * tokens)
  const count = Math.ceil(tokensOf(read) / tokens)
  return { parts: count > 1 ? divide(read, count) : [read], whole: read === text }
}

function tokensOf(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) count += text.charCodeAt(at) < 0x80 ? TOKENS.ascii : TOKENS.other
  return count
}

function beginningOf(text: string, tokens: number): string {
  if (text.length * TOKENS.other <= tokens) return text
  let used = 0
  let end = 0
  for (const character of text) {
    used += character < '\u0080' ? TOKENS.ascii : TOKENS.other
    if (used > tokens) return text.slice(0, end)
    end += character.length
  }
  return text
}
