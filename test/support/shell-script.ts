import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Puts a shell script of this name into a new `bin` folder somewhere below `parent`, and answers that folder. */
export function shellScript(parent: string, name: string, body: string): string {
  const bin = join(mkdtempSync(join(parent, 'program-')), 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`)
  chmodSync(join(bin, name), 0o755)
  return bin
}
