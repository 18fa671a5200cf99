import type { Terminal } from './terminal.ts'

/** The last column gets at least so many characters. */
const LEAST = 20
/** Below so many characters it matters that lines do not break. */
const NARROW = 80

/**
 * Rows in columns as wide as their content. The last column is cut at the end of the line. Where the terminal is too
 * narrow for them, each row is a block of lines.
 */
export function table(
  { width, paint }: Pick<Terminal, 'width' | 'paint'>,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map(row => (row[column] ?? '').length)),
  )
  const line = (row: readonly string[]) => {
    const before = row.slice(0, -1).map((cell, column) => cell.padEnd(widths[column] ?? 0))
    const start = before.map(cell => `${cell}  `).join('')
    return `${start}${clip(row.at(-1) ?? '', Math.max(LEAST, width - start.length))}`.trimEnd()
  }
  const needed = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, LEAST)
  if (width < NARROW && needed > width) return blocks({ width, paint }, head, rows)
  return [paint('bold', line(head)), ...rows.map(line)].join('\n')
}

function blocks(
  { width, paint }: Pick<Terminal, 'width' | 'paint'>,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widest = Math.max(...head.map(({ length }) => length))
  const block = (row: readonly string[]) =>
    head.map(
      (name, at) => `${paint('bold', name.padEnd(widest))}  ${clip(row[at] ?? '', width - widest - 2)}`,
    )
  return rows.map(row => block(row).join('\n')).join('\n\n')
}

/** Text in one line of at most so many characters. */
export function clip(text: string, width: number): string {
  const flat = Array.from(oneLine(text))
  return flat.length <= width
    ? flat.join('')
    : `${flat
        .slice(0, width - 1)
        .join('')
        .trimEnd()}…`
}

/** Without line breaks, and without what could steer a terminal. */
export const oneLine = (text: string) => text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()

/** Text in its own lines, without what could steer a terminal. */
export const printable = (text: string) =>
  text.replaceAll(/\p{Cc}/gu, character => (/[\t\n]/.test(character) ? character : ' '))

/** Text in lines of at most so many characters, the last one clipped. */
export function wrap(text: string, width: number, lines: number): string[] {
  const wrapped: string[] = []
  for (let rest = oneLine(text); rest !== '' && wrapped.length < lines; ) {
    if (wrapped.length === lines - 1) return [...wrapped, clip(rest, width)]
    const end = rest.length <= width ? rest.length : rest.lastIndexOf(' ', width)
    const at = end > 0 ? end : width
    wrapped.push(rest.slice(0, at))
    rest = rest.slice(at).trimStart()
  }
  return wrapped
}

/** A date as people read it. */
export const shortTime = (time: string | null) => (time ? time.replace('T', ' ').slice(0, 16) : '–')
