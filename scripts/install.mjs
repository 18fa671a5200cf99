/**
 * Installs the packages when node_modules does not match package-lock.json, and is silent otherwise: with the word
 * `start` those that a start needs, else all. Runs before `npm start` and `npm test`, so it needs nothing installed and
 * any Node from 18.17 on.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pagesAreMade } from './pages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const forStart = process.argv[2] === 'start'
const runtimes = ['node', 'node.exe'].map(name => join(root, 'node_modules', 'node', 'bin', name))
const needsRuntime = !forStart || !isSupported(process.versions.node)

const pages = { folder: join(root, 'src', 'pages'), what: 'the packages of the console', quiet: true }
const service = { folder: root, what: 'the dependencies', whyBroken }
const parts = forStart && pagesAreMade() ? [service] : [service, pages]
const done = await Promise.all(parts.map(install))
process.exitCode = done.every(Boolean) ? 0 : 1

/** Whether all is there in the end. */
async function install({ folder, what, whyBroken = () => undefined, quiet = false }) {
  const why = () => whyIncomplete(folder) ?? whyBroken()
  const reason = why()
  if (!reason) return true
  console.error(`Installing ${what}: ${reason}`)
  const words = wordsFor(folder)
  const failed = await npm(words, folder, quiet)
  const still = failed ? `npm ${words[0]} failed` : why()
  if (still) console.error(`Not complete: ${what}: ${still}`)
  else removeUnused(join(folder, 'node_modules'))
  return !still
}

function wordsFor(folder) {
  if (!forStart) return ['ci']
  if (folder !== root || !needsRuntime) return ['ci', '--omit=dev']
  const { version } = packagesOf(root, 'package-lock.json')['node_modules/node']
  console.error(
    `Node.js ${process.versions.node} does not run the service: Node.js ${version} is installed with it`,
  )
  return ['install', '--omit=dev', '--no-save', '--save-prod', `node@${version}`]
}

/** Runs npm. A quiet one prints only why it failed. */
function npm(words, cwd, quiet) {
  const child = spawn('npm', words, {
    cwd,
    env: { ...process.env, PATH: pathOutsideModules(), ONNXRUNTIME_NODE_INSTALL: 'skip' },
    stdio: quiet ? ['ignore', 'ignore', 'inherit'] : 'inherit',
    shell: process.platform === 'win32',
  })
  return new Promise(resolve => {
    child.on('error', () => resolve(true))
    child.on('close', code => resolve(code !== 0))
  })
}

/** A short description of what is missing or of another version; undefined if nothing is. */
function whyIncomplete(folder) {
  const wanted = packagesOf(folder, 'package-lock.json') ?? {}
  const installed = packagesOf(folder, 'node_modules/.package-lock.json')
  if (!installed) return 'nothing is installed yet'
  for (const [path, { version, integrity, optional, devOptional, dev }] of Object.entries(wanted)) {
    if (path === '' || (forStart && dev)) continue
    const there = installed[path]
    if (!there && (optional || devOptional)) continue
    if (!there || !existsSync(join(folder, path))) return `${path} is missing`
    if (there.version !== version || (integrity && there.integrity !== integrity))
      return `${path} is not ${version}`
  }
  const surplus = Object.keys(installed).find(path => !wanted[path])
  return surplus && `${surplus} is not in package-lock.json`
}

function whyBroken() {
  if (!needsRuntime || runtimes.some(existsSync)) return undefined
  return forStart ? 'Node.js for the service is missing' : "the `node` package's install script has not run"
}

function packagesOf(folder, lockFile) {
  try {
    return JSON.parse(readFileSync(join(folder, lockFile), 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The engines of package.json. */
function isSupported(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 9)
}

/**
 * The runtime of the built-in model brings 250 MB of binaries for other systems, and the package of Node.js 67 MB of
 * headers. A start does not need the 50 MB of source maps either.
 */
function removeUnused(modules) {
  const binaries = join(modules, 'onnxruntime-node', 'bin', 'napi-v6')
  removeExcept(binaries, process.platform)
  removeExcept(join(binaries, process.platform), process.arch)
  rmSync(join(modules, 'node', 'node_modules'), { recursive: true, force: true })
  if (!forStart) return
  for (const path of readdirSync(modules, { recursive: true }))
    if (/\.[cm]?[jt]s\.map$/.test(path)) rmSync(join(modules, path))
}

function removeExcept(folder, kept) {
  for (const name of existsSync(join(folder, kept)) ? readdirSync(folder) : [])
    if (name !== kept) rmSync(join(folder, name), { recursive: true })
}

/** npm puts node_modules/.bin first, which holds the Node that npm is about to replace. */
function pathOutsideModules() {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(folder => !folder.includes(`${sep}node_modules${sep}.bin`))
    .join(delimiter)
}
