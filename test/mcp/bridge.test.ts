import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { startBridge } from '../support/bridge.ts'
import { modernRequest } from '../support/mcp.ts'
import { startService, withService } from '../support/service.ts'

const service = withService()

const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
})
const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' })

/** Where nothing listens. */
async function closedAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>(listening => void server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise(closed => server.close(closed))
  return `http://127.0.0.1:${port}`
}

type Bridge = ReturnType<typeof startBridge>

/** The answer with this id, when it is there. */
const answerTo = (bridge: Bridge, id: unknown) =>
  expect.poll(() => bridge.messages().find(message => message.id === id))

test('bytes may come in any pieces, and what is no message is answered as JSON-RPC says', async () => {
  await using bridge = startBridge(service)
  bridge.send(initialize('2025-06-18'))
  await answerTo(bridge, 'first').toHaveProperty('result.serverInfo.name', 'mnemograph')
  bridge.write('\n   \r\nthis is no JSON\n')
  bridge.write(Buffer.from('{"jsonrpc":"2.0","id":"\xff","method":"ping"}\n', 'latin1'))
  bridge.write('{"id":"old","method":"ping"}\n42\n')
  bridge.send([ping('in a batch')])
  const query = Buffer.from(
    `${JSON.stringify({ jsonrpc: '2.0', id: 'ä🦛', method: 'tools/call', params: { name: 'create_memory', arguments: { content: 'Nilpferd 🦛 schläft' } } })}\n`,
  )
  for (const byte of query) bridge.write(Buffer.of(byte))
  await answerTo(bridge, 'ä🦛').toHaveProperty('result.structuredContent.content', 'Nilpferd 🦛 schläft')
  const refused = bridge.messages().filter(message => message.error)
  expect(refused.map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32700],
    [null, -32700],
    ['old', -32600],
    [null, -32600],
    [null, -32600],
  ])
  bridge.send(ping(0))
  bridge.end()
  expect(await bridge.ended).toBe(0)
  await answerTo(bridge, 0).toHaveProperty('result')
})

const withMetadata = (id: string, metadata: string) =>
  `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"create_memory","arguments":{"content":"A chat ${id}","metadata":${metadata}}}}`

test.each([
  ['number', '{"chat":1234567890123456789}', 'beyond'],
  ['tiny', '{"chat":1e-400}', 'close to zero'],
  ['twice', '{"chat":1,"chat":2}', 'more than once'],
  ['name', '{"__proto__":1}', 'Use another name'],
])(
  'the service sees what the host wrote, and refuses what would be changed: %s',
  async (id, metadata, rule) => {
    await using bridge = startBridge(service)
    bridge.send(initialize('2025-03-26'))
    await answerTo(bridge, 'first').toHaveProperty('result')
    bridge.write(`${withMetadata(id, metadata)}\n`)
    await answerTo(bridge, id).toHaveProperty('result.isError', true)
    const answers = JSON.stringify(bridge.messages())
    expect(answers).toContain(rule)
    bridge.write(`[${withMetadata(`${id} in a batch`, metadata)}]\n`)
    await answerTo(bridge, null).toHaveProperty('error.message', expect.stringContaining(rule))
    bridge.write(`${withMetadata('exact', '{"chat":"1234567890123456789","price":0.10}')}\n`)
    await answerTo(bridge, 'exact').toHaveProperty('result.structuredContent')
  },
)

test('null for the parameters is none, and a notification is never answered', async () => {
  await using bridge = startBridge(service)
  bridge.send(initialize('2025-06-18'))
  await answerTo(bridge, 'first').toHaveProperty('result')
  for (const method of ['ping', 'tools/list', 'prompts/list']) {
    bridge.send({ jsonrpc: '2.0', id: method, method, params: null })
    await answerTo(bridge, method).toHaveProperty('result')
  }
  for (const params of [null, 5, 'text', [1]])
    for (const method of ['notifications/initialized', 'notifications/cancelled', 'notifications/no/such'])
      bridge.send({ jsonrpc: '2.0', method, params })
  bridge.send({ jsonrpc: '2.0', id: 'wrong', method: 'tools/list', params: 5 })
  await answerTo(bridge, 'wrong').toHaveProperty('error')
  bridge.end()
  await bridge.ended
  expect(bridge.messages().map(({ id }) => id)).toEqual([
    'first',
    'ping',
    'tools/list',
    'prompts/list',
    'wrong',
  ])
})

