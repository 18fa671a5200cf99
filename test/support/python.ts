import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

const NETWORKX = '3.6.1'

/** A Python that has NetworkX, installed into the user's cache when it is not there yet; else why there is none. */
export function pythonWithNetworkx(): { python?: string; reason?: string } {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const environment = join(cache, 'mnemograph', `networkx-${NETWORKX}`)
  const python = pythonOf(environment)
  try {
    if (existsSync(environment) && spawnSync(python, ['-c', 'import networkx']).status !== 0)
      rmSync(environment, { recursive: true })
    if (!existsSync(environment)) install(environment)
    return { python }
  } catch (error) {
    return { reason: `NetworkX cannot be installed: ${(error as Error).message.split('\n')[0]}` }
  }
}

const pythonOf = (environment: string) => join(environment, 'bin', 'python')

/** It is there when it is whole. Of those who install it at the same time the first is kept. */
function install(environment: string) {
  mkdirSync(dirname(environment), { recursive: true })
  const fresh = mkdtempSync(`${environment}-`)
  try {
    execFileSync('python3', ['-m', 'venv', fresh], { stdio: 'pipe' })
    const words = ['-m', 'pip', 'install', '--quiet', `networkx==${NETWORKX}`]
    execFileSync(pythonOf(fresh), words, { stdio: 'pipe', timeout: 60_000 })
    renameSync(fresh, environment)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(environment)) throw error
  }
}
