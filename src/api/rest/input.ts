import type { Request } from 'express'
import type { z } from 'zod'
import { invalid, ServiceError, toPointer } from '../../contract/problems.ts'
import { hasBody, namesInPath, type Route } from '../../contract/route.ts'
import { boundsFault } from '../input-bounds.ts'
import { jsonOf } from './json.ts'

/**
 * The one flat input of a route. Names that stand in the path come from the path, the rest from the query or the
 * body. A query knows only text: each value is read as the type that its field declares.
 * @throws ServiceError `malformed_id`, `malformed_json`, `unsupported_media_type` or `validation_failed`
 */
export function inputOf(route: Route, req: Request): unknown {
  const inPath = Object.fromEntries(namesInPath(route.path).map(name => [name, pathValue(route, name, req)]))
  if (!hasBody(route)) {
    refuseBody(route, req)
    return merge(queryOf(route, req), inPath)
  }
  refuseNames(Object.keys(req.query), `does not belong in the query: ${route.method} reads the body`)
  const body = bodyOf(req)
  return isObject(body) ? merge(body, inPath) : body
}

function pathValue(route: Route, name: string, req: Request): unknown {
  const value = req.params[name]
  const parsed = (route.input.shape[name] as z.ZodType).safeParse(value)
  if (!parsed.success)
    throw new ServiceError('malformed_id', `${name} in the path ${parsed.error.issues[0]?.message}.`)
  return value
}

function merge(fields: Record<string, unknown>, inPath: Record<string, unknown>) {
  const twice = Object.keys(fields).filter(name => Object.hasOwn(inPath, name))
  refuseNames(twice, 'stands in the path already')
  return { ...fields, ...inPath }
}

function refuseNames(names: readonly string[], message: string) {
  if (names.length === 0) return
  const faults = names.map(name => ({ pointer: toPointer([name]), code: 'unknown_field', message }))
  throw new ServiceError('validation_failed', `${faults[0]?.pointer}: ${message}`, { faults })
}

/** What somebody sends in a body that is not read would go unnoticed. */
function refuseBody({ method }: Route, req: Request) {
  const bytes = bytesOf(req)
  if (!bytes) return
  const body = jsonOf(bytes)
  if (!isObject(body)) throw invalid('', 'unknown_body', `${method} takes no body`)
  refuseNames(Object.keys(body), `does not belong in the body: ${method} reads the query`)
}

const bytesOf = ({ body }: Request): Buffer | undefined =>
  Buffer.isBuffer(body) && body.length > 0 ? body : undefined

function bodyOf(req: Request): unknown {
  const bytes = bytesOf(req)
  if (!bytes) return {}
  if (!req.is('application/json'))
    throw new ServiceError('unsupported_media_type', 'The body must be application/json.')
  const body = jsonOf(bytes)
  if (body === undefined) throw new ServiceError('malformed_json', 'The body is not JSON in UTF-8.')
  const fault = boundsFault(body)
  if (fault) throw invalid('', 'too_big', fault)
  return body
}

function queryOf(route: Route, req: Request): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(req.query).map(([name, value]) => {
      const known = Object.hasOwn(route.input.shape, name)
      return [name, known ? readAs(route.input.shape[name] as z.ZodType, value) : value]
    }),
  )
}

/** What cannot be read as its type stays text, which the schema then refuses in its own words. */
function readAs(field: z.ZodType, value: unknown): unknown {
  const { type, whole } = kindOf(field)
  if (type === 'array') return [value].flat().flatMap(item => String(item).split(','))
  if (typeof value !== 'string') return value
  if (type === 'boolean') return { true: true, false: false }[value] ?? value
  if (type === 'number') return (whole ? WHOLE : FRACTION).test(value) ? Number(value) : value
  return value
}

const WHOLE = /^-?\d+(\.\d+)?$/
/** Clients write what is very small with an exponent. */
const FRACTION = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

function kindOf(field: z.ZodType): { type: string; whole: boolean } {
  const definition = field._zod.def as {
    type: string
    format?: string
    innerType?: z.ZodType
    in?: z.ZodType
  }
  const inner = definition.innerType ?? definition.in
  return inner ? kindOf(inner) : { type: definition.type, whole: definition.format === 'safeint' }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
