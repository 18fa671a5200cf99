import { afterAll, beforeAll, expect, test } from 'vitest'
import { toolName, toolRoutes } from '../src/api/mcp/tools.ts'
import { routes } from '../src/contract/index.ts'
import { calls, connectHttp, kinds, type McpClient } from './support/mcp.ts'
import { startService, type TestService } from './support/service.ts'
import { type Names, settle } from './support/strangers.ts'

let service: TestService
let names: Names
const clients = new Map<string, McpClient>()
beforeAll(async () => {
  service = await startService()
  names = await settle(service.client, service.tenant)
  for (const kind of kinds) clients.set(kind, await connectHttp(kind, service))
})
afterAll(async () => {
  for (const client of clients.values()) await client.close()
  await service?.[Symbol.asyncDispose]()
})

test.each(kinds)('the client %s lists the tools in their order, each fully described', async kind => {
  const { tools } = await (clients.get(kind) as McpClient).listTools()
  expect(tools.map(({ name }) => name)).toEqual(toolRoutes.map(toolName))
  for (const tool of tools)
    expect(tool).toMatchObject({
      title: expect.any(String),
      description: expect.stringMatching(/\w{3}.*\.$/s),
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: expect.any(Boolean), openWorldHint: false },
    })
})

test.each(kinds)('the client %s calls every tool', async kind => {
  const client = clients.get(kind) as McpClient
  await client.listTools()
  for (const name of toolRoutes) {
    const answer = await client.callTool({ name: toolName(name), arguments: calls[name](names) })
    expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy()
    routes[name].output.parse(answer.structuredContent)
    expect(answer.content).toEqual([{ type: 'text', text: expect.stringMatching(/\S/) }])
  }
})
