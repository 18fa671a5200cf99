import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A literal after what cannot end a value: otherwise the slash divides. */
const LITERAL =
  /(?<=[(,=:[!&|?{};]\s*|return\s)\/((?:[^/\\\n[*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)\/([dgimsuvy]*)/g

/** The regular expressions that are written in the code of a folder, each once, with the file of one of them. */
export function expressionsIn(folder: string): { expression: RegExp; file: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    /\.tsx?$/.test(name),
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

/**
 * Texts that an expression repeats over and does not match at the end: each kind of character, what stands in the
 * expression itself, and pairs of these, repeated.
 */
export function textsAgainst({ source }: RegExp, length: number): string[] {
  const written = [...source.replaceAll(/\\[pP]\{[^}]*\}|\\u[0-9a-f]{4}|\\[dDwWsSbB]/g, '')].filter(
    sign => !'()[]{}|?*+^$\\'.includes(sign),
  )
  const signs = [
    ...new Set([...KINDS, ...written, ...(source.match(/(?<=\\)[[\](){}*+?.|^$/]/g) ?? [])]),
  ].slice(0, 40)
  const pairs = signs.flatMap(one => ['a', ' ', '-'].map(other => one + other))
  return [...signs, ...pairs].flatMap(piece => {
    const run = piece.repeat(Math.floor(length / piece.length))
    return [`${run}\u0000`, `x${run}\u0000x`, `- ${run}\u0000`]
  })
}
