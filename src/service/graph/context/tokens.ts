/**
 * An estimate of how many tokens a language model reads in a text, without the tokenizer of any: for each run of
 * letters one per five (rounded up), of digits one per two, of white space one per four except for a single blank, and
 * one for each other character, four outside the basic plane. It is too high rather than too low for prose and code.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start)
    tokens += weigh(text, start, end)
    start = end
  }
  return tokens
}

/** The longest beginning of a text that is estimated at no more than so many tokens, ended between words. */
export function beginningOf(text: string, tokens: number): string {
  let left = tokens
  let end = 0
  while (end < text.length) {
    const next = endOfPiece(text, end)
    left -= weigh(text, end, next)
    if (left < 0) break
    end = next
  }
  if (end === text.length) return text
  const blank = text.slice(0, end + 1).search(/\s\S*$/)
  return text.slice(0, blank > 0 ? blank : end).trimEnd()
}

type Kind = 'lower' | 'upper' | 'digit' | 'space' | 'other'

/** By code units, as contexts estimate long texts many times. */
function kindOf(code: number): Kind {
  if (code >= 97 && code <= 122) return 'lower'
  if (code >= 65 && code <= 90) return 'upper'
  if (code >= 48 && code <= 57) return 'digit'
  return SPACES.has(code) ? 'space' : 'other'
}

const SPACES: ReadonlySet<number> = new Set(
  Array.from({ length: 0x10000 }, (_, code) => code).filter(code => /\s/.test(String.fromCharCode(code))),
)

/** A run of letters, with a capital before it or all capitals; of digits; of white space; or one character. */
function endOfPiece(text: string, start: number): number {
  const kind = kindOf(text.charCodeAt(start))
  if (kind === 'other') return start + ((text.codePointAt(start) as number) > 0xffff ? 2 : 1)
  const run = kind === 'upper' && kindOf(text.charCodeAt(start + 1)) === 'lower' ? 'lower' : kind
  let end = start + 1
  while (end < text.length && kindOf(text.charCodeAt(end)) === run) end++
  return end
}

const CHARACTERS_A_TOKEN = { lower: 5, upper: 5, digit: 2, space: 4 }

function weigh(text: string, start: number, end: number): number {
  const length = end - start
  const kind = kindOf(text.charCodeAt(start))
  if (kind === 'other') return length > 1 ? 4 : 1
  if (length === 1 && text[start] === ' ') return 0
  return Math.ceil(length / CHARACTERS_A_TOKEN[kind])
}
