import { hash } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { readSafelist } from '../../src/platform/safelist.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { graphql } from '../support/graphql.ts'
import { logged } from '../support/output.ts'
import { OPERATOR_KEY, someMemory, startService, withService } from '../support/service.ts'
import { heardOf, listenTo } from '../support/statements.ts'

const newest = 'query Newest($n: Int) { memories(limit: $n) { content } }'
const create = 'mutation Create($content: String!) { createMemory(content: $content) { memory { content } } }'
const operations = [
  { id: 'newest', name: 'Newest', type: 'query', body: newest },
  { id: 'create', name: 'Create', type: 'mutation', body: create },
  { id: 'changes', name: 'Changes', type: 'subscription', body: 'subscription Changes { changes { kind } }' },
  { id: 'huge', name: 'Huge', type: 'query', body: '{ memories(limit: 1000000) { id } }' },
]
const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations }
const fileOf = (content: unknown) => {
  const file = join(temporaryFolder(), 'manifest.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const service = withService({ settings: { SERVICE_GRAPHQL_SAFELIST: fileOf(manifest) } })

const headers = () => ({
  authorization: `Bearer ${OPERATOR_KEY}`,
  'x-tenant-id': service.tenant,
  'content-type': 'application/json',
  'apollo-require-preflight': 'true',
})
const post = async (body: unknown) => {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: headers(),
    body: JSON.stringify(body),
  })
  const { extensions: _cost, ...answer } = (await response.json()) as { extensions?: unknown }
  return { status: response.status, ...answer }
}
const get = async (parameters: Record<string, string>) => {
  const query = new URLSearchParams(parameters)
  const response = await fetch(`${service.url}/graphql?${query}`, { headers: headers() })
  const { extensions: _cost, ...answer } = (await response.json()) as { extensions?: unknown }
  return { status: response.status, ...answer }
}
const byId = (sha256Hash: unknown) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } })

test('an operation on the list is answered, asked by its id or word for word', async () => {
  const content = 'On the list'
  expect(await post({ ...byId('create'), variables: { content } })).toEqual({
    status: 200,
    data: { createMemory: { memory: { content } } },
  })
  const answer = { status: 200, data: { memories: [{ content }] } }
  expect(await post({ query: newest, variables: { n: 3 } })).toEqual(answer)
  expect(await post({ ...byId('newest'), query: newest, operationName: 'Newest' })).toEqual(answer)
  const extensions = JSON.stringify(byId('newest').extensions)
  expect(await get({ extensions, variables: '{"n": 2}' })).toEqual(answer)
  expect(await get({ query: newest })).toEqual(answer)
})

test('a document on the list is asked by its id, and an answer by GET need not come twice', async () => {
  const answer = { status: 200, data: { memories: [{ content: 'On the list' }] } }
  for (const documentId of ['newest', 'sha256:newest'])
    expect(await post({ documentId, variables: { n: 1 } })).toEqual(answer)
  expect(await get({ documentId: 'newest', variables: '{"n": 1}' })).toEqual(answer)
  const fetched = (known = '') =>
    fetch(`${service.url}/graphql?documentId=newest`, { headers: { ...headers(), 'if-none-match': known } })
  const whole = await fetched()
  expect(whole.headers.get('cache-control')).toBe('private, no-cache')
  const again = await fetched(whole.headers.get('etag') ?? '')
  expect([again.status, await again.text()]).toEqual([304, ''])
  await service.client.createMemory(someMemory({ content: 'Written since' }))
  expect((await fetched(whole.headers.get('etag') ?? '')).status).toBe(200)
})

test('a subscription is asked by its id too', async () => {
  const ask = (body: object) =>
    fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { ...headers(), accept: 'text/event-stream' },
      body: JSON.stringify(body),
    })
  const listed = await ask({ documentId: 'changes' })
  expect([listed.status, listed.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  await listed.body?.cancel()
  expect((await ask({ documentId: 'unknown' })).status).toBe(403)
})

