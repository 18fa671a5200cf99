import type { Memory } from '../../contract/memory.ts'
import { beginningOf, estimateTokens } from '../../service/graph/context/tokens.ts'

/** How much of a content a list shows: some sentences in English, one in scripts whose characters are words. */
const PASSAGE = { tokens: 80, characters: 300 }
/** What `get_memory` returns of a content in one answer, in UTF-16 code units of any script. */
const PART = { tokens: 10_000, characters: 40_000 }
const SHOWN_TAGS = 8
const SHOWN_METADATA = 300

export type FoundPassage = Memory & { duplicate_of?: string | undefined; highlight?: Highlight | undefined }
type Highlight = { text: string; start: number } | null

/** The content if it is short, otherwise a passage of it and its length. `highlight` is the sentence that matched. */
export function passageOf({ content, highlight }: Pick<FoundPassage, 'content' | 'highlight'>) {
  const flat = flattened(content.slice(0, 2 * PASSAGE.characters))
  const shown = limited(flat, PASSAGE)
  if (shown === flat && content.length <= 2 * PASSAGE.characters) return { content }
  const isLater = highlight && highlight.start + highlight.text.length > shown.length
  const passage = isLater ? `… ${limited(flattened(highlight.text), PASSAGE)} …` : `${shown} …`
  return { passage, characters: content.length }
}

/** A memory as lists show it. `get_memory` returns all of it. */
export function shortMemory(memory: FoundPassage) {
  const { tags, metadata, source } = memory
  return {
    ...memory,
    ...(JSON.stringify(metadata).length > SHOWN_METADATA || Object.keys(metadata).length === 0
      ? { metadata: undefined }
      : {}),
    tags: shortTags(tags),
    source: source === null ? undefined : shortText(source),
    content: undefined,
    ...passageOf(memory),
  }
}

export const shortTags = (tags: readonly string[]) =>
  tags.length > SHOWN_TAGS
    ? [...tags.slice(0, SHOWN_TAGS).map(shortTag), `… ${tags.length - SHOWN_TAGS} more`]
    : tags.map(shortTag)

const shortTag = (tag: string) => shortText(tag, { tokens: 12, characters: 50 })

export function shortText(text: string, most = { tokens: 40, characters: 120 }): string {
  const shown = limited(text, most)
  return shown === text ? text : `${shown} …`
}

/** The part of a content that begins at `start`, and where the next one begins. */
export function partFrom(content: string, start: number) {
  const from = wholeFrom(content, start)
  const part = limited(content.slice(from), PART)
  const end = from + part.length
  return {
    content: part,
    ...(end < content.length && { next_start: end }),
    ...(part.length < content.length && { characters: content.length }),
  }
}

/** The start of the character that a place is inside of. */
const wholeFrom = (text: string, at: number) =>
  at > 0 && /^[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at

type Row = Record<string, unknown>

/** As many rows of a query as one answer holds, with at most 1,000 characters of each text. */
export function shownRows(rows: readonly Row[]): Row[] {
  const shown: Row[] = []
  let tokens = 0
  for (const row of rows) {
    const short = shortTexts(row) as Row
    tokens += estimateTokens(JSON.stringify(short))
    if (tokens > PART.tokens) break
    shown.push(short)
  }
  return shown
}

const ROW_TEXT = { tokens: 250, characters: 1_000 }

function shortTexts(value: unknown): unknown {
  if (typeof value === 'string') return shortText(value, ROW_TEXT)
  if (Array.isArray(value)) return value.map(shortTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortTexts(each)]))
}

/** A beginning of a text that splits no character. */
function limited(text: string, { tokens, characters }: typeof PASSAGE): string {
  const start = text.slice(0, characters)
  const whole = start.isWellFormed() ? start : start.slice(0, -1)
  const within = beginningOf(whole, tokens)
  return within === '' ? (Array.from(whole)[0] ?? '') : within
}

const flattened = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
