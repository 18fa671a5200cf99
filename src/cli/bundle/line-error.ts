/** A line that no bundle has, or that is not as its manifest says. */
export class LineError extends Error {
  override readonly name = 'LineError'

  constructor(line: number, message: string) {
    super(`Line ${line} ${message}.`)
  }
}