test('the oldest revision has its batches', async () => {
  await using bridge = startBridge(service)
  bridge.send(initialize('2025-03-26'))
  await answerTo(bridge, 'first').toHaveProperty('result.protocolVersion', '2025-03-26')
  bridge.send([ping(1), { jsonrpc: '2.0', method: 'notifications/initialized' }, ping(2)])
  await expect
    .poll(() => bridge.messages().at(-1))
    .toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: {} },
    ])
})

test('a line of 10 MB is refused by its id, one without end by none, and the next is answered', async () => {
  await using bridge = startBridge(service)
  bridge.send({ ...ping('large'), params: { text: 'x'.repeat(10_000_000) } })
  bridge.write(`${'y'.repeat(20_000_000)}\n`)
  bridge.send(modernRequest('tools/list').message)
  await answerTo(bridge, 'large').toMatchObject({
    error: { code: -32600, message: expect.stringContaining('8 MiB') },
  })
  await answerTo(bridge, null).toMatchObject({ error: { code: -32600 } })
  await expect.poll(() => bridge.messages().find(({ result }) => result)).toHaveProperty('result.tools')
})

test('a service that is not there, and a wrong key, are reported in words, and once', async () => {
  for (const [where, env, words] of [
    [{ ...service, url: await closedAddress() }, {}, /nothing listens there\. Start it.*SERVICE_MCP_URL/],
    [service, { SERVICE_MCP_API_KEY: 'wrong' }, /refuses the key.*SERVICE_MCP_API_KEY/],
    [{ ...service, url: service.baseUrl }, {}, /is not Mnemograph.*SERVICE_MCP_URL/],
  ] as const) {
    await using bridge = startBridge(where, env)
    bridge.send(initialize('2025-11-25'))
    bridge.send(modernRequest('tools/list').message)
    await expect.poll(() => bridge.messages()).toHaveLength(2)
    for (const { error } of bridge.messages()) expect(error?.message).toMatch(words)
    bridge.end()
    expect(await bridge.ended).toBe(0)
    expect(bridge.notes).toEqual([expect.stringMatching(words)])
  }
})

test('a call during which the service stops gets an error, and the next one works', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const dying = createServer((req, _res) => {
    req.resume().on('end', () => {
      resolve()
      req.socket.destroy()
    })
  })
  await new Promise<void>(listening => void dying.listen(0, '127.0.0.1', listening))
  const { port } = dying.address() as AddressInfo
  await using bridge = startBridge({ ...service, url: `http://127.0.0.1:${port}` })
  bridge.send({ ...ping(1) })
  await asked
  await answerTo(bridge, 1).toHaveProperty('error.message', expect.stringContaining('broke during the call'))
  dying.closeAllConnections()
  await new Promise(closed => dying.close(closed))
  await using next = await startService({ settings: { SERVICE_PORT: String(port) } })
  expect(next.url).toContain(String(port))
  bridge.send(ping(2))
  await answerTo(bridge, 2).toHaveProperty('result')
})

test('a call that the host cancels is not answered, and SIGTERM ends the bridge', async () => {
  const silent = createServer(() => {})
  await new Promise<void>(listening => void silent.listen(0, '127.0.0.1', listening))
  const { port } = silent.address() as AddressInfo
  await using bridge = startBridge({ ...service, url: `http://127.0.0.1:${port}` })
  const asked = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  silent.on('request', req => {
    asked.resolve()
    req.socket.on('close', () => gone.resolve())
  })
  bridge.send(ping(1))
  await asked.promise
  bridge.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  await gone.promise
  bridge.signal('SIGTERM')
  expect(await bridge.ended).toBe(0)
  expect(bridge.messages()).toEqual([])
  silent.close()
})
