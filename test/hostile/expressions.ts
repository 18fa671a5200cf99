import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A literal after what cannot end a value: otherwise the slash divides. */
const LITERAL =
  /(?<=[(,=:[!&|?{};]\s*|return\s)\/((?:[^/\\\n[*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)\/([dgimsuvy]*)/g

/** The regular expressions that are written in the code of a folder, each once, with the file of one of them. */
export function expressionsIn(folder: string): { expression: RegExp; file: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    name => /\.tsx?$/.test(name) && !name.includes('node_modules'),
  )
  const found = new Map<string, { expression: RegExp; file: string }>()
  for (const file of files)
    for (const [literal, source = '', flags = ''] of readFileSync(join(folder, file), 'utf8').matchAll(
      LITERAL,
    ))
      if (!found.has(literal) && isExpression(source, flags))
        found.set(literal, { expression: new RegExp(source, flags), file })
  return [...found.values()]
}

function isExpression(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) !== undefined
  } catch {
    return false
  }
}

/** One of each kind of character that classes tell apart. */
const KINDS = [...'aA0_-. \n!é会ア', '\u0e01', '\u0301', '’', '🦛']

/** The texts that stand in an expression as they are, in their order: its own beginnings, and what can follow them. */
const writtenIn = ({ source }: RegExp): string[] =>
  source
    .replaceAll(/\\n/g, '\n')
    .replaceAll(
      /\(\?<?[=!:]|\(\?<\w+>|\\[pP]\{[^}]*\}|\\k<\w+>|\\u\{?[0-9a-f]{4,5}\}?|\\[dDwWsSbB]|\[(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}/gi,
      '\0',
    )
    .replaceAll(/(?<!\\)[()|?*+^$.]/g, '\0')
    .replaceAll(/\\(.)/g, '$1')
    .split('\0')
    .filter(text => text !== '')

/**
 * Texts that an expression repeats over and does not match at the end: each kind of character, each text that stands in it,
 * and pairs of these, repeated, alone and after the texts with which it begins.
 */
export function textsAgainst(expression: RegExp): ((length: number) => string)[] {
  const written = writtenIn(expression).slice(0, 12)
  const inClasses = (expression.source.match(/(?<=\[\^?|\\)[^\\pP\w\s]/g) ?? []).slice(0, 12)
  const signs = [...new Set([...KINDS, ...written, ...inClasses])]
  const pairs = [
    ...written.flatMap((text, at) => [`${text}${written[at + 1] ?? ''}`, `${text}a`, `${text} `]),
    written.join(''),
    written.join('a'),
  ]
  const starts = ['', 'x', '- ', ...written.slice(0, 2), written.slice(0, 2).join(''), `${written[0] ?? ''}x`]
  return [...new Set([...signs, ...pairs])]
    .filter(piece => piece !== '')
    .flatMap(piece => [...new Set(starts)].map(start => repeated(piece, start)))
}

/** A text of so many characters that repeats a piece, with an end that nothing expects. */
export const repeated =
  (piece: string, start = '') =>
  (length: number): string =>
    `${start}${piece.repeat(Math.ceil((length - start.length) / piece.length))}\0x`
