/** More than the largest batch of memories has. */
const MOST_VALUES = 100_000
/** Deeper values could exhaust the stack of the code that reads them. */
const DEEPEST = 128

const TOO_DEEP = `must nest at most ${DEEPEST} levels`
const TOO_MANY = `must have at most ${MOST_VALUES} values`

/**
 * What makes JSON in UTF-8 too large to be parsed, or undefined. Every body and message is checked here first: parsing
 * a million fields alone takes half a second. Bytes that are no JSON get any answer.
 */
export function boundsFaultInBytes(bytes: Uint8Array): string | undefined {
  let values = 1
  let depth = 0
  let hasOpened = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte <= SPACE) continue
    if (byte === COMMA || (hasOpened && !isClosing(byte))) values++
    hasOpened = isOpening(byte)
    if (values > MOST_VALUES) return TOO_MANY
    if (hasOpened && ++depth > DEEPEST) return TOO_DEEP
    if (isClosing(byte)) depth--
    if (byte === QUOTE) at = endOfString(bytes, at + 1)
  }
  return undefined
}

const [SPACE, QUOTE, COMMA, BACKSLASH] = [0x20, 0x22, 0x2c, 0x5c]
const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d

/** Where the quote stands that ends the string whose first character is at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) return at
    if (bytes[at] === BACKSLASH) at++
  }
  return bytes.length
}

/** The same for a parsed value: for the variables of GraphQL, which its server parses. */
export function boundsFault(value: unknown): string | undefined {
  let layer = [value].filter(isNested)
  let values = 1
  for (let depth = 0; layer.length > 0; depth++) {
    if (depth === DEEPEST) return TOO_DEEP
    const next: object[] = []
    for (const parent of layer) {
      const children = Object.values(parent)
      values += children.length
      if (values > MOST_VALUES) return TOO_MANY
      for (const child of children) if (isNested(child)) next.push(child)
    }
    layer = next
  }
  return undefined
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null
