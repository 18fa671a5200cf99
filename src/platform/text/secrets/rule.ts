/** What texts hold that belongs into a store of secrets. */
type SecretKind =
  | 'api_key'
  | 'access_token'
  | 'private_key'
  | 'password'
  | 'credentials_in_url'
  | 'card_number'

export type Secret = { readonly kind: SecretKind; readonly start: number; readonly end: number }

/** Every repetition of a pattern has a bound: a text can make it start again at each of its characters. */
export type Rule = {
  readonly kind: SecretKind
  /** With the flag `g`. Its group `value`, if it has one, is the secret; otherwise all of it. */
  readonly pattern: RegExp
  readonly holds?: (value: string) => boolean
}

export function matchesOf({ kind, pattern, holds = () => true }: Rule, text: string): Secret[] {
  const found: Secret[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const value = match.groups?.value ?? match[0]
    const start = match.index + match[0].lastIndexOf(value)
    if (holds(value)) found.push({ kind, start, end: start + value.length })
    // What looked like a value can be the name of the next one.
    else if (start > match.index) pattern.lastIndex = start
  }
  return found
}
