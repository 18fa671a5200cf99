import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Reads what an earlier run wrote with `saveState`. Nothing when there is none.
 * @throws when the file is there and is not JSON: a lost password is not quietly replaced.
 */
export function readState<State>(file: string): Partial<State> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<State>
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Error(`${resolve(file)} cannot be read`, { cause: error })
  }
}

/** Writes a state file whole or not at all, readable by its owner alone. */
export function saveState<State>(file: string, state: State): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
