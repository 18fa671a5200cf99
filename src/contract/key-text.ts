/** A key that no header can carry. Its message never has the key. */
export class UnusableKeyError extends Error {
  override readonly name = 'UnusableKeyError'
}

/**
 * A key as a header carries it. White space around it, such as the line break of a file, is removed.
 * @throws UnusableKeyError if something inside of it is no printable ASCII character
 */
export function readKey(text: string): string {
  const key = text.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new UnusableKeyError(
    'The key is empty, or has a line break, a blank or another character that a header cannot carry. Check where it was copied from.',
  )
}

/** @throws UnusableKeyError if an address has a user or a password, which `fetch` would refuse and show */
export function refuseCredentials(address: string | URL): void {
  const url = URL.parse(String(address))
  if (url && url.username + url.password !== '')
    throw new UnusableKeyError(
      'The address has a user or a password in it. Leave them out, and give the key separately.',
    )
}
