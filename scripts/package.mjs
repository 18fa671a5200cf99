/**
 * Packs the package, installs the tarball into an empty folder, and uses it there as anyone would: `npx mnemograph start`
 * serves, the command line, the client and a host of MCP speak to it, and `doctor` finds no failure.
 * `npm run check:package -- --node FOLDER` does so with the `node` in that folder. The Neo4j is the one that the settings
 * name (NEO4J_URI …), else the one that `start` finds.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({ options: { node: { type: 'string' } } })
const nodeFolder = values.node ?? dirname(process.execPath)
const folder = mkdtempSync(join(tmpdir(), 'mnemograph-package-'))
const key = 'key-of-the-package-check-0123456789'
const env = {
  ...process.env,
  PATH: [nodeFolder, process.env.PATH].join(delimiter),
  SERVICE_PORT: '0',
  SERVICE_SERVER_API_KEY: key,
  SERVICE_DATA_DIR: join(folder, 'data'),
  SERVICE_REQUEST_TIMEOUT_MS: '120000',
  // The CUDA libraries that its install script would fetch are not used.
  ONNXRUNTIME_NODE_INSTALL: 'skip',
}
delete env.NODE_OPTIONS

const run = (program, words, cwd = folder) => execFileSync(program, words, { cwd, env, encoding: 'utf8' })

/** Ends the service, once there is one. */
let stop = async () => {}
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(name, async () => {
    await tidyUp()
    process.exit(1)
  })

try {
  console.log(`Node ${run('node', ['--version']).trim()}`)
  run('npm', ['pack', '--silent', '--pack-destination', folder], root)
  const tarball = readdirSync(folder).find(name => name.endsWith('.tgz'))
  run('npm', ['init', '--yes'])
  run('npm', ['install', '--no-audit', '--no-fund', '--silent', `./${tarball}`])
  const installed = join(folder, 'node_modules', 'mnemograph')
  for (const name of ['src', 'test', 'bench'])
    if (existsSync(join(installed, name))) throw new Error(`${name} is in the package`)
  await useIt()
  console.log('The package serves, answers the command line and a host of MCP, and its client has its types.')
} finally {
  await tidyUp()
}

async function tidyUp() {
  await stop()
  rmSync(folder, { recursive: true, force: true })
}

async function useIt() {
  const url = await start()
  writeFileSync(
    join(folder, 'use.mjs'),
    `import { createClient } from 'mnemograph/client'
       const client = createClient({ baseUrl: '${url}/api/v1', apiKey: '${key}', tenant: 'package-check' })
       const { id } = await client.createMemory({ content: 'A packed walrus', policy: 'long_term', ttl_seconds: 0 })
       const { results } = await client.searchMemories({ query: 'walrus', search_type: 'keyword' })
       if (!results.some(({ memory }) => memory.id === id)) throw new Error('it was not found')
       await client.deleteMemory({ id, hard: true })`,
  )
  run('node', ['--no-experimental-strip-types', 'use.mjs'])
  writeFileSync(
    join(folder, 'use.mts'),
    `import { createClient } from 'mnemograph/client'
       const client = createClient({ baseUrl: '' })
       export const found: Promise<{ id: string }> = client.getMemory({ id: '' })
       // @ts-expect-error a misspelt field is noticed
       client.getMemory({ idd: '' })`,
  )
  run(join(root, 'node_modules', '.bin', 'tsc'), [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--lib',
    'es2024,dom',
    '--types',
    '',
    'use.mts',
  ])
  run('npx', [
    'mnemograph',
    'search',
    'walrus',
    '--url',
    url,
    '--api-key',
    key,
    '--type',
    'keyword',
    '--json',
  ])
  await bridge(url)
  execFileSync('npx', ['mnemograph', 'doctor', '--url', url], { cwd: folder, env, stdio: 'inherit' })
}

/** Starts the service with npx and returns its address. Both run in their own process group, which no Ctrl-C reaches. */
async function start() {
  const service = spawn('npx', ['mnemograph', 'start'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  // npx may end before the service, which has the other end of the pipe.
  const ended = once(service, 'close')
  stop = () => {
    // A second signal would end the service before its Neo4j has ended.
    stop = () => ended
    service.stdout.resume()
    signalGroup(service.pid)
    return ended
  }
  return addressOf(service)
}

/** There may be none left. */
function signalGroup(leader) {
  try {
    process.kill(-leader, 'SIGTERM')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** A host that starts the bridge, opens a session and lists the tools. */
async function bridge(url) {
  const host = spawn('npx', ['mnemograph', 'mcp', '--url', `${url}/mcp`], {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(host, 'exit')
  const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]()
  const call = async (id, method, params) => {
    host.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const { value } = await lines.next()
    const { result } = JSON.parse(value)
    if (!result) throw new Error(`${method} is answered with ${value}`)
    return result
  }
  const clientInfo = { name: 'package-check', version: '1' }
  await call(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  host.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  const { tools } = await call(2, 'tools/list', {})
  host.stdin.end()
  const [code] = await ended
  if (code !== 0) throw new Error(`The bridge ended with ${code}`)
  console.log(`mcp: ${tools.length} tools through the bridge`)
}

async function addressOf(service) {
  for await (const line of createInterface({ input: service.stdout })) {
    const url = /^\s*API\s+(http\S+)\/api\/v1/.exec(line)?.[1]
    if (url) return url
  }
  throw new Error('It ended before it served')
}