test('a subscription is asked by its id over a websocket', async () => {
  const { tenant } = service
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: headers(),
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'connection_init' }))
  await once(socket, 'message')
  const messages: string[] = []
  socket.on('message', message => messages.push(String(message)))
  const ask = (id: string, payload: object) => socket.send(JSON.stringify({ type: 'subscribe', id, payload }))
  ask('unlisted', { documentId: 'unknown' })
  await expect.poll(() => messages.join()).toContain('QUERY_NOT_LISTED')
  ask('listed', { documentId: 'changes' })
  const heard = async () => {
    await service.clientOf(tenant).createMemory(someMemory())
    return messages.join()
  }
  await expect.poll(heard).toContain('"id":"listed","type":"next"')
  socket.terminate()
})

test('a list that only logs runs what is not on it, and says which operation that was', async () => {
  const settings = { SERVICE_GRAPHQL_SAFELIST: fileOf(manifest), SERVICE_GRAPHQL_SAFELIST_MODE: 'log' }
  await using logging = await startService({ settings })
  const query = 'query Unlisted { memories(where: { content: { contains: "a secret" } }) { id } }'
  const before = logged().length - 1
  expect((await graphql(logging, query)).errors).toEqual([])
  expect((await graphql(logging, newest)).errors).toEqual([])
  const lines = logged()
    .slice(before)
    .filter(line => line.includes('not on the safelist'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('"name":"Unlisted"')
  expect(lines[0]).toContain(hash('sha256', query))
  expect(lines[0]).not.toContain('a secret')
  const unknown = await fetch(`${logging.url}/graphql?documentId=unknown`, { headers: headers() })
  expect(unknown.status).toBe(403)
})

test('a list is read again when its file changes, and one that is no list leaves it as it was', async () => {
  const file = fileOf({})
  await using own = await startService({ settings: { SERVICE_GRAPHQL_SAFELIST: file } })
  const status = async () => (await graphql(own, newest)).status
  expect(await status()).toBe(403)
  writeFileSync(file, JSON.stringify({ newest }))
  await expect.poll(status).toBe(200)
  writeFileSync(file, 'no list at all')
  await expect.poll(() => logged().join()).toContain('the safelist stays as it was')
  expect(await status()).toBe(200)
})

test('everything else is refused without a statement', async () => {
  const heard = listenTo(service)
  const bodies = [
    { query: '{ memories { id } }' },
    { query: ` ${newest}` },
    { query: '{ __schema { types { name } } }' },
    { query: '{' },
    {},
    { query: null, ...byId(null) },
    byId('unknown'),
    byId('__proto__'),
    byId(['newest']),
    { query: '{ memories { id } }', ...byId('newest') },
    [{ query: newest }],
    { documentId: 'unknown' },
    { documentId: 'newest', query: '{ memories { id } }' },
    { documentId: ['newest'] },
  ]
  for (const body of bodies)
    expect(await post(body)).toMatchObject({
      status: 403,
      errors: [{ extensions: { code: 'QUERY_NOT_LISTED', requestId: expect.any(String) } }],
    })
  for (const parameters of [
    { query: '{ memories { id } }' },
    { extensions: '{' },
    { extensions: '{"persistedQuery":1}' },
  ])
    expect(await get(parameters)).toMatchObject({ status: 403 })
  expect(heardOf(service.tenant, heard)).toEqual([])
  await post({ query: newest })
  expect(heardOf(service.tenant, heard)).not.toEqual([])
})

test('what is on the list keeps to the limits, and needs a key', async () => {
  expect((await graphql(service, operations[3]?.body ?? '')).errors[0]?.extensions.code).toBe(
    'QUERY_TOO_LARGE',
  )
  expect((await graphql(service, newest, { key: 'wrong' })).status).toBe(401)
})

test('texts by their ids are a list too, and a file that is none keeps the service from starting', async () => {
  const relay = readSafelist(fileOf({ abc: newest }))
  expect([relay({ id: 'abc' }), relay({ query: newest }), relay({ id: 'def' })]).toEqual([
    newest,
    newest,
    undefined,
  ])
  for (const content of ['', '[]', '{"a": 1}', { ...manifest, operations: [{ id: 1 }] }])
    expect(() => readSafelist(fileOf(content))).toThrow('is not a manifest')
  await expect(startService({ settings: { SERVICE_GRAPHQL_SAFELIST: '/nowhere' } })).rejects.toThrow(
    'is not a manifest',
  )
})
