import { expect, test } from 'vitest'
import { graphql } from '../support/graphql.ts'
import { someMemory, withService } from '../support/service.ts'
import { listenTo } from '../support/statements.ts'

const service = withService({ settings: { SERVICE_EMBEDDING_WRITE_WAIT_MS: '0' } })

/** Works on the queue until the call returns. */
async function whileWorking<Result>(call: Promise<Result>): Promise<Result> {
  let isDone = false
  const finished = call.finally(() => {
    isDone = true
  })
  finished.catch(() => {})
  while (!isDone) await service.drain()
  return finished
}

test('a create that waits returns with its vector, and its connections exist', async () => {
  await whileWorking(service.client.createMemory(someMemory({ content: 'the cat sleeps' }), { wait: 30 }))
  const memory = await whileWorking(
    service.client.createMemory(someMemory({ content: 'the cat sleeps now' }), { wait: 30 }),
  )
  expect(memory.embedding.status).toBe('ready')
  expect((await service.client.listConnections({ source_id: memory.id })).total).toBe(1)
  const changed = await whileWorking(
    service.client.updateMemory({ id: memory.id, content: 'a truck engine' }, { wait: 30 }),
  )
  expect(changed).toMatchObject({ content: 'a truck engine', embedding: { status: 'ready' } })
  expect((await service.client.listConnections({ source_id: memory.id })).total).toBe(0)
})

test('without a worker it returns after the time as things stand, and says how long it waited', async () => {
  // A vector that comes at once would be stored with the memory.
  service.embeddings.fail({ status: 503 })
  const response = await service.request('/memories', {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async, wait=1' },
    body: JSON.stringify(someMemory({ content: 'Nobody works' })),
  })
  service.embeddings.recover()
  expect(response.status).toBe(201)
  expect(response.headers.get('preference-applied')).toBe('wait=1')
  expect(await response.json()).toMatchObject({ embedding: { status: 'pending' } })
})

test('the notice of the worker ends the wait', async () => {
  const heard = listenTo(service)
  const looks = () => heard.filter(({ text }) => text.includes('discoveredRevision = m.revision')).length
  const memory = service.client.createMemory(someMemory({ content: 'Worked on at once' }), { wait: 30 })
  await expect.poll(looks).toBe(1)
  await service.drain()
  const before = looks()
  expect((await memory).embedding.status).toBe('ready')
  expect(looks() - before).toBeLessThan(3)
})

test('a preference that cannot be read is ignored, and GraphQL refuses a wait out of bounds', async () => {
  const response = await service.request('/memories', {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'wait=soon' },
    body: JSON.stringify(someMemory({ content: 'Soon' })),
  })
  expect(response.headers.get('preference-applied')).toBeNull()
  const { errors } = await graphql(
    service,
    'mutation { createMemory(content: "x", wait: 31) { memory { id } } }',
  )
  expect(JSON.stringify(errors)).toContain('30')
})
