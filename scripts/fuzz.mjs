/**
 * Sends random and malformed requests: `npm run fuzz`, or for instance `npm run fuzz -- --max-examples 50 --seed 7`.
 *
 * It installs schemathesis from PyPI into a virtual environment of its own below the user's cache folder (Python 3.11
 * or newer; remove the folder to be rid of it), starts a service on a free port, on the Neo4j at NEO4J_URI or else on
 * a managed one in a temporary folder, and runs all checks of schemathesis against its /openapi.json. Arguments after
 * `--` go to `schemathesis run`. `scripts/fuzz.toml` lists the findings to ignore, and why. It exits as
 * schemathesis does: with 0 when nothing was found.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { python } from '../tools/python.ts'

const SCHEMATHESIS = '4.32.5'
/** The same cases every time; another seed finds other ones. */
const DEFAULTS = ['--seed', '20261121', '--max-examples', '25']

const root = join(import.meta.dirname, '..')
const key = randomBytes(24).toString('base64url')
/** The Neo4j of a service that was killed writes a little longer. */
const patiently = { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }
const folder = mkdtempSync(join(tmpdir(), 'mnemograph-fuzz-'))
const service = start()
const ended = once(service, 'exit')
const broken = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(name, async () => {
    broken.abort()
    await tidyUp()
    process.exit(1)
  })
try {
  const program = python([`schemathesis==${SCHEMATHESIS}`])
  process.exitCode = await fuzz(program, await addressOf(service))
} finally {
  await tidyUp()
}

/** Away from the terminal: it ends at once on a second signal, so that only ours may reach it. */
function start() {
  return spawn(process.execPath, [join(root, 'src', 'main.ts')], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...(process.env.NEO4J_URI ? {} : { SERVICE_NEO4J: 'managed' }),
      SERVICE_PORT: '0',
      SERVICE_DATA_DIR: folder,
      SERVICE_SERVER_API_KEY: key,
      SERVICE_EMBEDDING_PROVIDER: 'hash',
      SERVICE_WARM_UP: 'off',
      SERVICE_LOG_LEVEL: process.env.SERVICE_LOG_LEVEL ?? 'error',
    },
  })
}

/** The address that the service prints. */
async function addressOf({ stdout }) {
  for await (const line of createInterface({ input: stdout })) {
    console.log(line)
    const url = /^\s*API\s+(http\S+)/.exec(line)?.[1]
    if (url) return url
  }
  throw new Error('The service did not start')
}

/** Everything happens in one tenant of its own, so that fuzzing leaves the rest of a database alone. */
async function fuzz(program, url) {
  const child = spawn(
    program,
    [
      ...['-m', 'schemathesis.cli'],
      ...['--config-file', join(import.meta.dirname, 'fuzz.toml'), 'run', `${url}/openapi.json`],
      ...header('Authorization', `Bearer ${key}`),
      ...header('X-API-Key', key),
      ...header('X-Tenant-Id', `fuzz-${Date.now()}`),
      ...DEFAULTS,
      ...process.argv.slice(2),
    ],
    { stdio: 'inherit', cwd: folder, signal: broken.signal },
  )
  const [status] = await once(child, 'exit')
  return status ?? 1
}

function header(name, value) {
  return ['--header', `${name}: ${value}`]
}

/** Ends the service, if it has not ended in whatever way, and removes its folder. */
async function tidyUp() {
  service.stdout.resume()
  if (!service.killed) service.kill('SIGTERM')
  await ended
  rmSync(folder, patiently)
}
