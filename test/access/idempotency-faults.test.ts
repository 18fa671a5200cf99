import { expect, test } from 'vitest'
import type { ProblemError } from '../../src/client.ts'
import { idOf } from '../support/seed.ts'
import { OPERATOR_KEY, problemOf, someMemory, withService } from '../support/service.ts'
import { beforeFirst } from '../support/statements.ts'

const service = withService()

const once = (key: string) => ({ headers: { 'idempotency-key': key } })
const create = (key: string, content = 'Once only') =>
  service.client.createMemory(someMemory({ content }), once(key))

test('of many concurrent requests one creates the memory, the others get its response or are asked to wait', async () => {
  const content = 'Made at the same moment'
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => create('moment', content)))
  const answers = outcomes.filter(outcome => outcome.status === 'fulfilled').map(({ value }) => value)
  const refusals = outcomes.filter(outcome => outcome.status === 'rejected').map(({ reason }) => reason)
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
  for (const refusal of refusals as ProblemError[]) {
    expect(refusal.problem?.code).toBe('idempotency_in_progress')
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect(await memoriesWith(content)).toEqual([answers[0]?.id])
})

test('while the first request runs, a repeat is asked to wait', async () => {
  await create('running')
  await claimAgain('running', 'PT20S')
  expect(await problemOf(create('running'))).toMatchObject({ status: 409, code: 'idempotency_in_progress' })
})

test('after a request that died before it made the memory, a repeat makes it under the id minted then', async () => {
  const { id } = await create('died-early', 'Died early')
  await undo(id)
  await claimAgain('died-early', '-PT1S')
  expect(await create('died-early', 'Died early')).toMatchObject({ id, content: 'Died early', version: 1 })
})

test('after a request that died once the memory was made, a repeat finds that memory', async () => {
  const memory = await create('died-late', 'Died late')
  await claimAgain('died-late', '-PT1S')
  expect(await create('died-late', 'Died late')).toEqual(memory)
  expect(await memoriesWith('Died late')).toEqual([memory.id])
})

test('a memory that was made without its vector is answered to a repeat as it is, and gets its vector from the queue', async () => {
  const { id } = await create('without-vector', 'Without its vector')
  await service.cypher(
    `MATCH (m:Memory {id: $id})
     UNWIND [key IN keys(m) WHERE key STARTS WITH 'embedding'] AS key REMOVE m[key]`,
    { id },
  )
  expect(await service.client.getMemory({ id })).toMatchObject({ embedding: { status: 'pending' } })
  await claimAgain('without-vector', '-PT1S')
  const repeated = await create('without-vector', 'Without its vector')
  expect(repeated).toMatchObject({ id, embedding: { status: 'pending' } })
  await service.drain()
  expect(await service.client.getMemory({ id })).toMatchObject({
    embedding: { status: 'ready', truncated: false },
  })
})

test('a batch that died half way is the same batch when it is repeated', async () => {
  const memories = ['One', 'Two', 'Three'].map(content => someMemory({ content }))
  const ids = async () =>
    (await service.client.createMemories({ memories }, once('batch'))).memories.map(idOf)
  const first = await ids()
  await undo(first[1] as string)
  await claimAgain('batch', '-PT1S', 'createMemories')
  expect(await ids()).toEqual(first)
})

test('another body does not take over a request that died', async () => {
  await create('taken-over')
  await claimAgain('taken-over', '-PT1S')
  const problem = await problemOf(create('taken-over', 'Another content'))
  expect(problem).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
})

test('what a key made and was removed since is not answered and not made again', async () => {
  const { id } = await create('removed', 'Removed since')
  await service.client.deleteMemory({ id, hard: true })
  expect(await problemOf(create('removed', 'Removed since'))).toMatchObject({
    status: 409,
    code: 'idempotency_answer_gone',
  })
  expect(await memoriesWith('Removed since')).toEqual([])
})

test('what is removed before its answer is kept takes the answer along', async () => {
  const content = 'Removed at once'
  beforeFirst(service, '[:ANSWERED]', async () => {
    for (const id of await memoriesWith(content)) await service.client.deleteMemory({ id, hard: true })
  })
  await create('removed-at-once', content)
  expect(await memoriesWith(content)).toEqual([])
  expect(await problemOf(create('removed-at-once', content))).toMatchObject({
    code: 'idempotency_answer_gone',
  })
  const [stored] = await service.cypher('MATCH (i:IdempotentRequest {id: $id}) RETURN i.answer AS answer', {
    id: `${service.tenant}:createMemory:removed-at-once`,
  })
  expect(stored).toEqual({ answer: null })
})

