/** A chat model gave no usable answer. The message quotes nothing of the answer. */
export class ModelUnavailable extends Error {
  override readonly name = 'ModelUnavailable'
  /** When to ask again, if that is known. */
  readonly retryAfterMs: number | null = null
  /** The fault is of this question, or of the answer to it: other questions may get theirs. */
  readonly ofQuestion: boolean = false
  /** Other tenants may get theirs. */
  readonly ofTenant: boolean = false
  /** The question is too long, or its answer was: ask for less. */
  readonly isTooMuch: boolean = false
  /** To ask again does not help. */
  readonly isFinal: boolean = false

  constructor(message: string, traits: Partial<ModelUnavailable> = {}) {
    super(message)
    Object.assign(this, traits)
  }
}
