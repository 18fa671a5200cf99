import { beforeAll, expect, test } from 'vitest'
import { memory } from '../../src/contract/memory.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()
let id: string
let other: string
beforeAll(async () => {
  const { memories } = await service.client.createMemories({ memories: [someMemory(), someMemory()] })
  id = memories[0]?.id as string
  other = memories[1]?.id as string
  await service.client.createConnection({ source_id: id, target_id: other })
})

const fields = Object.keys(memory.shape)

test('a memory has the same fields, in the same order, wherever it is answered', async () => {
  const send = async (path: string, method = 'GET', body?: object) => {
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    return (await service.request(path, { method, ...(body ? json : {}) })).json() as Promise<Answer>
  }
  const search = { query: 'cat', search_type: 'hybrid' }
  const answers = [
    await send('/memories', 'POST', someMemory()),
    (await send('/memories/batch', 'POST', { memories: [someMemory()] })).memories?.[0],
    await send(`/memories/${id}`),
    await send(`/memories/${id}`, 'PATCH', { importance: 1 }),
    await send(`/memories/${id}/restore`, 'POST'),
    (await send('/memories')).memories?.[0],
    (await send('/memories/search', 'POST', search)).results?.[0]?.memory,
    (await send(`/memories/${id}/related`)).related?.[0]?.memory,
    (await send(`/graph/path?source_id=${id}&target_id=${other}`)).paths?.[0]?.memories[0],
  ]
  for (const answer of answers) expect(Object.keys(answer ?? {})).toEqual(fields)
})

test('every time in an answer is in UTC with milliseconds', async () => {
  await service.client.getMemory({ id })
  await service.client.deleteMemory({ id: other })
  const answers = [
    await service.client.listMemories({ include_archived: true }),
    await service.client.listConnections(),
    await service.client.listJobs(),
    await service.client.createKey({ expires_at: '2090-01-01T02:00:00.1234567890123+02:00' }),
    await service.client.listKeys(),
  ]
  const times = [...JSON.stringify(answers).matchAll(/"\w+_(?:at|until)":"([^"]+)"/g)].map(([, time]) => time)
  expect(times.length).toBeGreaterThan(8)
  for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

type Answer = {
  memories?: object[]
  results?: { memory: object }[]
  related?: { memory: object }[]
  paths?: { memories: object[] }[]
}
