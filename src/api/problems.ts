import type { NextFunction, Request, Response } from 'express'
import { type Problem, type ProblemCode, problems, problemType, ServiceError } from '../contract/problems.ts'
import type { Log } from '../platform/log.ts'

/** Answers whatever went wrong: the one place that turns a failure into an HTTP answer. */
export const answerProblem = (log: Log) =>
  // Express knows an error handler by its four parameters.
  function problemHandler(thrown: unknown, req: Request, res: Response, _next: NextFunction) {
    const requestId = res.locals.requestId as string
    const error = expected(thrown, log.child({ request_id: requestId }))
    if (res.headersSent) return void res.destroy()
    const document = problemDocument(error, req.originalUrl.split('?')[0] ?? '', requestId)
    if (error.code === 'unauthorized') res.append('WWW-Authenticate', 'Bearer')
    if (error.retryAfterSeconds !== undefined) res.set('Retry-After', String(error.retryAfterSeconds))
    res.status(document.status).type('application/problem+json').send(JSON.stringify(document))
  }

/** The document for a failure. Nothing of a fault leaves the house. */
export function problemDocument(error: ServiceError, instance: string, requestId: string): Problem {
  const { status, title } = problems[error.code]
  return {
    type: problemType(error.code),
    title,
    status,
    detail: error.code === 'internal_error' ? 'The request id finds it in the log.' : error.message,
    instance,
    code: error.code,
    request_id: requestId,
    ...(error.faults.length > 0 ? { errors: [...error.faults] } : {}),
  }
}

/** An expected failure as it is; what Express and its body parser throw by its kind; the rest as a fault, logged. */
export function expected(thrown: unknown, log: Log): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  if (thrown instanceof URIError)
    return new ServiceError('malformed_id', 'The path cannot be decoded.', { cause: thrown })
  const { type, statusCode } = (thrown ?? {}) as { type?: unknown; statusCode?: unknown }
  // A body that does not unpack as it says carries the error of the unpacker and no type.
  const code = typeof type === 'string' ? parserFailures[type] : statusCode === 400 && 'malformed_json'
  if (code) return new ServiceError(code, problems[code].title, { cause: thrown })
  log.error({ error: thrown instanceof Error ? thrown.stack : String(thrown) }, 'fault')
  return new ServiceError('internal_error', 'fault', { cause: thrown })
}

const parserFailures: Record<string, ProblemCode> = {
  'entity.too.large': 'payload_too_large',
  'encoding.unsupported': 'unsupported_media_type',
  'request.aborted': 'malformed_json',
  'request.size.invalid': 'malformed_json',
  'entity.parse.failed': 'malformed_json',
}
