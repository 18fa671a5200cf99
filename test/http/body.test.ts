import { gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { rawRequest } from '../support/raw-request.ts'
import { OPERATOR_KEY, someMemory, withService } from '../support/service.ts'

const service = withService()

const memory = JSON.stringify(someMemory())
const MIB = 1024 * 1024

test.each([
  ['a cut object', memory.slice(0, -1)],
  ['single quotes', memory.replaceAll('"', "'")],
  ['a comma too many', `${memory.slice(0, -1)},}`],
  ['two objects', memory + memory],
  ['a comment', `${memory} // note`],
  ['NaN', '{"importance": NaN}'],
  ['a blank', ' '],
  ['UTF-16', Buffer.from(memory, 'utf16le')],
  ['bytes that are no UTF-8', Buffer.from(memory.replace('cat', 'c\u00e4t'), 'latin1')],
  [
    'half of a character',
    Buffer.concat([Buffer.from('{"content": "'), Buffer.of(0xe2, 0x82), Buffer.from('"}')]),
  ],
])('%s is malformed JSON', async (_, body) => {
  await expectProblem(await post(body), 'malformed_json')
})

test('a byte order mark before the JSON does no harm', async () => {
  expect((await post(`\ufeff${memory}`)).status).toBe(201)
})

test('deeply nested JSON is refused like any other wrong type', async () => {
  const depth = 100_000
  const body = `{"content": ${'['.repeat(depth)}${']'.repeat(depth)}}`
  await expectProblem(await post(body), 'validation_failed')
})

test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'])(
  'a body can be %s',
  async type => {
    expect((await post(memory, { 'content-type': type })).status).toBe(201)
  },
)

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/form-data',
  'json',
])('a body cannot be %s', async type => {
  await expectProblem(await post(memory, { 'content-type': type }), 'unsupported_media_type')
})

test('a body without a media type is refused', async () => {
  const response = await service.request('/memories', { method: 'POST', body: Buffer.from(memory) })
  await expectProblem(response, 'unsupported_media_type')
})

test('a compressed body is read', async () => {
  expect((await post(gzipSync(memory), { 'content-encoding': 'gzip' })).status).toBe(201)
})

test.each(['compress', 'rot13', 'zstd', 'gzip, zstd'])('a body cannot be encoded as %s', async encoding => {
  await expectProblem(await post(memory, { 'content-encoding': encoding }), 'unsupported_media_type')
})

test('a body in zstd is refused, whichever version of Node.js runs the service', async () => {
  const packed = zstdCompressSync(memory)
  for (const encoding of ['zstd', 'ZSTD'])
    await expectProblem(await post(packed, { 'content-encoding': encoding }), 'unsupported_media_type')
})

test('a body that is not compressed as it says is malformed', async () => {
  await expectProblem(await post(memory, { 'content-encoding': 'gzip' }), 'malformed_json')
})

test.each([
  ['in Latin-1', { 'content-type': 'application/json; charset=iso-8859-1' }, 'unsupported_media_type'],
  [
    'in a charset that there is not',
    { 'content-type': 'application/json; charset=utf-99' },
    'unsupported_media_type',
  ],
  ['encoded as rot13', { 'content-encoding': 'rot13' }, 'unsupported_media_type'],
  ['encoded as zstd', { 'content-encoding': 'zstd' }, 'unsupported_media_type'],
  ['that is not compressed as it says', { 'content-encoding': 'gzip' }, 'malformed_json'],
] as const)('a GraphQL request %s is refused for that', async (_, headers, code) => {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': OPERATOR_KEY, ...headers },
    body: '{"query": "{ __typename }"}',
  })
  await expectProblem(response, code)
})

test('a body of 8 MiB is read, and one byte more is too large', async () => {
  await expectProblem(await post(padded(8 * MIB)), 'validation_failed')
  await expectProblem(await post(padded(8 * MIB + 1)), 'payload_too_large')
})

test('a body that grows beyond 8 MiB when it is unpacked is too large', async () => {
  const packed = gzipSync(padded(9 * MIB))
  expect(packed.length).toBeLessThan(MIB / 8)
  await expectProblem(await post(packed, { 'content-encoding': 'gzip' }), 'payload_too_large')
})

test('nothing is read of a body without a key', async () => {
  const headers = { 'content-type': 'application/json' }
  for (const body of [padded(8 * MIB + 1), '{'])
    await expectProblem(
      await fetch(`${service.baseUrl}/memories`, { method: 'POST', headers, body }),
      'unauthorized',
    )
})

test('the service goes on after each of these', async () => {
  expect((await post(memory)).status).toBe(201)
})

const padded = (length: number) => `{"x": "${'x'.repeat(length - 9)}"}`

const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  service.request('/memories', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })

test('what is sent in a body that is not read is refused, and nothing is done', async () => {
  const { id } = await service.client.createMemory(someMemory())
  const send = (method: string, path: string, body: string) =>
    rawRequest(`${service.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${OPERATOR_KEY}`,
        'x-tenant-id': service.tenant,
        'content-length': String(Buffer.byteLength(body)),
      },
      body,
    })
  for (const [method, path, body, pointer] of [
    ['DELETE', `/memories/${id}`, '{"hard": true}', '/hard'],
    ['GET', '/stats', '{"a/b": 1}', '/a~1b'],
    ['GET', '/stats', '[]', ''],
    ['DELETE', `/memories/${id}`, 'hard=true', ''],
  ] as const) {
    const { status, text } = await send(method, path, body)
    expect([status, JSON.parse(text).errors[0].pointer], body).toEqual([422, pointer])
  }
  expect((await service.client.getMemory({ id })).state).toBe('active')
  expect((await send('GET', '/stats', '{}')).status).toBe(200)
})

test('a name in the query of a request with a body is refused by its pointer', async () => {
  const response = await service.request('/memories?a~b/c=1', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: memory,
  })
  expect((await expectProblem(response, 'validation_failed')).errors?.[0]?.pointer).toBe('/a~0b~1c')
})
