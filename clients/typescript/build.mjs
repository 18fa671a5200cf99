/** Makes the package: modules for Node and browsers by esbuild, without what only the service needs, and types by tsc. */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = fileURLToPath(new URL('.', import.meta.url))

rmSync(new URL('dist', import.meta.url), { recursive: true, force: true })
await build({
  absWorkingDir: here,
  entryPoints: ['src/index.ts', 'src/ai-sdk.ts', 'src/langchain.ts', 'src/langgraph.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  external: ['zod', 'ai', '@langchain/*'],
})
execFileSync('npx', ['tsc', '-p', 'tsconfig.json'], { cwd: here, stdio: 'inherit' })
