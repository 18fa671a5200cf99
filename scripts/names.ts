/**
 * Holds exported names to one meaning: `npm run names`. A name may be exported by two files only where the service and the store
 * each have their part of one operation. It prints the others, and ends with 1 if there are any.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const EXPORTED = /^export (?:async )?(?:const|function\*?|class|type|interface) (\w+)/gm

const filesOf = new Map<string, string[]>()
for (const file of execFileSync('git', ['ls-files', '--', 'src', 'integrations'], {
  cwd: root,
  encoding: 'utf8',
}).split('\n')) {
  if (!/\.ts$/.test(file) || file.startsWith('src/pages/')) continue
  for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(EXPORTED))
    filesOf.set(name, [...(filesOf.get(name) ?? []), file])
}

const isOneOperation = (files: readonly string[]) =>
  files.length === 2 &&
  ['src/service/', 'src/store/'].every(floor => files.some(file => file.startsWith(floor)))

const ambiguous = [...filesOf].filter(([, files]) => new Set(files).size > 1 && !isOneOperation(files))
for (const [name, files] of ambiguous) console.log(`${name}: ${files.join(', ')}`)
if (ambiguous.length > 0) process.exitCode = 1
