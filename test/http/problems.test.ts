import { expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

const UNKNOWN = '/memories/01900000-0000-7000-8000-000000000000'

test.each(['a', 'A.b_c-9', 'x'.repeat(128), '01900000-0000-7000-8000-000000000000'])(
  'the request id %s is used and returned',
  async id => {
    const headers = { 'x-request-id': id }
    const success = await service.request('/stats', { headers })
    expect(success.headers.get('x-request-id')).toBe(id)
    const failure = await service.request(UNKNOWN, { headers })
    expect((await expectProblem(failure, 'memory_not_found')).request_id).toBe(id)
  },
)

test.each(['', 'x'.repeat(129), 'a b', 'a/b', 'a;b', 'ä', '"a"', '{}'])(
  'the request id "%s" is replaced by a new one',
  async id => {
    const response = await service.request('/stats', { headers: { 'x-request-id': id } })
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  },
)

test('every request gets an id of its own', async () => {
  const paths = ['/health', '/stats', '/nothing', UNKNOWN, '/memories/7', '/memories?limit=0']
  const ids = await Promise.all(
    paths.map(async path => (await service.request(path)).headers.get('x-request-id')),
  )
  expect(new Set(ids).size).toBe(paths.length)
})

test('a problem names the path of the request, without its query', async () => {
  const response = await service.request(`${UNKNOWN}?record_recall=false`)
  expect((await expectProblem(response, 'memory_not_found')).instance).toBe(`/api/v1${UNKNOWN}`)
})

test('a fault of the service shows only its request id', async () => {
  const { id } = await service.client.createMemory(someMemory())
  await service.cypher(`MATCH (m:Memory {id: $id}) SET m.createdAt = 'broken'`, { id })
  const response = await service.request(`/memories/${id}`)
  const { detail, errors } = await expectProblem(response, 'internal_error')
  expect({ detail, errors }).toEqual({ detail: 'The request id finds it in the log.', errors: undefined })
  await service.cypher('MATCH (m:Memory {id: $id}) DETACH DELETE m', { id })
})

test('responses are not cached, not sniffed, and do not name the server', async () => {
  for (const path of ['/health', '/stats', '/nothing']) {
    const { headers } = await service.request(path)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-powered-by')).toBeNull()
  }
})
