import type { Terminal } from '../shell/terminal.ts'
import { readLines } from './lines.ts'
import { type Verified, verifyBundle } from './verify.ts'

/** Reads a bundle from a file to its end. @throws LineError at the first line that is wrong */
export const checkFile = (path: string, { signal, progress }: Terminal, repair = false): Promise<Verified> =>
  verifyBundle(readLines(path, { signal, repair }), count => progress(`${count} lines checked`))

/** How much a bundle holds, in words. */
export const countsOf = (sums: Record<string, { count: number }>) =>
  Object.entries(sums)
    .map(([name, { count }]) => `${count} ${name}`)
    .join(', ')
