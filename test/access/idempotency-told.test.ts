import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { idOf, remember } from '../support/seed.ts'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()
const keyed = { headers: { 'idempotency-key': 'told' } }

const REASON = 'Xanthippe said so'
type Ids = readonly [string, string]

const requests: Record<string, (client: Client, ids: Ids) => Promise<unknown>> = {
  'a connection': (client, [source_id, target_id]) =>
    client.createConnection({ source_id, target_id, reason: REASON }, keyed),
  'a batch of connections': (client, [source_id, target_id]) =>
    client.createConnections({ connections: [{ source_id, target_id, reason: REASON }] }, keyed),
}

for (const [what, send] of Object.entries(requests))
  for (const end of [0, 1] as const)
    test(`the stored response about ${what} is erased with its ${end === 0 ? 'source' : 'target'}`, async () => {
      const { tenant, client } = service.newTenant()
      const memories = await remember(client, [
        { content: 'one', source: end === 0 ? 'goes' : 'stays' },
        { content: 'two', source: end === 1 ? 'goes' : 'stays' },
      ])
      const ids = memories.map(idOf) as unknown as Ids
      const first = await send(client, ids)
      expect(await send(client, ids)).toEqual(first)
      expect(await client.eraseMemories({ filters: { source: 'goes' } })).toMatchObject({
        verified: true,
        counts: { memories: 1, answers: 1 },
      })
      expect(await problemOf(send(client, ids))).toMatchObject({ code: 'idempotency_answer_gone' })
      expect(await answersIn(tenant)).toBe(0)
    })

test('the stored response about turns is erased with one of them', async () => {
  const { tenant, client } = service.newTenant()
  const turns = [{ speaker: 'Anna', text: 'My keys are in the hall' }]
  const add = () => client.addTurns({ session_id: 'secret session', turns }, keyed)
  const { turns: stored } = await add()
  await client.deleteMemory({ id: stored[0]?.id as string, hard: true })
  expect(await problemOf(add())).toMatchObject({ code: 'idempotency_answer_gone' })
  expect(await answersIn(tenant)).toBe(0)
})

test('an erasure of earlier versions takes the stored responses that show them', async () => {
  const { client } = service.newTenant()
  const create = () => client.createMemory(someMemory({ content: 'Xanthippe moved', source: 'first' }), keyed)
  const { id } = await create()
  await client.updateMemory({ id, content: 'moved', source: 'second' })
  expect(await client.eraseMemories({ filters: { source: 'first' } })).toMatchObject({
    verified: true,
    counts: { memories: 0, versions: 1, answers: 1 },
  })
  expect(await problemOf(create())).toMatchObject({ code: 'idempotency_answer_gone' })
  expect(await client.getMemory({ id, record_recall: false })).toMatchObject({ content: 'moved' })
})

test('a repeat after a crash does not report what it has created as a duplicate of itself', async () => {
  const { tenant, client } = service.newTenant()
  const crash = (operation: string) =>
    service.cypher(
      `MATCH (i:IdempotentRequest {id: $id})
      SET i.state = 'running', i.leaseUntil = datetime.realtime('Z') - duration('PT1S') REMOVE i.answer`,
      { id: `${tenant}:${operation}:told` },
    )
  const one = () => client.createMemory(someMemory({ content: 'only once', on_duplicate: 'return' }), keyed)
  const created = await one()
  await crash('createMemory')
  expect(await one()).toEqual(created)
  const two = () =>
    client.createMemories(
      {
        memories: ['a', 'b', 'a'].map(content => someMemory({ content, on_duplicate: 'return' })),
      },
      keyed,
    )
  const batch = await two()
  await crash('createMemories')
  expect(await two()).toEqual(batch)
  const turns = ['Hello', 'Good morning'].map(text => ({ speaker: 'Anna', text }))
  const timed = [{ speaker: 'Ben', text: 'Hi', time: '2026-11-20T09:15:30Z' }]
  const said = () => client.addTurns({ session_id: 's', turns: [...turns, ...timed] }, keyed)
  const first = await said()
  expect(first).toMatchObject({ stored: 3 })
  await crash('addTurns')
  expect(await said()).toEqual(first)
})

const answersIn = async (tenant: string) => {
  const [row] = await service.cypher<{ n: number }>(
    'MATCH (i:IdempotentRequest {tenant: $tenant}) WHERE i.answer IS NOT NULL RETURN count(i) AS n',
    { tenant },
  )
  return row?.n
}
