import { beforeAll, expect, test } from 'vitest'
import { type RouteName, routeNames, routes } from '../../src/contract/index.ts'
import type { Route } from '../../src/contract/route.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()
const bodies: Partial<Record<RouteName, object>> = {}
const others: Partial<Record<RouteName, object>> = {}
let rotated: string
beforeAll(async () => {
  const { memories } = await service.client.createMemories({ memories: [someMemory(), someMemory()] })
  rotated = (await service.client.createKey()).id
  const [source_id, target_id] = memories.map(({ id }) => id)
  Object.assign(bodies, {
    createMemory: someMemory(),
    createMemories: { memories: [someMemory(), someMemory()] },
    addTurns: { turns: [{ speaker: 'Ada', text: 'Hello' }] },
    createConnection: { source_id, target_id },
    createConnections: { connections: [{ source_id, target_id }] },
    createKey: { scopes: ['read'] },
    rotateKey: {},
    createWebhook: { url: 'https://hooks.invalid/' },
  })
  Object.assign(others, {
    createMemory: someMemory({ content: 'Another' }),
    createMemories: { memories: [someMemory()] },
    addTurns: { turns: [{ speaker: 'Ada', text: 'Good bye' }] },
    createConnection: { source_id, target_id, strength: 0.5 },
    createConnections: { connections: [{ source_id, target_id, strength: 0.5 }] },
    createKey: { scopes: ['write'] },
    rotateKey: { overlap_seconds: 0 },
    createWebhook: { url: 'https://hooks.invalid/other' },
  })
})

const creating = routeNames.filter(name => (routes[name] as Route).creates)

const post = (name: RouteName, key: string, body: unknown = bodies[name], headers = {}) =>
  service.request(routes[name].path.replace('{id}', rotated).replace('{session_id}', 'chat'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key, ...headers },
    body: JSON.stringify(body),
  })

test.each(creating)('%s answers a repeat with the same answer, and makes nothing new', async name => {
  const first = await post(name, `same ${name}`.replace(' ', '-'))
  const again = await post(name, `same ${name}`.replace(' ', '-'))
  expect([first.status, again.status]).toEqual(Array(2).fill((routes[name] as Route).status ?? 200))
  expect(await again.text()).toBe(await first.text())
  for (const header of ['etag', 'location']) expect(again.headers.get(header)).toBe(first.headers.get(header))
})

test.each(creating)('%s refuses another body under the same key', async name => {
  expect((await post(name, `other-${name}`)).ok).toBe(true)
  await expectProblem(await post(name, `other-${name}`, others[name]), 'idempotency_key_reused')
})

test.each(creating)('%s refuses a malformed key', async name => {
  for (const key of ['', 'a b', 'x'.repeat(256)])
    await expectProblem(await post(name, key), 'validation_failed')
})

test('keys may be as long as 255 characters', async () => {
  expect((await post('createMemory', '!~'.padEnd(255, 'x'))).status).toBe(201)
})

test('the order of fields in a body and its blanks make it no other body', async () => {
  const reversed = Object.fromEntries(Object.entries(someMemory({ tags: ['a'] })).reverse())
  const first = await post('createMemory', 'order', someMemory({ tags: [' a '] }))
  const again = await post('createMemory', 'order', reversed)
  expect(await again.json()).toEqual(await first.json())
})

test('a repeat gets the first answer even when the memory has changed since', async () => {
  const first = (await (await post('createMemory', 'changed')).json()) as { id: string }
  await service.client.updateMemory({ id: first.id, content: 'Changed since' })
  expect(await (await post('createMemory', 'changed')).json()).toEqual(first)
})

test('one key for two operations, or in two tenants, is two keys', async () => {
  expect((await post('createMemory', 'shared')).status).toBe(201)
  expect((await post('createMemories', 'shared')).status).toBe(201)
  const elsewhere = await post('createMemory', 'shared', someMemory(), { 'x-tenant-id': freshTenant() })
  expect(elsewhere.status).toBe(201)
})

test('a request that was refused leaves its key free', async () => {
  await expectProblem(
    await post('createMemory', 'fixed', someMemory({ policy: 'eternal' })),
    'validation_failed',
  )
  await expectProblem(await post('createMemory', 'fixed', { content: 7 }), 'validation_failed')
  expect((await post('createMemory', 'fixed')).status).toBe(201)
})

test('a key is free again after a day', async () => {
  const first = (await (await post('createMemory', 'yesterday')).json()) as { id: string }
  await service.cypher(
    `MATCH (i:IdempotentRequest {id: $id}) SET i.createdAt = i.createdAt - duration('PT24H1S')`,
    { id: `${service.tenant}:createMemory:yesterday` },
  )
  const next = (await (await post('createMemory', 'yesterday', others.createMemory)).json()) as { id: string }
  expect(next.id).not.toBe(first.id)
})

test('without a key every request makes something', async () => {
  const made = [
    await service.client.createMemory(someMemory()),
    await service.client.createMemory(someMemory()),
  ]
  expect(new Set(made.map(({ id }) => id)).size).toBe(2)
})
