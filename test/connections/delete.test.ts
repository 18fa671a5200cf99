import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { rememberIds } from '../support/seed.ts'
import { problemOf, withService } from '../support/service.ts'

const service = withService()
let source_id: string
let target_id: string
beforeEach(async () => {
  ;[source_id, target_id] = await rememberIds(service.client, ['bread', 'violin'])
  for (const relationship_type of ['related_to', 'supports', 'part_of'] as const)
    await service.client.createConnection({ source_id, target_id, relationship_type })
  await service.client.createConnection({ source_id: target_id, target_id: source_id })
})

const total = async (id: string) => (await service.client.listConnections({ source_id: id })).total

test('disconnecting removes every type in the direction named, and leaves the way back', async () => {
  const answer = await service.client.deleteConnection({ source_id, target_id })
  expect(answer).toEqual({ source_id, target_id, deleted: 3 })
  expect([await total(source_id), await total(target_id)]).toEqual([0, 1])
})

test('a type narrows what is disconnected to that one', async () => {
  const answer = await service.client.deleteConnection({
    source_id,
    target_id,
    relationship_type: 'supports',
  })
  expect(answer.deleted).toBe(1)
  const { connections } = await service.client.listConnections({ source_id })
  expect(connections.map(({ connection }) => connection.relationship_type).toSorted()).toEqual([
    'part_of',
    'related_to',
  ])
})

test('what is not there cannot be disconnected', async () => {
  await service.client.deleteConnection({ source_id, target_id })
  const absent = { status: 404, code: 'connection_not_found' }
  const { deleteConnection } = service.client
  expect(await problemOf(deleteConnection({ source_id, target_id }))).toMatchObject(absent)
  expect(await problemOf(deleteConnection({ source_id, target_id: randomUUID() }))).toMatchObject(absent)
  expect(await problemOf(deleteConnection({ source_id, target_id: source_id }))).toMatchObject(absent)
  const typed = { source_id: target_id, target_id: source_id, relationship_type: 'supports' as const }
  expect(await problemOf(deleteConnection(typed))).toMatchObject(absent)
})

test('a connection of archived memories can be removed', async () => {
  await service.client.deleteMemory({ id: target_id })
  expect((await service.client.deleteConnection({ source_id, target_id })).deleted).toBe(3)
})

test('malformed ids in the path and unknown types have different problems', async () => {
  const { status } = await service.request('/connections/x/y', { method: 'DELETE' })
  expect(status).toBe(400)
  const typed = await service.request(`/connections/${source_id}/${target_id}?relationship_type=x`, {
    method: 'DELETE',
  })
  expect(typed.status).toBe(422)
})
