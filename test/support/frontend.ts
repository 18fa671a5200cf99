import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const run = promisify(execFile)
const root = process.cwd()

/** Runs a program of the packages, as a developer does. @throws with what it printed if it fails */
export async function runTool(name: string, words: readonly string[], cwd: string): Promise<string> {
  const program = join(root, 'node_modules', '.bin', name)
  const { stdout, stderr } = await run(program, words, { cwd }).catch((error: { stdout: string }) => {
    throw new Error(`${name} failed: ${error.stdout}`, { cause: error })
  })
  return stdout + stderr
}

/** A folder in which the packages of this project are found. */
export async function folderForTools() {
  await mkdir(join(root, 'dist'), { recursive: true })
  const folder = await mkdtemp(join(root, 'dist', 'frontend-'))
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** Makes `examples/frontend` as its page says, with a schema: generates, compiles and bundles it. */
export async function makeFrontend(folder: string, schema: string) {
  await cp('examples/frontend', folder, { recursive: true })
  await writeFile(join(folder, 'schema.graphql'), schema)
  await runTool('graphql-codegen', ['--config', 'codegen.ts'], folder)
  await runTool('tsc', ['--noEmit'], folder)
  await build({
    entryPoints: [join(folder, 'src/main.tsx')],
    outfile: join(folder, 'public/main.js'),
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    logLevel: 'error',
  })
}

/** Serves the files of a folder from an origin of its own. */
export async function startFileServer(folder: () => string) {
  const types: Record<string, string> = { html: 'text/html', js: 'text/javascript' }
  const server = createServer(async (req, res) => {
    const name = req.url === '/' ? 'index.html' : `${req.url}`.slice(1)
    const bytes = await readFile(join(folder(), name)).catch(() => undefined)
    res.writeHead(bytes ? 200 : 404, { 'content-type': types[name.split('.').at(-1) ?? ''] ?? 'text/plain' })
    res.end(bytes)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => void server.close().closeAllConnections(),
  }
}
