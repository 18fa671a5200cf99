#!/usr/bin/env node
// The command line: the built one of an installed package, or the sources of a clone. Sources need a Node.js that runs
// TypeScript, which `npm install` brings.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const pathOf = name => fileURLToPath(new URL(`../${name}`, import.meta.url))
const built = new URL('../dist/src/cli/main.js', import.meta.url)
const sources = pathOf('src/cli/main.ts')
// What was compiled once starts in half the time. It is code, so nobody else may write there.
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mnemograph', 'compiled')
if (existsSync(sources)) {
  const bundled = pathOf('node_modules/node/bin/node')
  const program = existsSync(bundled) ? bundled : process.execPath
  const { status, signal } = spawnSync(program, [sources, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: cache, ...process.env },
  })
  process.exitCode = status ?? (signal === 'SIGINT' ? 130 : 1)
} else {
  enableCompileCache(process.env.NODE_COMPILE_CACHE || cache)
  await import(built.href)
}
