import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, expect, test } from 'vitest'
import { routeNames, routes } from '../../src/contract/index.ts'
import { problems } from '../../src/contract/problem-codes.ts'
import { namesInPath, type Route, textStream } from '../../src/contract/route.ts'
import { withService } from '../support/service.ts'

type Operation = {
  operationId: string
  summary: string
  security?: unknown[]
  parameters: {
    name: string
    in: string
    required: boolean
    description?: string
    schema: { type?: string }
  }[]
  requestBody?: { content: Record<string, { schema: unknown }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: unknown }> }>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}

const service = withService()
let document: Document
beforeAll(async () => {
  document = (await service.client.getOpenApi()) as unknown as Document
})

const operationOf = (name: keyof typeof routes) => {
  const { path, method } = routes[name]
  return document.paths[path]?.[method.toLowerCase()] as Operation
}

test('the description is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate({ ...document })
  expect(errors).toBeUndefined()
  expect([valid, validator.version]).toEqual([true, '3.1'])
})

test('it is the same at the root and below the base path', async () => {
  const answers = await Promise.all(
    [service.url, service.baseUrl].map(async base => (await fetch(`${base}/openapi.json`)).json()),
  )
  expect(answers[0]).toEqual(answers[1])
})

test('it describes the operations of the contract and no others', () => {
  const described = Object.values(document.paths).flatMap(path => Object.values(path))
  expect(described.map(({ operationId }) => operationId).toSorted()).toEqual(routeNames.toSorted())
})

test.each(routeNames)('%s is described with every answer it can give', name => {
  const route: Route = routes[name]
  const { responses } = operationOf(name)
  const common = route.scope === 'open' ? [405, 422, 500] : [401, 403, 405, 422, 429, 500, 503]
  const body = ['GET', 'DELETE'].includes(route.method) ? [] : [400, 413, 415]
  const creating = route.creates ? [409] : []
  const own = (route.problems ?? []).map(code => problems[code].status)
  const expected = [route.status ?? 200, ...common, ...body, ...creating, ...own].map(String)
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(expected))
})

test.each(routeNames)('%s: every failure is described as a problem document', name => {
  for (const [status, { content }] of Object.entries(operationOf(name).responses)) {
    if (Number(status) < 400 || (name === 'getReadiness' && status === '503')) continue
    expect(content, status).toEqual({
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: expect.anything(),
      },
    })
  }
})

test.each(routeNames)('%s is described with the media types that it answers', name => {
  const { mediaTypes, output, status = 200 }: Route = routes[name]
  expect(mediaTypes !== undefined).toBe(output === textStream)
  const { content } = operationOf(name).responses[status] as { content: object }
  expect(Object.keys(content)).toEqual(mediaTypes ?? ['application/json'])
})

test.each(routeNames)('%s is described as open or as behind a key', name => {
  expect(operationOf(name).security).toEqual(routes[name].scope === 'open' ? [] : undefined)
})

test.each(routeNames)('%s: every field has its place in the path, the query or the body', name => {
  const route: Route = routes[name]
  const { parameters, requestBody } = operationOf(name)
  const inPath = namesInPath(route.path)
  const named = (place: string) => parameters.filter(each => each.in === place).map(each => each.name)
  const rest = Object.keys(route.input.shape).filter(field => !inPath.includes(field))
  const hasBody = !['GET', 'DELETE'].includes(route.method)
  expect(named('path').toSorted()).toEqual(inPath.toSorted())
  expect(named('query').toSorted()).toEqual(hasBody ? [] : rest.toSorted())
  expect(requestBody !== undefined).toBe(hasBody && rest.length > 0)
  expect(named('header').includes('Idempotency-Key')).toBe(route.creates === true)
})

test.each(routeNames)(
  '%s: how a list is written is said of those in the query, and of nothing else',
  name => {
    const { parameters, ...rest } = operationOf(name)
    for (const { in: place, description = '', schema = {} } of parameters)
      expect(description.includes('Comma-separated')).toBe(place === 'query' && schema.type === 'array')
    expect(JSON.stringify(rest)).not.toContain('Comma-separated')
  },
)

test('every reference leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)]
  expect(references.length).toBeGreaterThan(10)
  for (const [, name] of references) expect(document.components.schemas).toHaveProperty(name as string)
})

test('answers may grow: no answer forbids a field that is not described', () => {
  const schemas = routeNames.map(name => operationOf(name).responses[routes[name].status ?? 200])
  expect(JSON.stringify(schemas)).not.toContain('"additionalProperties":false')
})
