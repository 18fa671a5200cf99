import { z } from 'zod'
import { type RouteName, routeNames, routes } from '../../contract/index.ts'
import { type ProblemCode, problem, problems } from '../../contract/problems.ts'
import { hasBody, namesInPath, type Route } from '../../contract/route.ts'

type Json = Record<string, unknown>

/** The contract as OpenAPI 3.1: every route with every answer it can give. */
export function openApiDocument(version: string): Json {
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
        'A store of memories with a lifecycle, search by meaning and by words, and a graph of typed connections.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
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
  const parameters = Object.entries(properties)
    .filter(([field]) => inPath.includes(field) || !inBody)
    .map(([field, schema]) => parameter(field, schema, inPath.includes(field), required.includes(field)))
  const fields = Object.keys(properties).filter(field => !inPath.includes(field))
  return {
    operationId: name,
    tags: [route.group],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(route.scope === 'open' ? { security: [] } : {}),
    parameters: [...parameters, ...headersOf(route)],
    ...(inBody && fields.length > 0 ? { requestBody: requestBody(input, resolved, inPath) } : {}),
    responses: responsesOf(name, route, schemas),
  }
}

/** Only where a list stands in a query: a body and the tools of agents take it as it is. */
const WRITTEN_LIST = 'Comma-separated, or the parameter repeated.'

function parameter(name: string, schema: Json, inPath: boolean, required: boolean): Json {
  const { description: meaning, ...rest } = schema
  const isList = rest.type === 'array'
  const description = [meaning, isList && WRITTEN_LIST].filter(Boolean).join(' ')
  const list = isList ? { style: 'form', explode: false } : {}
  const place = inPath ? { in: 'path', required: true } : { in: 'query', required }
  // A list without elements is left out: a query cannot tell it from a list of one empty text.
  const shown = isList ? { ...rest, minItems: 1 } : rest
  return { name, ...place, ...list, ...(description ? { description } : {}), schema: shown }
}

function headersOf(route: Route): Json[] {
  const header = (name: string, description: string, schema: Json) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema,
  })
  return [
    ...(route.scope === 'open'
      ? []
      : [
          header('X-Tenant-Id', "The tenant; only the operator's key may choose.", {
            type: 'string',
            pattern: '^[a-z0-9_-]{1,64}$',
          }),
        ]),
    ...(route.creates
      ? [
          header('Idempotency-Key', 'The same key and body get the same answer for 24 hours.', {
            type: 'string',
            pattern: '^[!-~]{1,255}$',
          }),
        ]
      : []),
    ...(route.precondition
      ? [
          header(route.precondition, 'The version, as the ETag gave it.', {
            type: 'string',
            examples: ['"1"'],
          }),
        ]
      : []),
  ]
}

/** Fields that stand in the path are no part of the body. */
function requestBody(input: Json, resolved: Json, inPath: readonly string[]): Json {
  const without = (names: unknown) => (names as string[]).filter(name => !inPath.includes(name))
  const schema =
    inPath.length === 0
      ? input
      : {
          ...resolved,
          properties: Object.fromEntries(
            Object.entries(resolved.properties as Json).filter(([name]) => !inPath.includes(name)),
          ),
          required: without(resolved.required ?? []),
        }
  const required = without(resolved.required ?? []).length > 0
  return { required, content: { 'application/json': { schema } } }
}

function responsesOf(name: RouteName, route: Route, schemas: Json): Json {
  const body = { content: contentOf(route, schemas) }
  const success = {
    description: route.summary,
    headers: {
      'X-Request-Id': { schema: { type: 'string' } },
      ...(route.answersMemory
        ? { ETag: { description: "The memory's version.", schema: { type: 'string' } } }
        : {}),
      ...(name === 'createMemory' ? { Location: { schema: { type: 'string' } } } : {}),
    },
    ...body,
    ...linksOf(route),
  }
  const byStatus = Map.groupBy(problemsOf(route), code => problems[code].status)
  const failures = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => [status, failure(codes)] as const)
  return {
    [route.status ?? 200]: success,
    ...(route.precondition === 'If-None-Match'
      ? { 304: { description: 'It is still at the version of If-None-Match.' } }
      : {}),
    ...Object.fromEntries(failures),
    ...(name === 'getReadiness' ? { 503: { description: 'It cannot serve now.', ...body } } : {}),
  }
}

const contentOf = ({ mediaTypes, output }: Route, schemas: Json): Json =>
  mediaTypes
    ? Object.fromEntries(mediaTypes.map(type => [type, { schema: { type: 'string' } }]))
    : { 'application/json': { schema: schemaOf(output, 'output', schemas) } }

/** What can be asked next about the thing in the answer: the routes below this one whose names the answer holds. */
function linksOf(route: Route): { links?: Json } {
  const links = routeNames.flatMap(name => {
    const { path } = routes[name]
    const places = namesInPath(path).map(field => [field, placeOf(field, route.output)] as const)
    if (!path.startsWith(`${route.path}/{`) || places.some(([, place]) => place === undefined)) return []
    const parameters = Object.fromEntries(places.map(([field, place]) => [field, `$response.body#${place}`]))
    return [[name, { operationId: name, parameters }] as const]
  })
  return links.length > 0 ? { links: Object.fromEntries(links) } : {}
}

/** Where a field stands in an answer, as a JSON pointer. */
function placeOf(name: string, schema: z.ZodType): string | undefined {
  if (!(schema instanceof z.ZodObject)) return undefined
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>)
  const places = fields.map(([field, inner]) => [field, field === name ? '' : placeOf(name, inner)] as const)
  const found = places.find(([, place]) => place !== undefined)
  return found && `/${found[0]}${found[1]}`
}

function failure(codes: readonly ProblemCode[]): Json {
  return {
    description: codes.map(code => `\`${code}\`: ${problems[code].title}`).join('. '),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}

/** What a route raises itself, and what its door can raise before it. */
function problemsOf(route: Route): ProblemCode[] {
  const door: ProblemCode[] = ['method_not_allowed', 'validation_failed', 'internal_error']
  const key: ProblemCode[] = ['unauthorized', 'forbidden', 'rate_limited', 'database_unavailable']
  const body: ProblemCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type']
  const creating: ProblemCode[] = [
    'idempotency_key_reused',
    'idempotency_in_progress',
    'idempotency_answer_gone',
  ]
  return [
    ...route.problems,
    ...door,
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
    override: ({ jsonSchema }) => {
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
