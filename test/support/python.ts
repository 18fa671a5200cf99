import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const NETWORKX = '3.6.1'

/** A Python that has NetworkX, installed into the user's cache when it is not there yet; else why there is none. */
export function pythonWithNetworkx(): { python?: string; reason?: string } {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const environment = join(cache, 'mnemograph', `networkx-${NETWORKX}`)
  const python = join(environment, 'bin', 'python')
  try {
    if (!existsSync(python)) execFileSync('python3', ['-m', 'venv', environment], { stdio: 'pipe' })
    if (spawnSync(python, ['-c', 'import networkx']).status !== 0)
      execFileSync(python, ['-m', 'pip', 'install', '--quiet', `networkx==${NETWORKX}`], {
        stdio: 'pipe',
        timeout: 60_000,
      })
    return { python }
  } catch (error) {
    return { reason: `NetworkX is not to be had: ${(error as Error).message.split('\n')[0]}` }
  }
}
