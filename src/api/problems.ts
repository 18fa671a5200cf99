import type { NextFunction, Request, Response } from 'express'
import type { App } from '../context.ts'
import { type ProblemCode, problems, problemType } from '../contract/problem-codes.ts'
import { type Problem, ServiceError, shortenText } from '../contract/problems.ts'
import type { Log } from '../platform/log.ts'
import { challengeOf } from './oauth.ts'

/** Responds to every failure: the only place that turns one into an HTTP response. */
export const answerProblem = ({ log, config }: Pick<App, 'log' | 'config'>) =>
  // Express knows an error handler by its four parameters.
  function problemHandler(thrown: unknown, req: Request, res: Response, _next: NextFunction) {
    const requestId = res.locals.requestId as string
    const error = expected(thrown, log.child({ request_id: requestId }))
    if (res.headersSent) return void res.destroy()
    const document = problemDocument(error, req.originalUrl.split('?')[0] ?? '', requestId)
    if (error.code === 'unauthorized') res.append('WWW-Authenticate', challengeOf(config, req))
    if (error.retryAfterSeconds !== undefined) res.set('Retry-After', String(error.retryAfterSeconds))
    if (error.idempotencyKey !== undefined) res.set('Idempotency-Key', error.idempotencyKey)
    res.status(document.status).type('application/problem+json').send(JSON.stringify(document))
  }

/** The problem document of a failure. Details of a fault are never sent to the caller. */
export function problemDocument(error: ServiceError, instance: string, requestId: string): Problem {
  const { status, title } = problems[error.code]
  return {
    type: problemType(error.code),
    title,
    status,
    detail: error.code === 'internal_error' ? 'The request id finds it in the log.' : error.message,
    instance: shortenText(instance),
    code: error.code,
    request_id: requestId,
    ...(error.faults.length > 0 ? { errors: [...error.faults], error_count: error.faultCount } : {}),
  }
}

/** An expected failure as it is; what is wrong with the request, by its status; the rest as a fault, logged. */
export function expected(thrown: unknown, log: Log): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  if (thrown instanceof URIError)
    return new ServiceError('malformed_id', 'The path cannot be decoded.', { cause: thrown })
  const refusal = refusalOf(thrown)
  if (refusal) return new ServiceError(...refusal, { cause: thrown })
  log.error({ error: thrown instanceof Error ? thrown.stack : String(thrown) }, 'fault')
  return new ServiceError('internal_error', 'fault', { cause: thrown })
}

type Refusal = [ProblemCode, string]

/** What Express, its body parser and its sender of files refuse: they throw it with the status of a client's mistake. */
function refusalOf(thrown: unknown): Refusal | undefined {
  const { statusCode } = (thrown ?? {}) as { statusCode?: unknown }
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return undefined
  return refusals[statusCode] ?? ['malformed_request', 'The request cannot be answered as it is.']
}

const refusals: Readonly<Record<number, Refusal>> = {
  400: ['malformed_json', 'The body is not readable JSON.'],
  404: ['unknown_path', 'There is nothing at this path.'],
  412: ['version_mismatch', 'The file is not the one that the headers of the request ask for.'],
  413: ['payload_too_large', 'The body is too large.'],
  415: [
    'unsupported_media_type',
    'The body must be application/json in UTF-8, as it is or packed by gzip, deflate or br.',
  ],
}
