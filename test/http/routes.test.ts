import { expect, test } from 'vitest'
import { type RouteName, routeNames, routes } from '../../src/contract/index.ts'
import type { Route } from '../../src/contract/route.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { pathOf } from '../support/routes.ts'
import { withService } from '../support/service.ts'

const service = withService()

const isOpen = (name: RouteName) => routes[name].scope === 'open'

test('exactly health, readiness and the description are open', () => {
  expect(routeNames.filter(isOpen).toSorted()).toEqual(['getHealth', 'getOpenApi', 'getReadiness'])
})

test.each(routeNames.filter(isOpen))('%s answers anyone, below the base path and at the root', async name => {
  for (const base of [service.baseUrl, service.url]) {
    const response = await fetch(base + pathOf(name))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    routes[name].output.parse(await response.json())
  }
})

test.each(routeNames.filter(isOpen))('%s answers even who sends a wrong key', async name => {
  const response = await fetch(service.baseUrl + pathOf(name), { headers: { authorization: 'Bearer wrong' } })
  expect(response.status).toBe(200)
})

test.each(routeNames.filter(name => !isOpen(name)))('%s needs a valid key', async name => {
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { 'x-api-key': 'wrong' }]) {
    const { method } = routes[name]
    const response = await fetch(service.baseUrl + pathOf(name), { method, headers: new Headers(headers) })
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    await expectProblem(response, 'unauthorized')
  }
})

test.each(routeNames.filter(name => !isOpen(name)))('%s is not offered outside the base path', async name => {
  const { method } = routes[name]
  await expectProblem(await fetch(service.url + pathOf(name), { method }), 'unknown_path')
})

test.each(routeNames)('%s refuses query parameters that it does not know', async name => {
  for (const query of ['colour=red', '__proto__=1', 'key=secret']) {
    const response = await call(name, `?${query}`)
    const { errors } = await expectProblem(response, 'validation_failed')
    expect(errors?.map(({ pointer }) => pointer)).toContain(`/${query.split('=')[0]}`)
  }
})

test.each(routeNames.filter(name => (routes[name] as Route).method === 'GET'))(
  '%s takes no parameter twice',
  async name => {
    const fields = Object.keys(routes[name].input.shape).filter(
      field => !routes[name].path.includes(`{${field}}`) && !isList(name, field),
    )
    for (const field of fields)
      await expectProblem(await call(name, `?${field}=1&${field}=1`), 'validation_failed')
  },
)

test.each(routeNames)('%s answers with a documented status', async name => {
  const { status } = await call(name, '')
  const route: Route = routes[name]
  const document = (await service.client.getOpenApi()) as unknown as Described
  const operation = document.paths[route.path]?.[route.method.toLowerCase()]
  expect(operation?.operationId).toBe(name)
  expect(Object.keys(operation?.responses ?? {})).toContain(String(status))
  expect(status).toBeLessThan(500)
})

type Described = {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>
}

const isList = (name: RouteName, field: string) =>
  (routes[name] as Route).input.shape[field]?.meta()?.type === 'array' || /tags|types/.test(field)

const call = (name: RouteName, query: string) => {
  const { method } = routes[name]
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }
  const headers = { 'content-type': 'application/json' }
  return service.request(pathOf(name) + query, { method, headers, ...body })
}
