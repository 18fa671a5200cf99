import { basename, dirname, extname } from 'node:path'
import { isMarkdown, type SourceFile } from './files.ts'
import { COMFORTABLE, readMarkdown, type Unit } from './markdown.ts'

const SMALL = 200
/** A table or a piece of code stays whole up to this; beyond it is cut at its lines. */
const LARGEST = 6_000

/** What becomes one memory: a line with its path, and the text. */
export type TextSection = { heading: string; content: string }

/** A line that opens so many lists and quotations is none of a person, and a reader of Markdown takes its time for each. */
const NESTED = /^(?:(?:[>*+-]|\d{1,9}[.)])[ \t]*){100}/m

/** Cuts a text into sections, in its order. The same text gives the same sections. */
export function cut(file: Pick<SourceFile, 'path' | 'name'>, text: string): TextSection[] {
  const title = titleOfName(file)
  const plain = text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
  const units =
    isMarkdown(file) && !NESTED.test(plain)
      ? readMarkdown(plain, title)
      : [{ path: [title], blocks: plain.split(/\n[ \t]*\n/).map(block => block.trim()) }]
  const sized = mergeSmall(units.filter(hasText)).flatMap(divide)
  const sections = sized.map(({ path, blocks }) => {
    const heading = path.join(' › ')
    return { heading, content: `${heading}\n\n${blocks.join('\n\n')}` }
  })
  return [...new Map(sections.map(section => [section.content, section])).values()]
}

/** The name of the file; a README or an index is about its folder. */
function titleOfName({ path }: Pick<SourceFile, 'path'>): string {
  const name = basename(path, extname(path))
  return /^(readme|index)$/i.test(name) ? basename(dirname(path)) || name : name
}

const hasText = ({ blocks }: Unit) => blocks.some(block => /[\p{L}\p{N}]/u.test(block))

/** Joins a small unit with its neighbour under the headings that both share, where the two fit together. */
function mergeSmall(units: readonly Unit[]): Unit[] {
  const merged: Unit[] = []
  for (const unit of units) {
    const last = merged.at(-1)
    const joins =
      last && (length(last) < SMALL || length(unit) < SMALL) && length(last) + length(unit) <= COMFORTABLE
    if (joins) merged[merged.length - 1] = join(last, unit)
    else merged.push(unit)
  }
  return merged
}

function join(a: Unit, b: Unit): Unit {
  const differs = a.path.findIndex((name, index) => name !== b.path[index])
  const shared = differs < 0 ? a.path.length : differs
  const under = ({ path, blocks }: Unit) =>
    path.length > shared ? [path.slice(shared).join(' › '), ...blocks] : blocks
  return { path: a.path.slice(0, shared), blocks: [...under(a), ...under(b)] }
}

/** Divides a unit that is too long between its paragraphs; the later parts are numbered. */
function divide({ path, blocks }: Unit): Unit[] {
  const parts: string[][] = [[]]
  for (const block of blocks.flatMap(divideBlock)) {
    const part = parts.at(-1) as string[]
    if (part.length > 0 && size([...part, block]) > COMFORTABLE) parts.push([block])
    else part.push(block)
  }
  return parts.map((part, index) => ({
    path: index === 0 ? path : [...path.slice(0, -1), `${path.at(-1)} (part ${index + 1})`],
    blocks: part,
  }))
}

function divideBlock(block: string): string[] {
  if (block.length <= LARGEST) return [block]
  const pieces: string[] = ['']
  for (const line of block.split('\n').flatMap(divideLine)) {
    const piece = pieces.at(-1) as string
    if (piece !== '' && piece.length + line.length >= COMFORTABLE) pieces.push(line)
    else pieces[pieces.length - 1] = piece === '' ? line : `${piece}\n${line}`
  }
  return pieces.filter(piece => piece.trim() !== '')
}

/** Cuts at blanks, and where there are none between code points. */
const divideLine = (line: string): string[] =>
  line.length <= COMFORTABLE ? [line] : (line.match(/.{1,1900}(?:\s|$)|.{1,1900}/gsu) ?? [])

const size = (blocks: readonly string[]) => blocks.reduce((sum, block) => sum + block.length + 2, 0)
const length = ({ blocks }: Unit) => size(blocks)
