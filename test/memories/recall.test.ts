import { expect, test } from 'vitest'
import { endBurst } from '../support/lifecycle.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

test('a fetch records a recall, durably, before it is answered', async () => {
  const { id } = await newMemory()
  const fetched = await service.client.getMemory({ id })
  expect(fetched.recall_count).toBe(1)
  expect(await recallsOf(id)).toEqual([{ tenant: service.tenant, at: fetched.last_recalled_at }])
})

test('fetches within thirty seconds of the first are one recall', async () => {
  const { id } = await newMemory()
  const first = await service.client.getMemory({ id })
  const second = await service.client.getMemory({ id })
  expect(second).toEqual(first)
  expect(await recallsOf(id)).toHaveLength(1)
})

test('a fetch after the thirty seconds is another recall', async () => {
  const { id } = await newMemory()
  await service.client.getMemory({ id })
  await endBurst(service, id)
  expect(await service.client.getMemory({ id })).toMatchObject({ recall_count: 2 })
  expect(await recallsOf(id)).toHaveLength(2)
})

test('the thirty seconds count from the first fetch, not from the last', async () => {
  const { id } = await newMemory()
  const { last_recalled_at } = await service.client.getMemory({ id })
  await service.client.getMemory({ id })
  const [row] = await service.cypher<{ ends: number }>(
    'MATCH (m:Memory {id: $id}) RETURN m.recallBurstEnds AS ends',
    { id },
  )
  expect(row?.ends).toBe(Date.parse(last_recalled_at as string) + 30_000)
})

test('a burst whose end was written by a clock that ran ahead is over', async () => {
  const { id } = await newMemory()
  await service.client.getMemory({ id })
  await service.cypher('MATCH (m:Memory {id: $id}) SET m.recallBurstEnds = m.recallBurstEnds + 3600000', {
    id,
  })
  expect(await service.client.getMemory({ id })).toMatchObject({ recall_count: 2 })
  expect(await service.client.getMemory({ id })).toMatchObject({ recall_count: 2 })
  expect(await recallsOf(id)).toHaveLength(2)
})

test('fetches at the same moment count once', async () => {
  const { id } = await newMemory()
  const fetched = await Promise.all(Array.from({ length: 12 }, () => service.client.getMemory({ id })))
  expect(fetched.map(({ recall_count }) => recall_count)).toEqual(fetched.map(() => 1))
  expect(await recallsOf(id)).toHaveLength(1)
})

test('a fetch can opt out of counting', async () => {
  const { id } = await newMemory()
  const fetched = await service.client.getMemory({ id, record_recall: false })
  expect(fetched).toMatchObject({ recall_count: 0, last_recalled_at: null })
  expect(await recallsOf(id)).toEqual([])
})

test('recalls change neither the version nor the time of the last change', async () => {
  const created = await newMemory()
  const { recall_count, last_recalled_at, ...fetched } = await service.client.getMemory({ id: created.id })
  expect({ ...fetched, recall_count: 0, last_recalled_at: null }).toEqual(created)
})

test('a memory that was put back to how it was before a recall is recalled again', async () => {
  const { id } = await newMemory()
  await service.client.getMemory({ id })
  await service.cypher('MATCH (m:Memory {id: $id}) SET m.recallCount = 0 REMOVE m.recallBurstEnds', { id })
  expect(await service.client.getMemory({ id })).toMatchObject({ recall_count: 1 })
  expect(await recallsOf(id)).toHaveLength(2)
})

test('an archived memory can be fetched, and that is a recall too', async () => {
  const { id } = await newMemory()
  await service.client.deleteMemory({ id })
  expect(await service.client.getMemory({ id })).toMatchObject({ state: 'archived', recall_count: 1 })
})

test('lists and searches are no recalls', async () => {
  const { id } = await newMemory({ content: 'Quincunx orchard' })
  await service.client.listMemories()
  await service.client.searchMemories({ query: 'quincunx', search_type: 'hybrid' })
  expect(await service.client.getMemory({ id, record_recall: false })).toMatchObject({ recall_count: 0 })
})

test('a memory that is unchanged answers 304 without a body, and the fetch counts all the same', async () => {
  const { id } = await newMemory()
  for (const etag of ['"1"', 'W/"1"', '*', '"7", "1"']) {
    const response = await fetchIfNoneMatch(id, etag)
    expect([response.status, await response.text()], etag).toEqual([304, ''])
    expect(response.headers.get('etag')).toBe('"1"')
  }
  expect(await recallsOf(id)).toHaveLength(1)
})

test('a memory that has changed is answered in full', async () => {
  const { id } = await newMemory()
  await service.client.updateMemory({ id, importance: 1 })
  const response = await fetchIfNoneMatch(id, '"1"')
  expect([response.status, response.headers.get('etag')]).toEqual([200, '"2"'])
  expect(await response.json()).toMatchObject({ id, version: 2 })
})

test('who asks for the vector gets it, also who has the memory already', async () => {
  const { id } = await newMemory()
  const response = await service.request(`/memories/${id}?include_embedding=true`, {
    headers: { 'if-none-match': '"1"' },
  })
  expect([response.status, response.headers.get('etag')]).toEqual([200, '"1"'])
  expect(await response.json()).toMatchObject({ embedding: { status: 'ready', vector: expect.any(Array) } })
})

test('the vector comes where it is asked for, and nowhere else', async () => {
  const { id } = await newMemory()
  const { embedding } = await service.client.getMemory({ id, include_embedding: true })
  expect(embedding.vector).toHaveLength(64)
  expect(Math.hypot(...(embedding.vector as number[]))).toBeCloseTo(1, 5)
  const { embedding: plain } = await service.client.getMemory({ id, include_embedding: false })
  expect(plain).not.toHaveProperty('vector')
})

const newMemory = (fields: Parameters<typeof someMemory>[0] = {}) =>
  service.client.createMemory(someMemory(fields))

const fetchIfNoneMatch = (id: string, etag: string) =>
  service.request(`/memories/${id}`, { headers: { 'if-none-match': etag } })

const recallsOf = (id: string) =>
  service.cypher(
    `MATCH (r:Recall {memoryId: $id})
    RETURN r.tenant AS tenant, format(r.at, "yyyy-MM-dd'T'HH:mm:ss.SSSX") AS at`,
    { id },
  )
