import { styleText } from 'node:util'
import { readMachine } from '../../platform/config.ts'

type Style = Parameters<typeof styleText>[0]

/** Where a command speaks: results on standard output, everything else on standard error. */
export type Terminal = {
  /** Columns to fill, at most 100. */
  readonly width: number
  readonly signal: AbortSignal
  say: (line?: string) => void
  json: (value: unknown) => void
  note: (line: string) => void
  paint: (style: Style, text: string) => string
  /** Shows how far something is: in one line on a terminal, else now and then in a line of its own. */
  progress: (line: string) => void
  /** Ends the progress with a last line. */
  finish: (line: string) => void
}

const WIDEST = 100
const SELDOM_MS = 5_000
const OFTEN_MS = 100

export function createTerminal(
  out: NodeJS.WriteStream,
  err: NodeJS.WriteStream,
  signal: AbortSignal,
): Terminal {
  const width = Math.min(out.columns ?? (Number(readMachine().environment.COLUMNS) || WIDEST), WIDEST)
  const clear = err.isTTY ? '\r\u001B[2K' : ''
  let shown = Date.now() - (err.isTTY ? OFTEN_MS : 0)
  return {
    width,
    signal,
    say: (line = '') => void out.write(`${line}\n`),
    json: value => void out.write(`${JSON.stringify(value, null, 2)}\n`),
    note: line => void err.write(`${clear}${line}\n`),
    paint: (style, text) => styleText(style, text, { stream: out }),
    progress(line) {
      if (Date.now() - shown < (err.isTTY ? OFTEN_MS : SELDOM_MS)) return
      shown = Date.now()
      err.write(err.isTTY ? `${clear}${line.slice(0, (err.columns ?? WIDEST) - 1)}` : `${line}\n`)
    },
    finish: line => void err.write(`${clear}${line}\n`),
  }
}
