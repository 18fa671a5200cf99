const FITTING = /^[A-Za-z0-9_.-]{1,64}$/
const ESCAPED = 'x-'
const LONGEST = 64

/**
 * Any text as a key of metadata, reversibly: `Due date` is `x-Due-20-date`. A key that fits stays as it is. Undefined if
 * the escaped key would be too long.
 */
export function escapeKey(key: string): string | undefined {
  if (FITTING.test(key) && key !== '__proto__' && unescapeKey(key) === key) return key
  const result = escaped(key)
  return result.length <= LONGEST ? result : undefined
}

/** The text that a key stands for. */
export function unescapeKey(key: string): string {
  if (!key.startsWith(ESCAPED)) return key
  const parts = key.slice(ESCAPED.length).split('-')
  const text = parts.map((part, at) => (at % 2 === 0 ? part : ofCodePoints(part))).join('')
  return escaped(text) === key && !(FITTING.test(text) && text !== '__proto__' && !text.startsWith(ESCAPED))
    ? text
    : key
}

const escaped = (key: string) =>
  ESCAPED +
  key.replaceAll(
    /[^A-Za-z0-9_.]+/gu,
    run => `-${Array.from(run, character => character.codePointAt(0)?.toString(16)).join('.')}-`,
  )

const ofCodePoints = (part: string) =>
  part
    .split('.')
    .map(each => (/^(0|[1-9a-f][0-9a-f]{0,5})$/.test(each) ? toCharacter(Number.parseInt(each, 16)) : each))
    .join('')

const toCharacter = (point: number) => (point <= 0x10ffff ? String.fromCodePoint(point) : '')
