import { z } from 'zod'
import { ids } from '../../contract/examples/world.ts'
import { examples } from '../../contract/examples.ts'
import { type RouteName, routeNames, routes } from '../../contract/index.ts'
import { type ProblemCode, problems, problemType } from '../../contract/problem-codes.ts'
import { type Problem, problem } from '../../contract/problems.ts'
import { hasBody, namesInPath, type Route } from '../../contract/route.ts'
import { BOOKMARK_HEADER } from '../../service/bookmarks.ts'
import { isWrite } from '../../service/index.ts'
import { headersOf, RECALL_HEADER } from './openapi-headers.ts'

type Json = Record<string, unknown>

/** The contract as OpenAPI 3.1: every route with every response it can give, described and with an example. */
export function openApiDocument(version: string, prefix = ''): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const name of routeNames) {
    const { path, method } = routes[name]
    const operations = paths[path] ?? {}
    operations[method.toLowerCase()] = operationOf(name, routes[name], schemas)
    paths[path] = operations
  }
  schemas.Problem = schemaOf(problem, 'output', schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mnemograph',
      version,
      description:
        'A memory service for agents and applications: memories with a lifecycle, search by meaning and by keywords, and a graph of typed connections.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${prefix}/api/v1` }],
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or the operator key.' },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'The same keys, for clients that cannot send a bearer token.',
        },
      },
    },
  }
}

function operationOf(name: RouteName, route: Route, schemas: Json): Json {
  const inPath = namesInPath(route.path)
  const inBody = hasBody(route)
  const input = schemaOf(route.input, 'input', schemas)
  const resolved = resolve(input, schemas)
  const properties = (resolved.properties ?? {}) as Record<string, Json>
  const required = (resolved.required ?? []) as string[]
  const sent: Json = examples[name].input
  const parameters = Object.entries(properties)
    .filter(([field]) => inPath.includes(field) || !inBody)
    .map(([field, schema]) =>
      parameter(field, schema, {
        inPath: inPath.includes(field),
        required: required.includes(field),
        sent: sent[field],
      }),
    )
  const fields = Object.keys(properties).filter(field => !inPath.includes(field))
  return {
    operationId: name,
    tags: [route.group],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(route.scope === 'open' ? { security: [] } : {}),
    parameters: [...parameters, ...headersOf(route)],
    ...(inBody && fields.length > 0
      ? { requestBody: requestBody(input, resolved, inPath, without(sent, inPath)) }
      : {}),
    responses: responsesOf(name, route, schemas),
  }
}

/** A viewer fills in the `example` of a parameter; it only shows those of the schema, for what need not be sent. */
function exampleOf(sent: unknown, schema: Json): Json {
  return sent === undefined
    ? { schema: { ...schema, examples: [someValue(schema)] } }
    : { schema, example: sent }
}

/** A value that the schema allows. */
function someValue({ default: fallback, examples: shown, enum: allowed, type, items }: Json): unknown {
  const values = (shown ?? allowed ?? [type === 'array' ? [someValue(items as Json)] : true]) as unknown[]
  return fallback ?? values[0]
}

const without = (fields: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** For lists in a query string only: a body and MCP tools take a list as it is. */
const WRITTEN_LIST = 'Comma-separated, or the parameter repeated.'

type Place = { inPath: boolean; required: boolean; sent: unknown }

function parameter(name: string, schema: Json, { inPath, required, sent }: Place): Json {
  const { description: meaning, ...rest } = schema
  const isJson = isObject(rest) || (rest.type === 'array' && isObject(rest.items as Json))
  const isList = rest.type === 'array' && !isJson
  const description = [meaning, isList && WRITTEN_LIST].filter(Boolean).join(' ')
  const list = isList ? { style: 'form', explode: false } : {}
  const place = inPath ? { in: 'path', required: true } : { in: 'query', required }
  // A query string cannot distinguish an empty list from a list of one empty text.
  const shown = isList ? { ...rest, minItems: 1 } : rest
  const schemaAndExample = exampleOf(sent, shown)
  const written = isJson ? { content: { 'application/json': schemaAndExample } } : schemaAndExample
  return { name, ...place, ...list, ...(description ? { description } : {}), ...written }
}

const isObject = (schema: Json) => schema.type === 'object' || schema.$ref !== undefined

/** Fields in the path are not part of the body. */
function requestBody(input: Json, resolved: Json, inPath: readonly string[], example: Json): Json {
  const required = ((resolved.required ?? []) as string[]).filter(name => !inPath.includes(name))
  const schema =
    inPath.length === 0
      ? input
      : {
          ...resolved,
          properties: without(resolved.properties as Json, inPath),
          required,
        }
  return { required: required.length > 0, content: { 'application/json': { schema, example } } }
}

function responsesOf(name: RouteName, route: Route, schemas: Json): Json {
  const body = { content: contentOf(name, route, schemas) }
  const success = {
    description: route.summary,
    headers: {
      'X-Request-Id': responseHeader('The id of the request. Every log line contains it.', REQUEST_ID),
      ...(isWrite(route)
        ? {
            [BOOKMARK_HEADER]: responseHeader(
              'For a Neo4j cluster: send it with a later request, which then sees this write.',
              'W10.k3X…',
            ),
          }
        : {}),
      ...(route.answersMemory ? { ETag: responseHeader('The version of the memory.', '"1"') } : {}),
      ...('record_recall' in route.input.shape
        ? {
            [RECALL_HEADER]: responseHeader(
              'Sent if the recalls of the response could not be recorded yet. The service records them later.',
              'deferred',
            ),
          }
        : {}),
      ...(route.waits
        ? {
            'Preference-Applied': responseHeader(
              'How long the service waited at most, if asked to.',
              'wait=5',
            ),
          }
        : {}),
      ...(name === 'createMemory'
        ? { Location: responseHeader('The path of the new memory.', `/api/v1/memories/${ids.rule}`) }
        : {}),
    },
    ...body,
    ...linksOf(route),
  }
  const byStatus = Map.groupBy(problemsOf(route), code => problems[code].status)
  const failures = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => [status, failure(codes, pathOf(name, route))] as const)
  return {
    [route.status ?? 200]: success,
    ...(route.otherStatus && { [route.otherStatus]: success }),
    ...(route.precondition === 'If-None-Match'
      ? { 304: { description: 'The memory still has the version that `If-None-Match` names.' } }
      : {}),
    ...Object.fromEntries(failures),
    ...(name === 'getReadiness'
      ? { 503: { description: 'The service cannot handle requests now.', ...body } }
      : {}),
  }
}