test('a request that was taken over does not answer for the one that took it', async () => {
  const content = 'Taken over'
  beforeFirst(service, '[:ANSWERED]', () => claimAgain('overtaken', 'PT20S'))
  await create('overtaken', content)
  expect(await problemOf(create('overtaken', content))).toMatchObject({ code: 'idempotency_in_progress' })
})

test('a key that is used again a day later answers for what it made last', async () => {
  const first = await create('a-day-later', 'Made a day ago')
  await service.cypher(
    'MATCH (i:IdempotentRequest {id: $id}) SET i.createdAt = i.createdAt - duration({hours: 25})',
    { id: `${service.tenant}:createMemory:a-day-later` },
  )
  const second = await create('a-day-later', 'Made now')
  await service.client.deleteMemory({ id: first.id, hard: true })
  expect(await create('a-day-later', 'Made now')).toEqual(second)
})

test('an archived memory is still answered', async () => {
  const memory = await create('archived')
  await service.client.deleteMemory({ id: memory.id })
  expect(await create('archived')).toEqual(memory)
})

test('the secret of a key is answered again, and never stored so that it can be read', async () => {
  const first = await service.client.createKey({}, once('key'))
  expect(await service.client.createKey({}, once('key'))).toEqual(first)
  const [row] = await service.cypher<{ stored: unknown }>(
    'MATCH (i:IdempotentRequest {id: $id}) RETURN properties(i) AS stored',
    { id: `${service.tenant}:createKey:key` },
  )
  const stored = JSON.stringify(row?.stored)
  const secret = first.key.split('_').slice(2).join('_')
  expect(stored).toContain('answered')
  for (const form of [secret, Buffer.from(secret).toString('base64').slice(0, 40)])
    expect(stored).not.toContain(form)
})

test('a stored answer opens for the credential that asked, in whichever header, and for no other', async () => {
  const first = await create('mine')
  const asHeader = { ...once('mine').headers, authorization: undefined, 'x-api-key': OPERATOR_KEY }
  expect(await send(asHeader)).toMatchObject({ status: 201, body: { id: first.id } })
  const { key } = await service.client.createKey()
  const asAnother = { ...once('mine').headers, authorization: `Bearer ${key}` }
  expect(await send(asAnother)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
})

async function send(headers: Record<string, string | undefined>) {
  const sent = Object.entries({
    'content-type': 'application/json',
    'x-tenant-id': service.tenant,
    ...headers,
  })
  const response = await fetch(`${service.baseUrl}/memories`, {
    method: 'POST',
    headers: sent.filter((entry): entry is [string, string] => entry[1] !== undefined),
    body: JSON.stringify(someMemory({ content: 'Once only' })),
  })
  return { status: response.status, body: await response.json() }
}

/** As if the transaction that made a memory, with its queued work, had not happened. */
const undo = (id: string) =>
  service.cypher(
    'OPTIONAL MATCH (j:Job {tenant: $tenant, memoryId: $id}) DELETE j WITH DISTINCT 1 AS one MATCH (m:Memory {tenant: $tenant, id: $id}) DETACH DELETE m',
    { tenant: service.tenant, id },
  )

/** As if the request with this key had been claimed by a process that has not answered; its lease ends after `lease`. */
const claimAgain = (key: string, lease: string, operation = 'createMemory') =>
  service.cypher(
    `MATCH (i:IdempotentRequest {id: $id})
    SET i.state = 'running', i.claim = 'of another process', i.leaseUntil = datetime.realtime('Z') + duration($lease)
    REMOVE i.answer`,
    { id: `${service.tenant}:${operation}:${key}`, lease },
  )

test('what is made is answered, though all that its tenant may ask of the database is taken in the meantime', async () => {
  const { semaphore } = service.app
  const over = new AbortController()
  using taken = new DisposableStack()
  beforeFirst(service, 'CREATE (m:Memory {', async () => {
    for (const owner of [service.tenant, 'another', 'a third', 'a fourth'])
      for (let at = 0; at < 8; at++) taken.use(await semaphore.take(owner, over.signal))
  })
  expect(await create('taken', 'Made while all is taken')).toMatchObject({ version: 1 })
})

const memoriesWith = async (content: string) =>
  (
    await service.cypher<{ id: string }>(
      'MATCH (m:Memory {tenant: $tenant, content: $content}) RETURN m.id AS id',
      {
        tenant: service.tenant,
        content,
      },
    )
  ).map(idOf)
