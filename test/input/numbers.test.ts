import { expect, test } from 'vitest'
import type { Memory } from '../../src/contract/memory.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

test.each([
  ['importance', '0', 0],
  ['importance', '1', 1],
  ['importance', '0.1', 0.1],
  ['importance', '1e-7', 1e-7],
  ['importance', '0.30000000000000004', 0.30000000000000004],
  ['ttl_seconds', '0', 0],
  ['ttl_seconds', '1', 1],
  ['ttl_seconds', '3153600000', 3_153_600_000],
  ['ttl_seconds', '6e1', 60],
])('%s can be %s', async (field, written, value) => {
  const response = await create(field, written)
  expect(response.status).toBe(201)
  expect((await response.json()) as Memory).toMatchObject({ [field]: value })
})

test.each([
  ['importance', '-0.0001'],
  ['importance', '1.0000001'],
  ['importance', '"0.5"'],
  ['importance', '1e999'],
  ['importance', 'null'],
  ['importance', '[0.5]'],
  ['ttl_seconds', '-1'],
  ['ttl_seconds', '3153600001'],
  ['ttl_seconds', '1.5'],
  ['ttl_seconds', '"60"'],
  ['ttl_seconds', 'null'],
  ['ttl_seconds', 'true'],
  ['policy', '7'],
  ['policy', '""'],
  ['policy', '["pinned"]'],
  ['policy', '"Pinned"'],
])('%s cannot be %s', async (field, written) => {
  const document = await expectProblem(await create(field, written), 'validation_failed')
  expect(document.errors?.map(({ pointer }) => pointer)).toEqual([`/${field}`])
})

test.each(['content', 'policy', 'ttl_seconds'])('%s is required', async field => {
  const { [field]: _, ...body } = someMemory() as Record<string, unknown>
  const document = await expectProblem(await post(JSON.stringify(body)), 'validation_failed')
  expect(document.errors?.map(({ pointer }) => pointer)).toEqual([`/${field}`])
})

test('a negative zero is a zero, and found where zeros are', async () => {
  const headers = { 'content-type': 'application/json' }
  const send = async (method: string, path: string, body: string) =>
    (await service.request(path, { method, headers, body })).json() as Promise<Memory>
  const nil = someMemory({ content: 'nil', tags: ['nil'], importance: 1 })
  const { id } = await send(
    'POST',
    '/memories',
    JSON.stringify(nil).replace('"importance":1', '"importance":-0'),
  )
  const { id: other } = await service.client.createMemory(nil)
  await send('PATCH', `/memories/${other}`, '{"importance": -0}')
  const both = [id, other].toSorted()
  for (const query of ['order_by=importance', 'min_importance=0', 'max_importance=-0', 'min_importance=-0']) {
    const answer = await service.request(`/memories?tags=nil&${query}`)
    const { memories } = (await answer.json()) as { memories: Memory[] }
    expect(memories.map(each => each.id).toSorted(), query).toEqual(both)
  }
  await send('POST', '/connections', `{"source_id": "${id}", "target_id": "${other}", "strength": -0}`)
  expect((await service.client.relatedMemories({ id, min_strength: 0 })).related).toHaveLength(1)
})

test('a memory that expires in a hundred years says when', async () => {
  const response = await create('ttl_seconds', '3153600000')
  const { created_at, expires_at } = (await response.json()) as Memory
  expect(Date.parse(expires_at as string) - Date.parse(created_at)).toBe(3_153_600_000_000)
})

test('the answer to a number above its maximum names the bound', async () => {
  const response = await create('ttl_seconds', '3153600001')
  expect((await expectProblem(response, 'validation_failed')).detail).toContain('3153600000')
})

test('all faults of a request are reported at once', async () => {
  const faults = { content: '', policy: 7, ttl_seconds: -1, tags: [''], importance: 2, colour: 'red' }
  const document = await expectProblem(await post(JSON.stringify(faults)), 'validation_failed')
  expect(document.errors?.map(({ pointer }) => pointer).sort()).toEqual([
    '/colour',
    '/content',
    '/importance',
    '/policy',
    '/tags/0',
    '/ttl_seconds',
  ])
})

const create = (field: string, written: string) =>
  post(JSON.stringify({ ...someMemory(), [field]: '@' }).replace('"@"', written))

const post = (body: string) =>
  service.request('/memories', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
