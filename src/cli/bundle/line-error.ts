import { sentence } from '../../contract/faults.ts'

/** A line that is not valid, or differs from the manifest. `rule` ends the sentence about the field at `path`. */
export class LineError extends Error {
  override readonly name = 'LineError'

  constructor(line: number, rule: string, path: readonly PropertyKey[] = []) {
    super(path.length === 0 ? `Line ${line} ${rule}.` : `Line ${line}: ${sentence(path, rule)}`)
  }
}
