import { z } from 'zod'
import { ids } from '../../contract/examples/world.ts'
import { exampleOf } from '../../contract/examples.ts'
import { type RouteName, routeNames, routes } from '../../contract/index.ts'
import { type ProblemCode, problems, problemType } from '../../contract/problem-codes.ts'
import type { Problem } from '../../contract/problems.ts'
import { hasBody, isRead, namesInPath, type Route } from '../../contract/route.ts'
import { BOOKMARK_HEADER } from '../../service/bookmarks.ts'
import { RECALL_HEADER } from './openapi-headers.ts'
import { type OpenApiObject, schemaOf } from './openapi-schemas.ts'

const REQUEST_ID = '01a1fd1e-8c00-7c3e-a27f-60c35d18be94'

/** Every response that a route can give, by its status. */
export function responsesOf(name: RouteName, route: Route, schemas: OpenApiObject): OpenApiObject {
  const body = { content: contentOf(name, route, schemas) }
  const success = {
    description: route.summary,
    headers: headersOfSuccess(name, route),
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

/** The headers of a success beside those of HTTP. */
function headersOfSuccess(name: RouteName, route: Route): OpenApiObject {
  return {
    'X-Request-Id': responseHeader('The id of the request. Every log line contains it.', REQUEST_ID),
    ...(!isRead(route)
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
          'Preference-Applied': responseHeader('How long the service waited at most, if asked to.', 'wait=5'),
        }
      : {}),
    ...(name === 'createMemory'
      ? { Location: responseHeader('The path of the new memory.', `/api/v1/memories/${ids.rule}`) }
      : {}),
  }
}

const responseHeader = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
})

function contentOf(name: RouteName, { mediaTypes, output }: Route, schemas: OpenApiObject): OpenApiObject {
  const example = exampleOf(name).output
  if (!mediaTypes) return { 'application/json': { schema: schemaOf(output, 'output', schemas), example } }
  const texts = example as Record<string, string>
  return Object.fromEntries(
    mediaTypes.map(type => [type, { schema: { type: 'string' }, example: texts[type] }]),
  )
}

/** The path of the example request. */
function pathOf(name: RouteName, { path }: Route): string {
  const { input } = exampleOf(name)
  return `/api/v1${path.replaceAll(/\{(\w+)\}/g, (_, field: string) => String(input[field]))}`
}

/** Links to the routes below this one whose path parameters the response contains. */
function linksOf(route: Route): { links?: OpenApiObject } {
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

function failure(codes: readonly ProblemCode[], instance: string): OpenApiObject {
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
    ...(route.problems ?? []),
    ...always,
    ...(route.scope === 'open' ? [] : key),
    ...(hasBody(route) ? body : []),
    ...(route.creates ? creating : []),
    ...(isRead(route) ? [] : (['tenant_closed'] as const)),
  ]
}
