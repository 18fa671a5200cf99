import { exampleOf } from '../../contract/examples.ts'
import { groupOf, type RouteName, routeNames, routes } from '../../contract/index.ts'
import { problem } from '../../contract/problems.ts'
import { hasBody, namesInPath, type Route } from '../../contract/route.ts'
import { headersOf } from './openapi-headers.ts'
import { responsesOf } from './openapi-responses.ts'
import { type OpenApiObject, resolve, schemaOf } from './openapi-schemas.ts'

/** The contract as OpenAPI 3.1: every route with every response it can give, described and with an example. */
export function openApiDocument(version: string, prefix = ''): OpenApiObject {
  const schemas: OpenApiObject = {}
  const paths: Record<string, OpenApiObject> = {}
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

function operationOf(name: RouteName, route: Route, schemas: OpenApiObject): OpenApiObject {
  const inPath = namesInPath(route.path)
  const inBody = hasBody(route)
  const input = schemaOf(route.input, 'input', schemas)
  const resolved = resolve(input, schemas)
  const properties = (resolved.properties ?? {}) as Record<string, OpenApiObject>
  const required = (resolved.required ?? []) as string[]
  const sent: OpenApiObject = exampleOf(name).input
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
    tags: [groupOf(name)],
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
function withExample(sent: unknown, schema: OpenApiObject): OpenApiObject {
  return sent === undefined
    ? { schema: { ...schema, examples: [someValue(schema)] } }
    : { schema, example: sent }
}

/** A value that the schema allows. */
function someValue({
  default: fallback,
  examples: shown,
  enum: allowed,
  type,
  items,
}: OpenApiObject): unknown {
  const values = (shown ??
    allowed ?? [type === 'array' ? [someValue(items as OpenApiObject)] : true]) as unknown[]
  return fallback ?? values[0]
}

const without = (fields: OpenApiObject, names: readonly string[]): OpenApiObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** For lists in a query string only: a body and MCP tools take a list as it is. */
const WRITTEN_LIST = 'Comma-separated, or the parameter repeated.'

type Place = { inPath: boolean; required: boolean; sent: unknown }

function parameter(name: string, schema: OpenApiObject, { inPath, required, sent }: Place): OpenApiObject {
  const { description: meaning, ...rest } = schema
  const isJson = isObject(rest) || (rest.type === 'array' && isObject(rest.items as OpenApiObject))
  const isList = rest.type === 'array' && !isJson
  const description = [meaning, isList && WRITTEN_LIST].filter(Boolean).join(' ')
  const list = isList ? { style: 'form', explode: false } : {}
  const place = inPath ? { in: 'path', required: true } : { in: 'query', required }
  // A query string cannot distinguish an empty list from a list of one empty text.
  const shown = isList ? { ...rest, minItems: 1 } : rest
  const schemaAndExample = withExample(sent, shown)
  const written = isJson ? { content: { 'application/json': schemaAndExample } } : schemaAndExample
  return { name, ...place, ...list, ...(description ? { description } : {}), ...written }
}

const isObject = (schema: OpenApiObject) => schema.type === 'object' || schema.$ref !== undefined

/** Fields in the path are not part of the body. */
function requestBody(
  input: OpenApiObject,
  resolved: OpenApiObject,
  inPath: readonly string[],
  example: OpenApiObject,
): OpenApiObject {
  const required = ((resolved.required ?? []) as string[]).filter(name => !inPath.includes(name))
  const schema =
    inPath.length === 0
      ? input
      : {
          ...resolved,
          properties: without(resolved.properties as OpenApiObject, inPath),
          required,
        }
  return { required: required.length > 0, content: { 'application/json': { schema, example } } }
}
