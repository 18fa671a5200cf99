/**
 * Makes the pages that the service shows, `src/pages/`, into files for browsers: `dist/pages/`. Is silent and quick when
 * they are made already. Runs before `npm start` and `npm test` and within `npm run build`, on any Node from 18.17 on.
 * The packages that it needs are those of `src/pages/package-lock.json`: `scripts/install.mjs` installs them.
 */
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'dist', 'pages')
const project = join(root, 'src', 'pages')

/** Whether there are pages of exactly these sources and packages. */
export const pagesAreMade = () => areOf(fingerprint())

async function makePages() {
  const wanted = fingerprint()
  if (areOf(wanted)) return
  if (!existsSync(join(project, 'node_modules', 'esbuild')))
    throw new Error('The packages of the console are not installed: node scripts/install.mjs')
  const { build } = createRequire(join(project, 'package.json'))('esbuild')
  mkdirSync(join(root, 'dist'), { recursive: true })
  removeLeftovers()
  const fresh = `${folder}-${process.pid}`
  try {
    const { metafile } = await build({ ...options, outdir: fresh })
    mkdirSync(join(fresh, 'docs'))
    for (const name of reference) copyFileSync(join(project, name), join(fresh, 'docs', basename(name)))
    copyFileSync(join(root, samples), join(fresh, 'console', 'samples.ndjson'))
    writeFileSync(join(fresh, 'licences.txt'), licencesOf([...Object.keys(metafile.inputs), ...reference]))
    writeFileSync(join(fresh, 'made-from'), wanted)
    if (!areOf(wanted)) putInPlace(fresh, wanted)
  } finally {
    remove(fresh)
  }
}

function areOf(wanted) {
  try {
    return readFileSync(join(folder, 'made-from'), 'utf8') === wanted
  } catch {
    return false
  }
}

/** Another process may build the same sources at the same time: its result is used. */
function putInPlace(fresh, wanted) {
  const old = `${fresh}-old`
  try {
    moveAway(folder, old)
    renameSync(fresh, folder)
  } catch (error) {
    if (!areOf(wanted)) throw error
  } finally {
    remove(old)
  }
}

function moveAway(path, to) {
  try {
    renameSync(path, to)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

/** Removes the output of an interrupted build. */
function removeLeftovers() {
  for (const name of readdirSync(join(root, 'dist'))) {
    const [, pid] = /^pages-(\d+)/.exec(name) ?? []
    if (pid && !isAnother(Number(pid))) remove(join(root, 'dist', name))
  }
}

function isAnother(pid) {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

const remove = path => rmSync(path, { recursive: true, force: true })

const options = {
  absWorkingDir: project,
  entryPoints: {
    'console/index': 'console/index.html',
    'console/main': 'console/main.tsx',
    'console/layout': 'console/views/graph/layout.worker.ts',
    'graphiql/index': 'graphiql/index.html',
    'graphiql/main': 'graphiql/main.tsx',
    'graphiql/editor.worker': 'monaco-editor/esm/vs/editor/editor.worker.js',
    'graphiql/graphql.worker': 'monaco-graphql/esm/graphql.worker.js',
    'graphiql/json.worker': 'monaco-editor/esm/vs/language/json/json.worker.js',
  },
  assetNames: 'graphiql/[name]',
  // A view is loaded when it is opened. All chunks lie as deep as the pages, which find the API from there.
  chunkNames: 'console/part-[hash]',
  splitting: true,
  alias: { 'react-remove-scroll': './console/parts/no-scroll-lock.tsx' },
  bundle: true,
  minify: true,
  metafile: true,
  format: 'esm',
  target: ['chrome123', 'firefox121', 'safari17.5'],
  loader: { '.html': 'copy', '.ttf': 'file' },
  define: { 'process.env.NODE_ENV': '"production"' },
  tsconfig: 'tsconfig.json',
  legalComments: 'none',
  logLevel: 'warning',
}

/** What the console offers to an empty tenant. */
const samples = 'samples/memories.ndjson'

/** What `/docs` shows the API description with. */
const reference = ['swagger-ui.css', 'swagger-ui-bundle.js'].map(
  name => `node_modules/swagger-ui-dist/${name}`,
)

function fingerprint() {
  const hash = createHash('sha256')
  const sources = readdirSync(project, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap(entry =>
      entry.isDirectory() ? filesBelow(join(project, entry.name)) : join(project, entry.name),
    )
  for (const path of [
    ...sources.sort(),
    fileURLToPath(import.meta.url),
    join(root, 'package-lock.json'),
    join(root, samples),
  ])
    if (existsSync(path)) hash.update(path.slice(root.length)).update(readFileSync(path))
  return hash.digest('hex')
}

const filesBelow = path =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath ?? entry.path, entry.name))

/** The licences of the packages that went into the pages, which their terms require to include. */
function licencesOf(inputs) {
  const packages = inputs.flatMap(
    path => path.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/)?.[1] ?? [],
  )
  const texts = [...new Set(packages)].sort().map(path => {
    const file = readdirSync(join(project, path)).find(name => /^licen[cs]e/i.test(name))
    const { name, license } = JSON.parse(readFileSync(join(project, path, 'package.json'), 'utf8'))
    return `${name} (${license})\n\n${file ? readFileSync(join(project, path, file), 'utf8') : ''}`
  })
  return texts.join(`\n${'-'.repeat(80)}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makePages()
