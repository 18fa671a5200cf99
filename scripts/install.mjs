/**
 * Installs the dependencies when node_modules does not match package-lock.json, and is silent
 * otherwise. Runs before `npm start` and `npm test`, so it needs nothing installed and any Node from 18 on.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The oldest Node.js that may run the service. */
const OLDEST = 22

const root = fileURLToPath(new URL('..', import.meta.url))
const runtimes = ['node', 'node.exe'].map(name => join(root, 'node_modules', 'node', 'bin', name))

const reason = whyIncomplete()
if (reason) {
  console.error(`Installing the dependencies: ${reason}`)
  if (Number.parseInt(process.versions.node, 10) < OLDEST)
    console.error(
      `Node.js ${process.versions.node} is too old to run the service: a newer one is installed with it`,
    )
  const { status } = spawnSync('npm', ['ci'], {
    cwd: root,
    env: { ...process.env, PATH: pathOutsideModules(), ONNXRUNTIME_NODE_INSTALL: 'skip' },
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  const still = status === 0 ? whyIncomplete() : 'npm ci failed'
  if (still) console.error(`The dependencies are not complete: ${still}`)
  process.exitCode = still ? 1 : 0
}

/** A short description of what is missing or of another version; undefined if nothing is. */
function whyIncomplete() {
  const wanted = packagesOf('package-lock.json')
  const installed = packagesOf('node_modules/.package-lock.json')
  if (!installed) return 'nothing is installed yet'
  for (const [path, { version, integrity, optional }] of Object.entries(wanted ?? {})) {
    if (path === '') continue
    const there = installed[path]
    if (!there && optional) continue
    if (!there || !existsSync(join(root, path))) return `${path} is missing`
    if (there.version !== version || (integrity && there.integrity !== integrity))
      return `${path} is not ${version}`
  }
  const surplus = Object.keys(installed).find(path => !wanted?.[path])
  if (surplus) return `${surplus} is not in package-lock.json`
  return runtimes.some(existsSync) ? undefined : "the `node` package's install script has not run"
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(join(root, lockFile), 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** npm puts node_modules/.bin first, which holds the Node that `npm ci` is about to replace. */
function pathOutsideModules() {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(folder => !folder.includes(`${sep}node_modules${sep}.bin`))
    .join(delimiter)
}
