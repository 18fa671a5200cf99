/** The query is refused; the message says what is not allowed and where. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}
