import { describe, expect, test } from 'vitest'
import { connectBridge } from '../support/bridge.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { connectHttp, kinds, type McpClient } from '../support/mcp.ts'
import { OPERATOR_KEY, startService, withService } from '../support/service.ts'

const service = withService()

const SMALL = [
  'compose_context',
  'search_memories',
  'get_memory',
  'create_memory',
  'update_memory',
  'delete_memory',
]

const ways = {
  HTTP: (kind: (typeof kinds)[number]) => connectHttp(kind, service, undefined, '?tools=small'),
  'the bridge': (kind: (typeof kinds)[number]) =>
    connectBridge(kind, service, { SERVICE_MCP_TOOLS: 'small' }),
}
const cases = kinds.flatMap(kind => (['HTTP', 'the bridge'] as const).map(way => [kind, way] as const))

const namesOf = async (client: McpClient) => (await client.listTools()).tools.map(({ name }) => name)

test('the small profile has six tools that cost a model fewer than 2,000 tokens with all that a host is sent', async () => {
  await using client = asDisposable(await connectHttp('1.x', service, undefined, '?tools=small'))
  const { tools } = await client.listTools()
  expect(tools).toHaveLength(6)
  expect(JSON.stringify(tools).length / 4).toBeLessThan(2_000)
})

describe.each(cases)('the client %s over %s with the small profile', (kind, way) => {
  test('stores, finds, corrects and forgets', async () => {
    await using client = asDisposable(await ways[way](kind))
    expect(await namesOf(client)).toEqual(SMALL)
    const call = async (name: string, args: Record<string, unknown>) => {
      const answer = await client.callTool({ name, arguments: args })
      const text = JSON.stringify(answer.content)
      expect(answer.isError, text).toBeFalsy()
      return { text, fields: answer.structuredContent as Record<string, unknown> }
    }
    const word = `quay${kind}${way}`.replaceAll(/\W/g, '')
    const { id } = (
      await call('create_memory', { content: `The ferry ${word} leaves at nine`, tags: [word] })
    ).fields as { id: string }
    const found = await call('search_memories', { query: word, search_type: 'keyword' })
    expect(found.text).toContain(id)
    await call('update_memory', { id, content: `The ferry ${word} leaves at ten` })
    expect((await call('get_memory', { id })).text).toContain('at ten')
    expect((await call('compose_context', { query: `ferry ${word}`, tags: [word] })).text).toContain('at ten')
    await call('delete_memory', { id })
    expect((await call('search_memories', { query: word, search_type: 'keyword' })).text).not.toContain(id)
    await expect(client.callTool({ name: 'find_path', arguments: {} })).rejects.toThrow('no tool find_path')
  })
})

test('the setting chooses the profile, and the address overrides it', async () => {
  await using small = await startService({ settings: { SERVICE_MCP_TOOLS: 'small' } })
  await using client = asDisposable(await connectHttp('1.x', small))
  expect(await namesOf(client)).toEqual(SMALL)
  await using all = asDisposable(await connectHttp('1.x', small, undefined, '?tools=all'))
  expect((await namesOf(all)).length).toBeGreaterThan(SMALL.length)
})

test('a profile that does not exist is refused with those that do', async () => {
  const answer = await fetch(`${service.url}/mcp?tools=tiny`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
    body: '{}',
  })
  const { detail } = await expectProblem(answer, 'validation_failed')
  expect(detail).toContain('all, small')
})

const asDisposable = (client: McpClient) =>
  Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
