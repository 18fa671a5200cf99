import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { toolName, toolRoutes } from '../../src/api/mcp/tools.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()

test('the bundle for hosts names the tools, and its server alone connects a host with the service', async () => {
  const folder = temporaryFolder()
  await promisify(execFile)(process.execPath, ['scripts/mcpb.mjs', '--folder', folder])
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  expect(manifest.tools.map(({ name }: { name: string }) => name)).toEqual(toolRoutes.map(toolName))
  const { args, env } = manifest.server.mcp_config
  const { key } = await service.client.createKey({ tenant: freshTenant() })
  const values = { __dirname: folder, url: `${service.url}/mcp`, key }
  const filled = (text: string) =>
    text.replaceAll(/\$\{(?:user_config\.)?(\w+)\}/g, (_, name: keyof typeof values) => values[name])
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: args.map(filled),
    env: Object.fromEntries(
      Object.entries(env as Record<string, string>).map(([name, each]) => [name, filled(each)]),
    ),
  })
  const host = new Client({ name: 'a host', version: '1' })
  await host.connect(transport)
  const { tools } = await host.listTools()
  expect(tools.map(({ name }) => name)).toContain('create_memory')
  const made = await host.callTool({ name: 'create_memory', arguments: { content: 'A bundled walrus' } })
  expect(made.structuredContent).toMatchObject({ content: 'A bundled walrus' })
  await host.close()
})
