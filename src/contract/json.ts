import { toPointer } from './pointers.ts'

/** More than the largest batch of memories has. */
export const MOST_VALUES = 100_000
/** Deeper values could exhaust the stack of the code that reads them. */
export const DEEPEST = 128

export const TOO_DEEP = `must nest at most ${DEEPEST} levels`
export const TOO_MANY = `must have at most ${MOST_VALUES} values`

/** What is wrong at a place of a JSON text; `rule` is the end of a sentence that begins with the field's name. */
export type JsonFault = { readonly pointer: string; readonly code: string; readonly rule: string }

export type ReadJson = {
  /** Undefined for a text that is not JSON, and for one that is too large. */
  readonly value?: unknown
  /** Why the text is too large to be parsed. */
  readonly tooLarge?: string
  /** What the parsed value would not say as the text does: a number out of range, a name given twice. */
  readonly fault?: JsonFault | undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads JSON without changing it in silence. Bytes are UTF-8. */
export function readJson(source: Uint8Array | string): ReadJson {
  try {
    const text = typeof source === 'string' ? source : utf8.decode(source)
    return parsed(text, inspectJson(text))
  } catch {
    return {}
  }
}

/** The same of a large text. What `pause` returns is awaited between two steps. */
export async function readJsonInSteps(source: Uint8Array, pause: () => Promise<void>): Promise<ReadJson> {
  try {
    const text = utf8.decode(source)
    const steps = inspection(text)
    let step = steps.next()
    for (; !step.done; step = steps.next()) await pause()
    return parsed(text, step.value)
  } catch {
    return {}
  }
}

const parsed = (text: string, { tooLarge, fault }: Inspected): ReadJson =>
  tooLarge ? { tooLarge } : { value: JSON.parse(text), fault }

/** Why a number cannot be kept as it is written, as the end of a sentence; undefined if it can. */
export function numberFault(written: string): string | undefined {
  const value = Number(written)
  if (!Number.isFinite(value)) return 'is too large for a number. Send it as text, in quotes'
  if (value === 0 && /^[^e]*[1-9]/i.test(written))
    return 'is so close to zero that it would become 0. Send 0, or text in quotes'
  // From here on JavaScript writes numbers with an exponent, and nobody takes them for ids.
  if (Math.abs(value) >= 1e21 && /e/i.test(written)) return undefined
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? `is a whole number beyond ±${Number.MAX_SAFE_INTEGER}, which would be changed. Send it as text, in quotes`
    : undefined
}

type Level = { names: Set<string> | undefined; part: string | number; awaitsName: boolean }

const [SPACE, QUOTE, COMMA, BACKSLASH] = [0x20, 0x22, 0x2c, 0x5c]
const isOpening = (char: number) => char === 0x5b || char === 0x7b
const isClosing = (char: number) => char === 0x5d || char === 0x7d
const startsNumber = (char: number) => (char >= 0x30 && char <= 0x39) || char === 0x2d

/** Shorter numbers without an exponent are kept as they are. */
const SHORT_NUMBER = 16

type Scan = { readonly levels: Level[]; values: number; hasOpened: boolean; fault: JsonFault | undefined }

/**
 * Looks through a text before it is parsed, because parsing a million fields alone takes half a second. A text that is no
 * JSON gets any answer.
 */
export function inspectJson(text: string): Inspected {
  const steps = inspection(text)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

type Inspected = Pick<ReadJson, 'tooLarge' | 'fault'>

const STEP_CHARACTERS = 65_536

function* inspection(text: string): Generator<void, Inspected> {
  const scan: Scan = { levels: [], values: 1, hasOpened: false, fault: undefined }
  let nextStep = STEP_CHARACTERS
  for (let at = 0; at < text.length; at++) {
    if (at >= nextStep) {
      nextStep = at + STEP_CHARACTERS
      yield
    }
    const char = text.charCodeAt(at)
    if (char <= SPACE) continue
    count(scan, char)
    if (scan.values > MOST_VALUES) return { tooLarge: TOO_MANY }
    if (scan.levels.length > DEEPEST) return { tooLarge: TOO_DEEP }
    if (char === QUOTE) at = passString(scan, text, at)
    else if (startsNumber(char)) at = passNumber(scan, text, at)
  }
  return { fault: scan.fault }
}

function count(scan: Scan, char: number) {
  const { levels, hasOpened } = scan
  const level = levels.at(-1)
  if (char === COMMA || (hasOpened && !isClosing(char))) scan.values++
  if (char === COMMA && level) next(level)
  scan.hasOpened = isOpening(char)
  if (scan.hasOpened) levels.push(opened(char))
  else if (isClosing(char)) levels.pop()
}

/** The place of the last character of the string that begins at `at`. */
function passString(scan: Scan, text: string, at: number): number {
  const end = endOfString(text, at + 1)
  const level = scan.levels.at(-1)
  if (level?.awaitsName && !scan.fault) scan.fault = nameFault(scan.levels, level, text.slice(at, end + 1))
  return end
}

function passNumber(scan: Scan, text: string, at: number): number {
  const end = endOfNumber(text, at)
  const written = text.slice(at, end)
  if (written.length >= SHORT_NUMBER || /e/i.test(written))
    scan.fault ??= faultAt(scan.levels, 'number', numberFault(written))
  return end - 1
}

const opened = (char: number): Level =>
  char === 0x7b
    ? { names: new Set(), part: '', awaitsName: true }
    : { names: undefined, part: 0, awaitsName: false }

function next(level: Level) {
  if (level.names) level.awaitsName = true
  else level.part = Number(level.part) + 1
}

/** Takes the name of a field over into its level. */
function nameFault(levels: readonly Level[], level: Level, quoted: string): JsonFault | undefined {
  const name = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
  const isRepeated = level.names?.has(name)
  level.names?.add(name)
  level.part = name
  level.awaitsName = false
  if (isRepeated) return faultAt(levels, 'repeated_field', 'is there more than once. Send it once')
  return name === '__proto__'
    ? faultAt(levels, 'unknown_field', 'is not a name that a field can have. Use another name')
    : undefined
}

const faultAt = (levels: readonly Level[], code: string, rule: string | undefined): JsonFault | undefined =>
  rule === undefined ? undefined : { pointer: toPointer(levels.map(({ part }) => part)), code, rule }

/** Where the quote stands that ends the string whose first character is at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1))
    if (backslashesBefore(text, at) % 2 === 0) return at
  return text.length
}

function backslashesBefore(text: string, end: number): number {
  let start = end
  while (text.charCodeAt(start - 1) === BACKSLASH) start--
  return end - start
}

function endOfNumber(text: string, start: number): number {
  ofNumber.lastIndex = start + 1
  return start + 1 + (ofNumber.exec(text)?.[0].length ?? 0)
}

const ofNumber = /[0-9.eE+-]*/y
