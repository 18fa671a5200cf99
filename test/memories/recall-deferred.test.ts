import { expect, test } from 'vitest'
import { OPERATOR_KEY, someMemory, withService } from '../support/service.ts'
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

const recalls = async (outcome: 'deferred' | 'dropped') => {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
  const text = await (await fetch(`${service.url}/metrics`, { headers })).text()
  return Number(new RegExp(`^mnemograph_recalls_${outcome}_total (\\d+)`, 'm').exec(text)?.[1] ?? 0)
}

test('a caller who hangs up makes no recall of others wait', async () => {
  const [slow, other] = await Promise.all(
    ['four', 'five'].map(content => service.client.createMemory(someMemory({ content }))),
  )
  const before = await recalls('deferred')
  const { held, release } = holdBack(service, 'CREATE (:Recall ')
  const leaving = new AbortController()
  const left = service.request(`/memories/${slow?.id}`, { signal: leaving.signal })
  await expect.poll(() => held.length).toBe(1)
  leaving.abort()
  await expect(left).rejects.toThrow()
  await expect.poll(() => recalls('deferred')).toBe(before + 1)
  release()
  const response = await service.request(`/memories/${other?.id}`)
  expect([response.status, response.headers.get('x-recall')]).toEqual([200, null])
})

test('of the recalls that wait, those that a process cannot keep are counted', async () => {
  const { client } = service.newTenant()
  await client.createMemories({
    memories: Array.from({ length: 200 }, (_, at) => someMemory({ content: `quince ${at}` })),
  })
  const search = { query: 'quince', search_type: 'keyword', limit: 200, record_recall: true } as const
  const { release } = holdBack(service, 'CREATE (:Recall ')
  for (let at = 0; at < 51; at++) expect((await client.searchMemories(search)).results).toHaveLength(200)
  release()
  // One of the test before may still wait.
  expect(await recalls('dropped')).toBeGreaterThanOrEqual(200)
})
