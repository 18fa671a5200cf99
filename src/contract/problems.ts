import { z } from 'zod'
import { sentence } from './faults.ts'
import { fromPointer } from './pointers.ts'
import { type ProblemCode, problems } from './problem-codes.ts'

/** The most faults that an answer lists. */
export const MAXIMUM_FAULTS = 50
/** The longest text of a caller that an answer repeats, in UTF-16 code units. */
const LONGEST_QUOTE = 1_000

/** One rule that a field breaks; `pointer` is a JSON pointer into the request's fields. */
const fieldFault = z
  .object({
    pointer: z
      .string()
      .describe('The field, as a JSON pointer into the request; empty for the whole request.'),
    code: z.string().describe('What is wrong, as a stable code.'),
    message: z.string().describe('What is wrong, what was expected, and what to do.'),
  })
  .describe('A field that is missing or invalid.')

export type FieldFault = z.infer<typeof fieldFault>

/** A problem document (RFC 9457). */
export const problem = z
  .object({
    type: z.string().describe('The code as a URN.'),
    title: z.string().describe('The problem in a few words, always the same for one code.'),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().describe('What happened to this request.'),
    instance: z.string().describe('The path of the request; empty if the service could not read it.'),
    code: z
      .enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]])
      .describe('The problem as a stable code.'),
    request_id: z.string().describe('The id of the request. Every log line of the request contains it.'),
    errors: z
      .array(fieldFault)
      .max(MAXIMUM_FAULTS)
      .optional()
      .describe(`The invalid fields, at most ${MAXIMUM_FAULTS}; only for validation_failed.`),
    error_count: z
      .int()
      .optional()
      .describe(`How many fields are invalid. \`errors\` lists the first ${MAXIMUM_FAULTS}.`),
  })
  .describe('A problem document (RFC 9457): what went wrong with a request.')

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
  /** With which a repeat of the request does nothing twice. */
  readonly idempotencyKey: string | undefined

  constructor(
    code: ProblemCode,
    detail: string,
    options: {
      faults?: readonly FieldFault[]
      faultCount?: number
      retryAfterSeconds?: number | undefined
      idempotencyKey?: string
      cause?: unknown
    } = {},
  ) {
    super(shortenText(detail), { cause: options.cause })
    const { faults = [] } = options
    this.code = code
    this.faults = faults.slice(0, MAXIMUM_FAULTS).map(({ pointer, code, message }) => ({
      pointer: shortenText(pointer),
      code,
      message: shortenText(message),
    }))
    this.faultCount = options.faultCount ?? faults.length
    this.retryAfterSeconds = options.retryAfterSeconds
    this.idempotencyKey = options.idempotencyKey
  }
}

/** A text of a caller, cut so that an answer stays small. */
export const shortenText = (text: string): string =>
  text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text

/**
 * An invalid field that only the service can see, reported like those that the contract sees.
 * `rule` says what is wrong or expected, as the end of a sentence that begins with the field's name.
 */
export function invalid(pointer: string, code: string, rule: string, cause?: unknown): ServiceError {
  const message = sentence(fromPointer(pointer), rule)
  return new ServiceError('validation_failed', message, { faults: [{ pointer, code, message }], cause })
}

/** A header whose value has the wrong format. */
export function invalidHeader(name: string, rule: string): ServiceError {
  const message = sentence([name], rule)
  const faults = [{ pointer: `/headers/${name.toLowerCase()}`, code: 'invalid_format', message }]
  return new ServiceError('validation_failed', message, { faults })
}
