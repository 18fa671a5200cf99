import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder named after this process; those of runs that were killed before they could tidy up are removed. */
export function temporaryFolder(): string {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = /^mnemograph-test-(\d+)-/.exec(name) ?? []
    if (pid && !isAlive(Number(pid))) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
  return mkdtempSync(join(tmpdir(), `mnemograph-test-${process.pid}-`))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
