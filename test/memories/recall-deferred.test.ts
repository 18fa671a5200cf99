import { expect, test } from 'vitest'
import { someMemory, withService } from '../support/service.ts'
import { holdBack } from '../support/statements.ts'

const service = withService({ settings: { SERVICE_REQUEST_TIMEOUT_MS: '16000' } })

test('while the database takes no writes, fetches answer, say that their recalls are deferred, and wait once alone', async () => {
  const made = await Promise.all(
    ['one', 'two', 'three'].map(content => service.client.createMemory(someMemory({ content }))),
  )
  const fetched = (id: string, more = '') => service.request(`/memories/${id}${more}`)
  for (const { id } of made) await fetched(id, '?record_recall=false')
  const { held, release } = holdBack(service, 'CREATE (:Recall ')
  for (const { id } of made) {
    const response = await fetched(id)
    expect(response.headers.get('x-recall')).toBe('deferred')
    expect(await response.json()).toMatchObject({ id, recall_count: 0 })
  }
  expect(held.length).toBeGreaterThan(0)
  release()
  const counts = async () =>
    Promise.all(
      made.map(async ({ id }) => (await service.client.getMemory({ id, record_recall: false })).recall_count),
    )
  await expect.poll(counts).toEqual([1, 1, 1])
  const recalls = await service.cypher('MATCH (r:Recall) WHERE r.memoryId IN $ids RETURN r.id AS id', {
    ids: made.map(({ id }) => id),
  })
  expect(recalls).toHaveLength(3)
  await expect.poll(async () => (await fetched(made[0]?.id as string)).headers.get('x-recall')).toBeNull()
})
