import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { outputs } from '../../src/api/mcp/outputs.ts'
import { toolName, toolRoutes } from '../../src/api/mcp/tools.ts'
import { connectBridge } from '../support/bridge.ts'
import { calls, connectHttp, kinds, type McpClient } from '../support/mcp.ts'
import { someMemory, withService } from '../support/service.ts'
import { createOneOfEach, type Names } from '../support/tenant-probes.ts'

const service = withService()
let names: Names
beforeAll(async () => {
  names = await createOneOfEach(service.client, service.tenant)
})

/** Two memories of which the service suspects a conflict. */
async function suspected() {
  const place = randomUUID()
  const { memories } = await service.client.createMemories({
    memories: ['Ghent', 'Porto'].map(city => someMemory({ content: `Office ${place} is in ${city}` })),
  })
  await service.drain()
  const [connected, other] = memories.map(({ id }) => id) as [string, string]
  return { connected, other }
}

const ways = { HTTP: connectHttp, 'the bridge': connectBridge }
const cases = kinds.flatMap(kind => (['HTTP', 'the bridge'] as const).map(way => [kind, way] as const))

describe.each(cases)('the client %s over %s', (kind, way) => {
  let client: McpClient
  beforeAll(async () => {
    client = await ways[way](kind, service)
  })
  afterAll(() => client?.close())

  test('lists the tools in their order, each fully described', async () => {
    const { tools } = await client.listTools()
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

  test('calls every tool', async () => {
    for (const name of toolRoutes) {
      const { plan_id } = await service.client.planMaintenance({})
      const plan = plan_id as string
      if (name === 'undoMaintenance') await service.client.applyMaintenance({ id: plan })
      const pair = name === 'reviewConflict' ? await suspected() : {}
      const args = calls[name]({ ...names, ...pair, plan })
      const answer = await client.callTool({ name: toolName(name), arguments: args })
      expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy()
      z.strictObject(outputs[name].shape).parse(answer.structuredContent)
      expect(answer.content).toEqual([{ type: 'text', text: expect.stringMatching(/\S/) }])
    }
  })
})