const REQUEST_ID = '01a1fd1e-8c00-7c3e-a27f-60c35d18be94'

const responseHeader = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
})

function contentOf(name: RouteName, { mediaTypes, output }: Route, schemas: Json): Json {
  const example: unknown = examples[name].output
  if (!mediaTypes) return { 'application/json': { schema: schemaOf(output, 'output', schemas), example } }
  const texts = example as Record<string, string>
  return Object.fromEntries(
    mediaTypes.map(type => [type, { schema: { type: 'string' }, example: texts[type] }]),
  )
}

/** The path of the example request. */
function pathOf(name: RouteName, { path }: Route): string {
  const input: Json = examples[name].input
  return `/api/v1${path.replaceAll(/\{(\w+)\}/g, (_, field: string) => String(input[field]))}`
}

/** Links to the routes below this one whose path parameters the response contains. */
function linksOf(route: Route): { links?: Json } {
  const links = routeNames.flatMap(name => {
    const { path } = routes[name]
    const pointers = namesInPath(path).map(field => [field, pointerOf(field, route.output)] as const)
    if (!path.startsWith(`${route.path}/{`) || pointers.some(([, pointer]) => pointer === undefined))
      return []
    const parameters = Object.fromEntries(
      pointers.map(([field, pointer]) => [field, `$response.body#${pointer}`]),
    )
    return [[name, { operationId: name, parameters }] as const]
  })
  return links.length > 0 ? { links: Object.fromEntries(links) } : {}
}

/** The JSON pointer of a field in a response. */
function pointerOf(name: string, schema: z.ZodType): string | undefined {
  if (!(schema instanceof z.ZodObject)) return undefined
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>)
  const pointers = fields.map(
    ([field, inner]) => [field, field === name ? '' : pointerOf(name, inner)] as const,
  )
  const found = pointers.find(([, pointer]) => pointer !== undefined)
  return found && `/${found[0]}${found[1]}`
}

function failure(codes: readonly ProblemCode[], instance: string): Json {
  const described = [...new Set(codes)]
  return {
    description: described.map(code => `\`${code}\`: ${problems[code].description}`).join(' '),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(
          described.map(code => [code, { summary: problems[code].title, value: failed(code, instance) }]),
        ),
      },
    },
  }
}

function failed(code: ProblemCode, instance: string): Problem {
  const { status, title, description } = problems[code]
  const document = { type: problemType(code), title, status, instance, code, request_id: REQUEST_ID }
  if (code !== 'validation_failed') return { ...document, detail: description }
  const message = '`policy` is required. Use one of: short_term, long_term, pinned.'
  const errors = [{ pointer: '/policy', code: 'invalid_type', message }]
  return { ...document, detail: message, errors, error_count: 1 }
}

/** What a route raises itself, and what the API can raise before it. */
function problemsOf(route: Route): ProblemCode[] {
  const always: ProblemCode[] = ['method_not_allowed', 'validation_failed', 'internal_error']
  const key: ProblemCode[] = ['unauthorized', 'forbidden', 'rate_limited', 'database_unavailable']
  const body: ProblemCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type']
  const creating: ProblemCode[] = [
    'idempotency_key_reused',
    'idempotency_in_progress',
    'idempotency_answer_gone',
  ]
  return [
    ...route.problems,
    ...always,
    ...(route.scope === 'open' ? [] : key),
    ...(hasBody(route) ? body : []),
    ...(route.creates ? creating : []),
  ]
}

/** A schema with its named parts hoisted into the document's own. Answers may grow: unknown fields are not refused. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // zod leaves out the examples of what it transforms, such as letters that it composes.
      const examples = z.globalRegistry.get(zodSchema)?.examples as unknown[] | undefined
      if (io === 'input' && examples && jsonSchema.$ref === undefined) jsonSchema.examples = examples
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  const text = JSON.stringify(json).replaceAll('#/$defs/', '#/components/schemas/')
  const { $defs = {}, $schema: _dialect, ...rest } = JSON.parse(text) as Json
  for (const [name, definition] of Object.entries($defs as Record<string, Json>))
    schemas[name] = withoutId(definition)
  if (typeof rest.id !== 'string') return rest
  schemas[rest.id] = withoutId(rest)
  return { $ref: `#/components/schemas/${rest.id}` }
}

const withoutId = ({ id: _id, ...schema }: Json) => schema

const resolve = (schema: Json, schemas: Json): Json =>
  typeof schema.$ref === 'string' ? (schemas[schema.$ref.split('/').at(-1) as string] as Json) : schema
