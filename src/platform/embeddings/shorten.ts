/** Tokens assumed for a character: few tokens are shorter than three letters, and other scripts need more. */
const TOKENS = { ascii: 1 / 3, other: 1.5 }

/**
 * The beginning of the text that almost surely fits into so many tokens. If a provider still finds it too long,
 * it gets half.
 */
export function shortenText(text: string, tokens = Number.POSITIVE_INFINITY): string {
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

/** The first half, whole characters only. */
export function half(text: string): string {
  const middle = text.length >> 1
  const splitsPair = (text.charCodeAt(middle - 1) & 0xfc00) === 0xd800
  return text.slice(0, splitsPair ? middle - 1 : middle)
}
