import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = new Set<string>()
let isListening = false

/** A folder named after this process, and gone when it exits. */
export function temporaryFolder(): string {
  removeAbandoned()
  removeFoldersAtExit()
  const folder = mkdtempSync(join(tmpdir(), `mnemograph-test-${process.pid}-`))
  folders.add(folder)
  return folder
}

/** Lets this process remove its folders when it exits, with those of processes that were killed, as vitest does its own. */
export function removeFoldersAtExit(): void {
  if (isListening) return
  isListening = true
  process.once('exit', () => {
    for (const folder of folders) remove(folder)
    removeAbandoned()
  })
}

function removeAbandoned() {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = /^mnemograph-test-(\d+)-/.exec(name) ?? []
    if (pid && !isAlive(Number(pid))) remove(join(tmpdir(), name))
  }
}

/** What somebody still writes into is left for the next run. */
function remove(folder: string) {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {}
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
