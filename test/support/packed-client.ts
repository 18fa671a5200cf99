import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../tools/temporary-folder.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** A folder in which the package of the client is installed as `npm pack` makes it, next to other packages. */
export async function folderWithClient(others: readonly string[]) {
  const folder = temporaryFolder()
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  const source = join(root, 'clients', 'typescript')
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source, env })
  const [tarball = ''] = readdirSync(folder)
  const modules = join(folder, 'node_modules')
  const installed = join(modules, '@mnemograph', 'client')
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components', '1'])
  for (const name of others) symlinkSync(join(root, 'node_modules', name), join(modules, name))
  return { folder, installed, bytes: statSync(join(folder, tarball)).size }
}
