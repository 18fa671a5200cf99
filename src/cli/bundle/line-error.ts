import { sentence } from '../../contract/faults.ts'

/** A line that is not valid, or differs from the manifest. `rule` ends the sentence about the field at `path`. */
export class LineError extends Error {
  override readonly name = 'LineError'

  constructor(line: number, rule: string, path: readonly PropertyKey[] = []) {
    super(path.length === 0 ? `Line ${line} ${rule}.` : `Line ${line}: ${sentence(path, rule)}`)
  }
}

/** A bundle that an editor has saved in another form. */
export class LineEndsError extends Error {
  override readonly name = 'LineEndsError'

  constructor(text: string, line: number) {
    const [what, remedy] = text.startsWith('\uFFFD')
      ? ['The file was saved as UTF-16', 'Save it as UTF-8, then import it with --repair.']
      : [
          text.endsWith('\r')
            ? 'The line ends were changed (CRLF instead of LF)'
            : 'A byte-order mark was added, and perhaps the line ends were changed',
          'Import it with --repair, which takes it as it was exported.',
        ]
    super(`Line ${line}: ${what}, as an editor or Git on Windows does. ${remedy}`)
  }
}
