const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The value of bytes that are JSON in UTF-8; undefined for others. */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}
