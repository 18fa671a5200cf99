import { expect, test } from 'vitest'
import {
  type Change,
  createClient,
  type ProblemError,
  ServiceUnreachable,
} from '../../clients/typescript/src/index.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, OPERATOR_KEY, someMemory, withService } from '../support/service.ts'

const service = withService()

type Fault = 'lost' | 'unavailable' | 'lost answer'

/** A client whose first requests meet faults, and how often it asked. */
function clientWith(faults: Fault[], retries?: number) {
  let asked = 0
  const faulty: typeof fetch = async (input, init) => {
    asked++
    const fault = faults.shift()
    if (fault === 'lost') throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') })
    if (fault === 'unavailable') return new Response('{}', { status: 503, headers: { 'retry-after': '0' } })
    const response = await fetch(input, init)
    if (fault === 'lost answer') throw new TypeError('terminated')
    return response
  }
  const tenant = freshTenant()
  const options = { baseUrl: service.url, apiKey: OPERATOR_KEY, tenant, fetch: faulty }
  const client = createClient({ ...options, ...(retries === undefined ? {} : { retries }) })
  return { client, tenant, asked: () => asked }
}

test('reads and creates are repeated, and a create whose answer was lost happens once', async () => {
  const { client, asked } = clientWith(['unavailable', 'lost', 'lost answer'])
  const { id } = await client.createMemory(someMemory({ content: 'once' }))
  expect(asked()).toBe(4)
  expect((await client.listMemories()).memories.map(memory => memory.id)).toEqual([id])
})

test('a change is not repeated when it may have happened, and the error names the address', async () => {
  const { client } = clientWith([])
  const { id } = await client.createMemory(someMemory())
  const lost = clientWith(['lost'])
  const failed = await lost.client.updateMemory({ id, importance: 1 }).catch((error: Error) => error)
  expect(failed).toBeInstanceOf(ServiceUnreachable)
  expect(String(failed)).toContain(`${service.url}/api/v1 cannot be reached: read ECONNRESET`)
  expect(lost.asked()).toBe(1)
})

test('it gives up after so many tries, and does not repeat what the service refuses', async () => {
  const away = clientWith(
    Array.from({ length: 9 }, () => 'unavailable'),
    2,
  )
  const problem = (await away.client.getStats().catch(error => error)) as ProblemError
  expect([problem.status, away.asked()]).toEqual([503, 3])
  const refused = clientWith([])
  await expect(refused.client.listMemories({ limit: 0 })).rejects.toMatchObject({ status: 422 })
  expect(refused.asked()).toBe(1)
})

test('a wait between two tries ends with the signal of the caller', async () => {
  const { client } = clientWith(
    Array.from({ length: 9 }, () => 'lost'),
    9,
  )
  const aborting = new AbortController()
  const call = client.getStats({}, { signal: aborting.signal })
  setTimeout(() => aborting.abort(new Error('enough')), 20)
  await expect(call).rejects.toThrow()
})

test('all pages of memories and of a search are read', async () => {
  const { client, tenant } = clientWith([])
  const texts = Array.from({ length: 7 }, (_, at) => `walrus ${at}`)
  await remember(service.clientOf(tenant), texts)
  const listed = []
  for await (const memory of client.iterateMemories({ limit: 3, order: 'asc' })) listed.push(memory.content)
  expect(listed).toEqual(texts)
  const found = new Set()
  const search = { query: 'walrus', search_type: 'keyword' as const, limit: 2 }
  for await (const { memory } of client.iterateResults(search)) found.add(memory.id)
  expect(found.size).toBe(7)
})

test('changes are followed, also after the connection was lost', async () => {
  const { client, tenant } = clientWith([])
  const { next_cursor: after } = await client.listChanges({ from: 'now' })
  let connections = 0
  const follower = createClient({
    baseUrl: service.baseUrl,
    apiKey: OPERATOR_KEY,
    tenant,
    fetch: async (input, init) => {
      if (!String(input).includes('/events')) return fetch(input, init)
      connections++
      if (connections === 1) throw new TypeError('fetch failed')
      return connections === 2 ? new Response('{}', { status: 503 }) : fetch(input, init)
    },
  })
  const ending = new AbortController()
  const seen: Change[] = []
  const following = (async () => {
    for await (const change of follower.iterateChanges({ after }, { signal: ending.signal })) {
      seen.push(change)
      if (seen.length === 2) ending.abort()
    }
  })()
  await client.createMemory(someMemory({ content: 'one' }))
  await client.createMemory(someMemory({ content: 'two' }))
  await following
  expect(seen.map(({ kind }) => kind)).toEqual(['created', 'created'])
  expect(connections).toBe(3)
})
