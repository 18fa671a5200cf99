/**
 * As much of Bolt as the router of the tests needs: messages in chunks, and values in PackStream
 * (https://neo4j.com/docs/bolt/current/).
 */

/** Splits bytes into messages, whose chunks may come in any pieces. */
export function messagesOf() {
  let rest = Buffer.alloc(0)
  let message = Buffer.alloc(0)
  return function take(bytes: Buffer): Buffer[] {
    rest = Buffer.concat([rest, bytes])
    const messages: Buffer[] = []
    for (;;) {
      if (rest.length < 2) return messages
      const size = rest.readUInt16BE(0)
      if (rest.length < 2 + size) return messages
      message = Buffer.concat([message, rest.subarray(2, 2 + size)])
      rest = rest.subarray(2 + size)
      if (size > 0 || message.length === 0) continue
      messages.push(message)
      message = Buffer.alloc(0)
    }
  }
}

const MAXIMUM_CHUNK = 0xffff

/** A message as chunks with the end marker. */
export function framed(message: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < message.length; at += MAXIMUM_CHUNK) {
    const chunk = message.subarray(at, at + MAXIMUM_CHUNK)
    const size = Buffer.alloc(2)
    size.writeUInt16BE(chunk.length)
    parts.push(size, chunk)
  }
  return Buffer.concat([...parts, Buffer.alloc(2)])
}

type Value = string | number | readonly Value[] | { readonly [name: string]: Value }

/** Packs values with fewer than 16 parts, and texts of less than 256 bytes. */
function pack(value: Value): Buffer {
  if (typeof value === 'number') return Buffer.from([0xca, ...int32(value)])
  if (typeof value === 'string') {
    const bytes = Buffer.from(value)
    return Buffer.concat([Buffer.from([0xd0, bytes.length]), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([0x90 + value.length]), ...value.map(pack)])
  const entries = Object.entries(value)
  return Buffer.concat([
    Buffer.from([0xa0 + entries.length]),
    ...entries.flatMap(([name, each]) => [pack(name), pack(each)]),
  ])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

export const success = (metadata: Value) => Buffer.concat([Buffer.from([0xb1, 0x70]), pack(metadata)])

export const failure = (code: string, message: string) =>
  Buffer.concat([Buffer.from([0xb1, 0x7f]), pack({ code, message })])

type Servers = { writers: readonly string[]; readers: readonly string[]; routers: readonly string[] }

export const routingTable = ({ writers, readers, routers }: Servers): Value => ({
  rt: {
    ttl: 1,
    db: 'neo4j',
    servers: [
      { addresses: writers, role: 'WRITE' },
      { addresses: readers, role: 'READ' },
      { addresses: routers, role: 'ROUTE' },
    ],
  },
})

const BOOKMARK = /FB:[\w+/=:-]+/g
const KEY = Buffer.from([0x89, ...Buffer.from('bookmarks')])

/** The bookmarks that a message of the driver, or an answer of the database, names. */
export function bookmarksIn(message: Buffer, key = 'bookmarks'): string[] {
  const at = message.indexOf(key)
  return at < 0 ? [] : [...message.subarray(at).toString('latin1').matchAll(BOOKMARK)].map(([found]) => found)
}

/** The same message without bookmarks: those of one database mean nothing to another. */
export function withoutBookmarks(message: Buffer): Buffer {
  const at = message.indexOf(KEY)
  if (at < 0) return message
  const list = at + KEY.length
  return Buffer.concat([
    message.subarray(0, list),
    Buffer.from([0x90]),
    message.subarray(endOfTexts(message, list)),
  ])
}

/** Where a list of texts ends that begins at an offset. */
function endOfTexts(bytes: Buffer, from: number): number {
  const marker = bytes[from] as number
  const isTiny = marker >= 0x90 && marker <= 0x9f
  let left = isTiny ? marker - 0x90 : (bytes[from + 1] as number)
  let at = from + (isTiny ? 1 : 2)
  for (; left > 0; left--) {
    const text = bytes[at] as number
    at += text >= 0x80 && text <= 0x8f ? 1 + (text - 0x80) : 2 + (bytes[at + 1] as number)
  }
  return at
}
