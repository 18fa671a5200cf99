/** A chat model gave no usable answer. The message quotes nothing of the answer. */
export class ModelUnavailable extends Error {
  override readonly name = 'ModelUnavailable'
  /** When to ask again, if that is known. */
  readonly retryAfterMs: number | null
  /** The fault is of this question, or of the answer to it: other questions may get theirs. */
  readonly ofQuestion: boolean
  /** Other tenants may get theirs. */
  readonly ofTenant: boolean
  /** The question is too long, or its answer was: ask for less. */
  readonly isTooMuch: boolean
  /** To ask again does not help. */
  readonly isFinal: boolean

  constructor(
    message: string,
    {
      retryAfterMs = null,
      ofQuestion = false,
      ofTenant = false,
      isTooMuch = false,
      isFinal = false,
    }: Partial<ModelUnavailable> = {},
  ) {
    super(message)
    this.retryAfterMs = retryAfterMs
    this.ofQuestion = ofQuestion
    this.ofTenant = ofTenant
    this.isTooMuch = isTooMuch
    this.isFinal = isFinal
  }
}
