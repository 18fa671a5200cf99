/**
 * Makes the bundle that hosts of MCP install with one click: `npm run mcpb` writes `dist/mnemograph.mcpb`. With
 * `--folder FOLDER` it only writes what goes into the bundle.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { toolName, toolRoutes, tools } from '../src/api/mcp/tools.ts'

const PACKER = '@anthropic-ai/mcpb@2.1.2'
const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({ options: { folder: { type: 'string' } } })
const folder = values.folder ?? join(root, 'dist', 'mcpb')
const { version, license, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** A place that the host fills in. */
const filledByHost = name => ['$', `{${name}}`].join('')

const manifest = {
  manifest_version: '0.3',
  name: 'mnemograph',
  display_name: 'Mnemograph',
  version,
  description: 'Gives an agent a memory: text with meaning, in a graph, kept in your own service',
  author: { name: 'Mnemograph' },
  license,
  ...(repository && { repository }),
  server: {
    type: 'node',
    entry_point: 'server/index.js',
    mcp_config: {
      command: 'node',
      args: [`${filledByHost('__dirname')}/server/index.js`],
      env: {
        SERVICE_MCP_URL: filledByHost('user_config.url'),
        SERVICE_MCP_API_KEY: filledByHost('user_config.key'),
      },
    },
  },
  tools: toolRoutes.map(name => ({ name: toolName(name), description: tools[name].use })),
  user_config: {
    url: {
      type: 'string',
      title: 'Address',
      description: 'Where your Mnemograph serves MCP',
      default: 'http://127.0.0.1:4545/mcp',
      required: true,
    },
    key: {
      type: 'string',
      title: 'Key',
      description: 'A key of your tenant: `mnemograph keys create` makes one',
      sensitive: true,
      required: true,
    },
  },
  compatibility: { runtimes: { node: '>=20.0.0' } },
}

mkdirSync(join(folder, 'server'), { recursive: true })
writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
await build({
  absWorkingDir: root,
  entryPoints: ['clients/mcpb/server.ts'],
  outfile: join(folder, 'server', 'index.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
  },
})
writeFileSync(join(folder, 'server', 'package.json'), '{ "type": "module" }\n')
if (!values.folder)
  for (const words of [
    ['validate', join(folder, 'manifest.json')],
    ['pack', folder, join(root, 'dist', 'mnemograph.mcpb')],
  ])
    execFileSync('npx', ['--yes', PACKER, ...words], { stdio: 'inherit' })
