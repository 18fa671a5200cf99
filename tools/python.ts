import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

const INSTALL_MS = 300_000

/**
 * A Python that has these packages, installed once into the user's cache. Call their programs by `-m`: their scripts hold a
 * path that is no more.
 * @throws where there is no Python 3, or its packages cannot be fetched
 */
export function python(packages: readonly string[]): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const digest = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 12)
  const environment = join(cache, 'mnemograph', `python-${digest}`)
  if (!existsSync(environment)) install(environment, packages)
  return programOf(environment)
}

const programOf = (environment: string) =>
  join(environment, process.platform === 'win32' ? 'Scripts' : 'bin', 'python')

/** It is there when it is whole. Of those who install it at the same time the first is kept. */
function install(environment: string, packages: readonly string[]) {
  mkdirSync(dirname(environment), { recursive: true })
  const fresh = mkdtempSync(`${environment}-`)
  try {
    execFileSync('python3', ['-m', 'venv', fresh], { stdio: 'pipe' })
    const words = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]
    execFileSync(programOf(fresh), words, { stdio: 'pipe', timeout: INSTALL_MS })
    renameSync(fresh, environment)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(environment)) throw error
  }
}
