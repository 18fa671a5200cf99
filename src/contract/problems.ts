import { z } from 'zod'

/** Every way to fail, by its code: the HTTP status and the title, both stable. */
export const problems = {
  malformed_request: { status: 400, title: 'This is no readable HTTP request' },
  malformed_json: { status: 400, title: 'The body is not readable JSON' },
  malformed_id: { status: 400, title: 'The path holds a malformed id' },
  invalid_cursor: { status: 400, title: 'The cursor does not belong to this request' },
  unauthorized: { status: 401, title: 'A valid credential is needed' },
  forbidden: { status: 403, title: 'The key does not allow this' },
  foreign_caller: { status: 403, title: 'The request comes from another place than is allowed' },
  memory_not_found: { status: 404, title: 'There is no such memory' },
  connection_not_found: { status: 404, title: 'There is no such connection' },
  key_not_found: { status: 404, title: 'There is no such key' },
  job_not_found: { status: 404, title: 'There is no such job' },
  policy_not_found: { status: 404, title: 'The tenant has not defined such a policy' },
  space_not_found: { status: 404, title: 'There is no such embedding space' },
  plan_not_found: { status: 404, title: 'There is no such plan' },
  run_not_found: { status: 404, title: 'There is no such run' },
  unknown_path: { status: 404, title: 'There is nothing at this path' },
  method_not_allowed: { status: 405, title: 'The method is not allowed at this path' },
  request_timeout: { status: 408, title: 'The request did not arrive in time' },
  memory_archived: { status: 409, title: 'The memory is archived' },
  idempotency_in_progress: {
    status: 409,
    title: 'The first request with this Idempotency-Key is still running',
  },
  idempotency_answer_gone: { status: 409, title: 'What this Idempotency-Key created has been removed' },
  job_not_failed: { status: 409, title: 'Only a failed job can be retried' },
  policy_in_use: { status: 409, title: 'The policy is in use' },
  space_incomplete: { status: 409, title: 'The embedding space is not complete' },
  space_in_use: { status: 409, title: 'The embedding space is in use' },
  plan_moved: { status: 409, title: 'Memories of the plan have changed since' },
  plan_not_open: { status: 409, title: 'The plan has been applied' },
  run_not_undoable: { status: 409, title: 'The run cannot be undone' },
  cursor_expired: { status: 410, title: 'What follows the cursor is no longer kept' },
  version_mismatch: { status: 412, title: 'The memory is no longer at the version of If-Match' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json' },
  validation_failed: { status: 422, title: 'The request breaks a rule' },
  idempotency_key_reused: { status: 422, title: 'This Idempotency-Key was used with another body' },
  too_many_streams: { status: 429, title: 'Too many open streams' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  embedding_unavailable: { status: 503, title: 'The embedding provider does not answer' },
  database_unavailable: { status: 503, title: 'The database does not answer' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof problems

export const problemType = (code: ProblemCode) => `urn:mnemograph:problem:${code}`

/** The most faults that an answer lists. */
export const MAXIMUM_FAULTS = 50
/** The longest text of a caller that an answer repeats, in UTF-16 code units. */
const LONGEST_QUOTE = 1_000

/** One rule that a field breaks; `pointer` is a JSON pointer into the request's fields. */
const fieldFault = z.object({
  pointer: z.string(),
  code: z.string(),
  message: z.string(),
})

export type FieldFault = z.infer<typeof fieldFault>

/** A problem document (RFC 9457). */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string().describe('The path of the request; empty when none could be read.'),
  code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
  request_id: z.string().describe('Stands in every log line of the request.'),
  errors: z.array(fieldFault).max(MAXIMUM_FAULTS).optional(),
  error_count: z
    .int()
    .optional()
    .describe(`How many fields break a rule. \`errors\` lists the first ${MAXIMUM_FAULTS} of them.`),
})

export type Problem = z.infer<typeof problem>

/** An expected failure. Everything else that is thrown is a fault and is answered with 500. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ProblemCode
  /** The first of them, at most 50. */
  readonly faults: readonly FieldFault[]
  /** How many there are. */
  readonly faultCount: number
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ProblemCode,
    detail: string,
    options: {
      faults?: readonly FieldFault[]
      faultCount?: number
      retryAfterSeconds?: number
      cause?: unknown
    } = {},
  ) {
    super(shorten(detail), { cause: options.cause })
    const { faults = [] } = options
    this.code = code
    this.faults = faults.slice(0, MAXIMUM_FAULTS).map(each => ({ ...each, pointer: shorten(each.pointer) }))
    this.faultCount = options.faultCount ?? faults.length
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** A text of a caller, cut so that an answer stays small. */
export const shorten = (text: string): string =>
  text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text

/** A broken rule that only the service can see, told like those that the contract sees. */
export const invalid = (pointer: string, code: string, message: string) =>
  new ServiceError('validation_failed', message, { faults: [{ pointer, code, message }] })

/** A JSON pointer (RFC 6901) from the names and places on the way. */
export const toPointer = (path: readonly PropertyKey[]): string =>
  path.map(part => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
