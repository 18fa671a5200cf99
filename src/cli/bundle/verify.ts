import { type Line, type Sums, sections } from '../../contract/bundle.ts'
import { orderFault } from '../../contract/bundle-order.ts'
import { readLine } from '../../contract/bundle-reading.ts'
import { addLine, noSums } from '../../platform/digest.ts'
import type { Terminal } from '../shell/terminal.ts'
import { LineEndsError, LineError } from './line-error.ts'
import { type FileLine, readLines } from './lines.ts'

export type Verified = {
  sums: Sums
  lines: number
  /** Connections with an end that is not in the bundle: they need one that is in the tenant already. */
  open_ends: number
}

/** Reads a bundle from a file to its end. @throws LineError at the first line that is wrong */
export const checkFile = (path: string, { signal, progress }: Terminal, repair = false): Promise<Verified> =>
  verifyBundle(readLines(path, { signal, repair }), count => progress(`${count} lines checked`))

/** How much a bundle holds, in words. */
export const countsOf = (sums: Record<string, { count: number }>) =>
  Object.entries(sums)
    .map(([name, { count }]) => `${count} ${name}`)
    .join(', ')

/** Reads a bundle to its end. @throws LineError at the first line that is wrong */
export async function verifyBundle(
  lines: AsyncIterable<FileLine>,
  onLine: (count: number) => void = () => {},
): Promise<Verified> {
  const sums = noSums()
  const ids = new Set<string>()
  const found: Verified = { sums, lines: 0, open_ends: 0 }
  let before: Line | undefined
  for await (const { text } of lines) {
    found.lines += 1
    if (/^\uFEFF|\r$|^\uFFFD\uFFFD/.test(text)) throw new LineEndsError(text, found.lines)
    const line = checked(text, before, found.lines)
    if (line.section === 'checkpoint') continue
    before = line
    if (line.section === 'memories') ids.add(line.id)
    if (line.section === 'connections' && !(ids.has(line.source_id) && ids.has(line.target_id)))
      found.open_ends += 1
    if (line.section === 'manifest') compare(line.sections, sums, found.lines)
    else addLine(sums, line.section, text)
    onLine(found.lines)
  }
  if (before?.section !== 'manifest')
    throw new LineError(found.lines + 1, 'is missing: the bundle ends before its manifest')
  return found
}

function checked(text: string, before: Line | undefined, number: number): Line {
  const read = readLine(text)
  const fault = 'fault' in read ? read.fault : orderFault(before, read.line)
  if (fault) throw new LineError(number, fault.rule, fault.path)
  return (read as { line: Line }).line
}

function compare(stated: Sums, found: Sums, number: number) {
  for (const name of sections) {
    if (stated[name].count !== found[name].count)
      throw new LineError(
        number,
        `must count ${found[name].count} ${name}, as the lines before it, not ${stated[name].count}`,
      )
    if (stated[name].sha256 !== found[name].sha256)
      throw new LineError(number, `has another digest for ${name} than the lines before it`)
  }
}
