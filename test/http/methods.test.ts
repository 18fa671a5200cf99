import { beforeAll, expect, test } from 'vitest'
import { type RouteName, routeNames, routes } from '../../src/contract/index.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { rawRequest } from '../support/raw-request.ts'
import { pathOf } from '../support/routes.ts'
import { OPERATOR_KEY, someMemory, withService } from '../support/service.ts'

const service = withService()
let id: string
beforeAll(async () => {
  id = (await service.client.createMemory(someMemory())).id
})

const byPath = Map.groupBy(routeNames, name => routes[name].path)

test.each([...byPath])('%s answers every other method with those it knows', async (_, names) => {
  const methods = names.map((name): string => routes[name].method)
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    if (methods.includes(method)) continue
    const response = await service.request(pathOf(names[0] as RouteName), { method })
    expect(response.headers.get('allow')?.split(', ').sort(), method).toEqual(allowed.toSorted())
    await expectProblem(response, 'method_not_allowed')
  }
})

test.each(['TRACE', 'PROPFIND', 'PURGE'])('%s is not possible anywhere', async method => {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
  const answer = await rawRequest(`${service.baseUrl}/memories`, { method, headers })
  expect(answer.status).toBe(405)
  expect(JSON.parse(answer.text)).toMatchObject({ code: 'method_not_allowed' })
})

test('only a request with a key learns that a method is wrong', async () => {
  await expectProblem(await fetch(`${service.baseUrl}/memories`, { method: 'PUT' }), 'unauthorized')
})

test.each(['/health', '/ready', '/openapi.json', '/memories', '/stats', '/connections'])(
  'HEAD %s answers as GET does, without the body',
  async path => {
    const get = await service.request(path)
    const head = await service.request(path, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  },
)

test('HEAD of a memory returns its version', async () => {
  const response = await service.request(`/memories/${id}`, { method: 'HEAD' })
  expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([200, '"1"', ''])
})

test('HEAD of nothing is 404 without a body', async () => {
  const path = '/memories/01900000-0000-7000-8000-000000000000'
  const response = await service.request(path, { method: 'HEAD' })
  expect([response.status, await response.text()]).toEqual([404, ''])
})
