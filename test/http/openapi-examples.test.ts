import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleOf } from '../../src/contract/examples.ts'
import { isStream, routeNames, routes } from '../../src/contract/index.ts'
import { problem } from '../../src/contract/problems.ts'
import { namesInPath, type Route } from '../../src/contract/route.ts'
import { startService, type TestService } from '../support/service.ts'

type Json = { [name: string]: unknown }
type Parameter = Json & { name: string; in: string; schema: Json }
type Content = Record<
  string,
  { schema: Json; example?: unknown; examples?: Record<string, { value: unknown }> }
>
type Operation = {
  description?: string
  summary: string
  parameters: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content; headers?: Record<string, Json> }>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json> }
}

let service: TestService
let document: Document
beforeAll(async () => {
  service = await startService()
  document = (await service.client.getOpenApi()) as unknown as Document
})
afterAll(() => service?.[Symbol.asyncDispose]())

const operationOf = (name: keyof typeof routes) => {
  const { path, method } = routes[name]
  const operation = document.paths[path]?.[method.toLowerCase()] as Operation
  return { ...operation, parameters: operation.parameters.map(withContent) }
}

/** An object in a query is JSON: its schema and example stand under its media type. */
const withContent = ({ content, ...parameter }: Parameter & { content?: Content }): Parameter => ({
  ...parameter,
  ...content?.['application/json'],
})

/** The fields without a description, in a schema and all that it contains. */
function undescribed(value: unknown, place: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties = {}, example: _, examples: __, ...rest } = value as Json
  const fields = Object.entries(properties as Record<string, Json>)
  return [
    ...fields.filter(([, field]) => !field.description).map(([name]) => `${place}.${name}`),
    ...fields.flatMap(([name, field]) => undescribed(field, `${place}.${name}`)),
    ...Object.entries(rest).flatMap(([name, each]) => undescribed(each, `${place}/${name}`)),
  ]
}

test('every field has a description', () => {
  expect(undescribed(document, '').map(place => place.replace(/^.*components\/schemas/, ''))).toEqual([])
  const unnamed = Object.entries(document.components.schemas).filter(([, { description }]) => !description)
  expect(unnamed.map(([name]) => name)).toEqual([])
})

test.each(routeNames)('%s: every parameter, header, body and response has an example', name => {
  const { parameters, requestBody, responses } = operationOf(name)
  for (const { name: field, description, example, schema } of parameters) {
    expect(description, field).toBeTruthy()
    expect(example ?? (schema.examples as unknown[])?.[0], field).toBeDefined()
  }
  for (const { schema: _, ...content } of Object.values(requestBody?.content ?? {}))
    expect(content).toHaveProperty('example')
  for (const [status, { description, content = {}, headers = {} }] of Object.entries(responses)) {
    expect(description, status).toBeTruthy()
    for (const { example, examples: several } of Object.values(content))
      expect(example ?? several, status).toBeDefined()
    for (const header of Object.values(headers)) {
      expect(header.description).toBeTruthy()
      expect(header.example).toBeDefined()
    }
  }
})

test.each(routeNames)(
  '%s: the example of a parameter that is not sent is one that the field allows',
  name => {
    const { shape } = (routes[name] as Route).input
    for (const { name: field, in: place, example, schema } of operationOf(name).parameters) {
      if (place === 'header') continue
      const value = example ?? (schema.examples as unknown[])[0]
      expect(shape[field]?.safeParse(value), field).toMatchObject({ success: true })
    }
  },
)

test.each(routeNames)('%s: the example of its response is one', name => {
  if (isStream(name)) return
  const parsed = (routes[name] as Route).output.safeParse(exampleOf(name).output)
  expect(parsed.error?.issues ?? []).toEqual([])
  expect(parsed.data).toEqual(exampleOf(name).output)
})

test.each(routeNames)('%s: the example of each problem is one', name => {
  for (const { content } of Object.values(operationOf(name).responses))
    for (const { value } of Object.values(content?.['application/problem+json']?.examples ?? {}))
      expect(problem.safeParse(value)).toMatchObject({ success: true })
})

/** Their example names a thing that does not exist. */
const absent = (name: keyof typeof routes) =>
  namesInPath(routes[name].path).includes('id') ||
  [
    'createConnection',
    'createConnections',
    'deleteConnection',
    'findPath',
    'deletePolicy',
    'eraseTenant',
    'resolveConflict',
    'reviewConflict',
    'extractFacts',
  ].includes(name)

test.each(routeNames)('%s: the example of its request works unchanged', async name => {
  const { method, path } = routes[name]
  const { parameters, requestBody } = operationOf(name)
  const sent = parameters.filter(
    ({ example, schema }) => example !== undefined || schema.default !== undefined,
  )
  const value = ({ example = undefined, schema }: Parameter) => {
    const given = example ?? schema.default
    return typeof given === 'object' && !Array.isArray(given) ? JSON.stringify(given) : String(given)
  }
  const inPath = new Map(sent.filter(each => each.in === 'path').map(each => [each.name, value(each)]))
  const inQuery = sent
    .filter(each => each.in === 'query')
    .map((each): [string, string] => [each.name, value(each)])
  const body = requestBody?.content['application/json']?.example
  const stop = new AbortController()
  const url = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(inPath.get(field) ?? ''))
  const response = await service.request(`${url}?${new URLSearchParams(inQuery)}`.replace(/\?$/, ''), {
    method,
    signal: stop.signal,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (name === 'followChanges') stop.abort()
  else await response.text()
  const expected = absent(name) ? [200, 404, 409] : [routes[name as 'createMemory'].status ?? 200]
  expect(expected).toContain(response.status)
})
