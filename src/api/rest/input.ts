import type { Request } from 'express'
import type { z } from 'zod'
import { ruleOf, sentence } from '../../contract/faults.ts'
import { type Field, fieldsOf } from '../../contract/fields.ts'
import { readJson } from '../../contract/json.ts'
import { toPointer } from '../../contract/pointers.ts'
import { invalid, ServiceError, shortenText } from '../../contract/problems.ts'
import { hasBody, namesInPath, type Route } from '../../contract/route.ts'
import { readJsonBody } from '../json-body.ts'

/**
 * The one flat input of a route. Names in the path come from the path, the rest from the query or the
 * body. A query has only text: each value is read as the type that its field declares.
 * @throws ServiceError `malformed_id`, `malformed_json`, `unsupported_media_type` or `validation_failed`
 */
export async function requestInput(route: Route, req: Request): Promise<unknown> {
  const inPath = Object.fromEntries(namesInPath(route.path).map(name => [name, pathValue(route, name, req)]))
  if (!hasBody(route)) {
    await refuseBody(route, req)
    return merge(queryOf(route, req), inPath)
  }
  refuseNames(Object.keys(req.query), `must be in the body, not in the query`)
  const body = await bodyOf(req)
  return isObject(body) ? merge(body, inPath) : body
}

function pathValue(route: Route, name: string, req: Request): unknown {
  const value = req.params[name]
  const parsed = (route.input.shape[name] as z.ZodType).safeParse(value)
  const issue = parsed.error?.issues[0]
  if (issue) throw new ServiceError('malformed_id', `\`${name}\` in the path ${ruleOf(issue)}.`)
  return value
}

function merge(fields: Record<string, unknown>, inPath: Record<string, unknown>) {
  const twice = Object.keys(fields).filter(name => Object.hasOwn(inPath, name))
  refuseNames(twice, 'is in the path already. Omit it here')
  return { ...fields, ...inPath }
}

function refuseNames(names: readonly string[], rule: string) {
  if (names.length === 0) return
  const faults = names.map(name => ({
    pointer: toPointer([name]),
    code: 'unknown_field',
    message: sentence([shortenText(name)], rule),
  }))
  throw new ServiceError('validation_failed', faults[0]?.message ?? '', { faults })
}

/** The service ignores no field: a body that it does not read is refused. */
async function refuseBody({ method }: Route, req: Request) {
  const bytes = bytesOf(req)
  if (!bytes) return
  const { value: body } = await readJsonBody(bytes)
  if (!isObject(body))
    throw invalid('', 'unknown_body', `must have no body: ${method} reads the path and the query`)
  refuseNames(Object.keys(body), 'must be in the query, not in the body')
}

const bytesOf = ({ body }: Request): Buffer | undefined =>
  Buffer.isBuffer(body) && body.length > 0 ? body : undefined

async function bodyOf(req: Request): Promise<unknown> {
  const bytes = bytesOf(req)
  if (!bytes) return {}
  if (!req.is('application/json'))
    throw new ServiceError('unsupported_media_type', 'The body must be application/json.')
  const { value, tooLarge, fault } = await readJsonBody(bytes)
  if (tooLarge) throw invalid('', 'too_big', tooLarge)
  if (value === undefined) throw new ServiceError('malformed_json', 'The body is not JSON in UTF-8.')
  if (fault) throw invalid(fault.pointer, fault.code, fault.rule)
  return value
}

function queryOf(route: Route, req: Request): Record<string, unknown> {
  const fields = fieldsOf(route.input)
  return Object.fromEntries(
    Object.entries(req.query).map(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      return [name, field ? readAs(name, field, value) : value]
    }),
  )
}

/** A value that does not match its type stays text, and the schema refuses it. */
function readAs(name: string, { type, items }: Field, value: unknown): unknown {
  if (type === 'array') {
    const isJson = items?.type === 'object'
    return [value].flat().flatMap(item => (isJson ? jsonIn(name, String(item)) : String(item).split(',')))
  }
  if (typeof value !== 'string') return value
  if (type === 'map' || type === 'object') return jsonIn(name, value)
  if (type === 'boolean') return { true: true, false: false }[value] ?? value
  if (type === 'integer') return WHOLE.test(value) ? Number(value) : value
  if (type === 'number') return FRACTION.test(value) ? Number(value) : value
  return value
}

/** @throws ServiceError `validation_failed` */
function jsonIn(name: string, text: string): unknown {
  const { value = text, fault } = readJson(text)
  if (fault) throw invalid(`/${name}${fault.pointer}`, fault.code, fault.rule)
  return value
}

const WHOLE = /^-?\d+(\.\d+)?$/
/** Clients write very small numbers with an exponent. */
const FRACTION = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
