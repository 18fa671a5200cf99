import { expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { rawRequest } from '../support/raw-request.ts'
import { OPERATOR_KEY, problemOf, withService } from '../support/service.ts'

const service = withService()

const UNKNOWN = '01900000-0000-7000-8000-000000000000'

test.each([
  '7',
  'memory',
  UNKNOWN.slice(1),
  `${UNKNOWN}0`,
  `{${UNKNOWN}}`,
  UNKNOWN.replaceAll('-', ''),
  '%20',
  '%00',
  `${UNKNOWN}%00`,
  'null',
  'undefined',
  '%E2%82%AC',
  "'%20OR%201=1",
  '..%2f..%2fetc',
  `urn:uuid:${UNKNOWN}`,
])('a path with the id %s is malformed', async id => {
  const calls = [
    ['GET', `/memories/${id}`],
    ['PATCH', `/memories/${id}`],
    ['DELETE', `/memories/${id}`],
    ['POST', `/memories/${id}/restore`],
    ['GET', `/memories/${id}/related`],
    ['DELETE', `/connections/${UNKNOWN}/${id}`],
    ['DELETE', `/connections/${id}/${UNKNOWN}`],
    ['DELETE', `/admin/keys/${id}`],
  ] as const
  for (const [method, path] of calls)
    await expectProblem(await service.request(path, { method }), 'malformed_id')
})

test.each(['%zz', '%', '%E0%A4%A', '%ff', '%c0%af'])('a path with %s cannot be decoded', async part => {
  await expectProblem(await service.request(`/memories/${part}`), 'malformed_id')
})

test('a well-formed id of nothing is unknown in a path', async () => {
  const { client } = service
  const calls = [
    () => client.getMemory({ id: UNKNOWN }),
    () => client.getMemory({ id: UNKNOWN, record_recall: false }),
    () => client.updateMemory({ id: UNKNOWN, importance: 1 }),
    () => client.deleteMemory({ id: UNKNOWN }),
    () => client.deleteMemory({ id: UNKNOWN, hard: true }),
    () => client.restoreMemory({ id: UNKNOWN }),
    () => client.relatedMemories({ id: UNKNOWN }),
  ]
  for (const call of calls)
    expect(await problemOf(call())).toMatchObject({ status: 404, code: 'memory_not_found' })
})

test('a malformed id in a query or a body breaks a rule', async () => {
  const queries = [
    '/connections?source_id=7',
    '/admin/jobs?memory_id=7',
    '/graph/path?source_id=7&target_id=8',
  ]
  for (const query of queries) await expectProblem(await service.request(query), 'validation_failed')
  const problem = await problemOf(service.client.createConnection({ source_id: '7', target_id: UNKNOWN }))
  expect(problem).toMatchObject({ status: 422, pointers: ['/source_id'] })
})

test('ids are read in either case and answered in lower case', async () => {
  const { id } = await service.client.createMemory({ content: 'x', policy: 'pinned', ttl_seconds: 0 })
  expect((await service.client.getMemory({ id: id.toUpperCase() })).id).toBe(id)
})

test.each(['/memory', '/memories/', '/Memories', '/memories//', '/', '', '/metrics', '/health/x'])(
  'there is nothing at %s',
  async path => {
    await expectProblem(await service.request(path), 'unknown_path')
  },
)

test.each(['/', '/api', '/api/v2/memories', '/memories', '/favicon.ico', '/.env'])(
  'there is nothing at %s of the server',
  async path => {
    await expectProblem(await fetch(service.url + path), 'unknown_path')
  },
)

test('a path that climbs is no way around the key', async () => {
  for (const path of [
    '/api/v1/health/../memories',
    '//api/v1/memories',
    '/api/v1/./memories',
    '/health/../memories',
  ]) {
    const { status } = await rawRequest(service.url, { path })
    expect([401, 404], path).toContain(status)
  }
})

test('a whole address in the request line is read as its path', async () => {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
  const { status } = await rawRequest(service.url, { path: 'http://elsewhere.invalid/api/v1/stats', headers })
  expect(status).toBe(200)
})
