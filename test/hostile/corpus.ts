import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { WebSocket } from 'ws'
import type { Scope } from '../../src/contract/route.ts'
import { attacks as refusedQueries } from '../../tools/graphql-attacks.ts'
import { attacks as queries } from '../cypher/attacks.ts'
import { rawRequest } from '../support/raw-request.ts'
import { heavyQueries } from './heavy-queries.ts'

/** A running service, and keys of one of its tenants. */
export type Target = { url: string; tenant: string; keys: Readonly<Record<Scope, string>> }

/** What a client got: a status, and the size of the body in bytes. */
export type Answer = { status: number; bytes: number; text: string }

/** An input that is meant to stop the service, sent with the least scope that reaches the code it aims at. */
export type Attack = { name: string; send: (target: Target) => Promise<Answer[]> }

const marks = (count: number) => `a${'\u0301'.repeat(count)}${'\u0316'.repeat(count)}`
const memoryOf = (content: string) => ({ content, policy: 'long_term', ttl_seconds: 0 })
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const nestedNot = (levels: number) => `${'{"NOT":'.repeat(levels)}{}${'}'.repeat(levels)}`
const wrongIds = (count: number) => JSON.stringify(Array.from({ length: count }, () => 1))
const memoriesById = 'query ($ids: [ID!]) { memories(where: { id: { in: $ids } }) { id } }'
const subscription = 'subscription ($kinds: [ChangeKind!]) { changes(kinds: $kinds) { kind } }'

/** Texts of characters that the patterns of the code repeat over, each with an end that does not match. */
const textsForPatterns = (length: number): string[] =>
  [
    "a'",
    '’',
    '_',
    'aB',
    '-',
    '.a',
    ' ',
    '!',
    '„',
    '\u0e01',
    'ア',
    '会',
    '#',
    '[',
    '*',
    '&',
    '0',
    'é',
    'İ',
    'σ',
  ].map(piece => `${piece.repeat(Math.floor(length / Buffer.byteLength(piece)))}\u2028?`)

/** Where what looks for secrets begins, and looks on. */
const secretBeginnings = [
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN RSA PRIVATE KEY-----\nMII',
  'PuTTY-User-Key-File-2: ',
  'eyJaaaaaaaa.',
  'a://b:c@',
  'password of the router ',
]
const repeatsOf = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))

const origins: Readonly<Record<string, string>> = {
  'a text of 12,000 characters': 'https://'.padEnd(12_000, 'a'),
  'a name of 4,000 labels': `https://${'a.'.repeat(4_000)}example.com`,
  'no address': '][%00://',
  null: 'null',
}

const forwarded: Readonly<Record<string, string>> = {
  'a list of 2,000 addresses': Array.from({ length: 2_000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`).join(
    ', ',
  ),
  'a text of 12,000 commas': ','.repeat(12_000),
  'an address with a zone of 10,000 characters': `fe80::1%${'z'.repeat(10_000)}`,
}

const questions: Readonly<Record<string, string>> = {
  'combining marks': marks(500),
  'one sign': '会'.repeat(1_000),
  'as many words as a query has': Array.from({ length: 1_500 }, (_, at) => `w${at}`).join(' '),
}

export const attacks: readonly Attack[] = [
  graphql('a variable with 300,000 wrong elements', memoriesById, `{"ids":${wrongIds(300_000)}}`),
  graphql(
    'a variable with 20,000 nested NOT',
    'query ($w: MemoryWhere) { memories(where: $w) { id } }',
    `{"w":${nestedNot(20_000)}}`,
  ),
  graphql(
    'names of Object.prototype',
    '{ constructor: memories(limit: 1) { toString: id valueOf: content hasOwnProperty: tags } }',
  ),
  graphql('a circle of fragments', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'),
  graphql('10,000 directives', `{ memories(limit: 1) { id ${'@include(if: true) '.repeat(10_000)} } }`),
  graphql(
    '10,000 aliases',
    `{ ${Array.from({ length: 10_000 }, (_, at) => `a${at}: memories(limit: 200) { id }`).join(' ')} }`,
  ),
  graphql(
    'selections nested 5,000 deep',
    `{ memories ${'{ causedBy '.repeat(5_000)}{ id }${' }'.repeat(5_000)} }`,
  ),
  graphql('a name of 1 MB', `{ ${'a'.repeat(1_000_000)} }`),
  {
    name: 'a subscription by events with 300,000 wrong elements',
    send: target =>
      post(
        target,
        'read',
        '/graphql',
        `{"query":${JSON.stringify(subscription)},"variables":{"kinds":${wrongIds(300_000)}}}`,
        {
          accept: 'text/event-stream',
        },
      ),
  },
  ...Object.entries(refusedQueries).map(([name, query]) => graphql(name, query)),
  { name: 'a subscription by websocket with wrong elements', send: subscribeWrongly },
  rest('write', 'a batch of 1 MB of combining marks', '/memories/batch', () => ({
    memories: Array.from({ length: 11 }, () => memoryOf(marks(24_000))),
  })),
  rest('read', 'a query of combining marks', '/memories/search', () => ({
    query: marks(4_950),
    search_type: 'hybrid',
  })),
  rest('read', 'a search with 500,000 unknown fields', '/memories/search', () =>
    Object.fromEntries(Array.from({ length: 500_000 }, (_, at) => [`f${at}`, 1])),
  ),
  rest('read', 'a field with a name of 4 MB', '/memories/search', () => ({ ['f'.repeat(4_000_000)]: 1 })),
  rest('read', 'a search with 90,000 wrong tags', '/memories/search', () => ({
    query: 'q',
    search_type: 'keyword',
    tags: Array.from({ length: 90_000 }, () => 1),
  })),
  {
    name: 'a body that nests 1,000,000 levels',
    send: target => post(target, 'write', '/api/v1/memories', nested(1_000_000)),
  },
  {
    name: 'a gzip bomb',
    send: target =>
      post(target, 'write', '/api/v1/memories', gzipSync(Buffer.alloc(200 * 1024 * 1024)), {
        'content-encoding': 'gzip',
      }),
  },
  ...compressedBombs(),
  ...mislabelled(),
  {
    name: 'a body that is not of the encoding it names',
    send: target =>
      post(target, 'write', '/api/v1/memories', randomBytes(100_000), { 'content-encoding': 'br' }),
  },
  {
    name: 'a cursor of 12,000 characters',
    send: target => get(target, 'read', `/api/v1/memories?cursor=${'A'.repeat(12_000)}`),
  },
  {
    name: '3,000 query parameters',
    send: target =>
      get(target, 'read', `/api/v1/memories?${Array.from({ length: 3_000 }, (_, at) => `p${at}`).join('&')}`),
  },
  {
    name: 'an MCP tool with 300,000 wrong elements',
    send: target =>
      callTool(
        target,
        'search_memories',
        `{"query":"q","search_type":"keyword","tags":${wrongIds(300_000)}}`,
      ),
  },
  {
    name: 'an MCP message that nests 1,000,000 levels',
    send: target => callTool(target, 'search_memories', nested(1_000_000)),
  },
  {
    name: 'an import of lines that are no lines',
    send: target =>
      post(
        target,
        'admin',
        '/api/v1/import',
        JSON.stringify({ mode: 'merge', lines: Array.from({ length: 1_000 }, () => nested(4_000)) }),
      ),
  },
  ...textsForPatterns(9_900).map(text =>
    rest('read', `a query of ${JSON.stringify(text.slice(0, 2))} repeated`, '/memories/search', () => ({
      query: text,
      search_type: 'hybrid',
    })),
  ),
  rest('write', 'contents of repeated characters', '/memories/batch', () => ({
    memories: textsForPatterns(99_000).map(memoryOf),
  })),
  ...secretBeginnings.map(piece =>
    rest('write', `40 contents of repeats of ${piece.trim()}`, '/memories/batch', () => ({
      memories: Array.from({ length: 40 }, (_, at) => memoryOf(`${at} ${repeatsOf(piece, 98_000)}`)),
    })),
  ),
  // With memories of `hostileContents` in the tenant.
  rest('read', 'a hybrid search of one repeated sign', '/memories/search', () => ({
    query: phrasesOf('会'),
    search_type: 'hybrid',
    limit: 200,
  })),
  rest('read', 'a keyword search of one repeated sign', '/memories/search', () => ({
    query: phrasesOf('会'),
    search_type: 'keyword',
    limit: 200,
  })),
  rest('read', 'a context of 32,000 tokens', '/context', () => ({ query: '会 ! a1', max_tokens: 32_000 })),
  { name: 'made-up keys, each from another address that it made up', send: madeUpKeys },
  ...Object.entries(origins).map(([name, origin]) => ({
    name: `an Origin that is ${name}`,
    send: (target: Target) => askFrom(target, origin),
  })),
  ...Object.entries(forwarded).map(([name, value]) => ({
    name: `an X-Forwarded-For that is ${name}`,
    send: (target: Target) => get(target, 'read', '/api/v1/stats', { 'x-forwarded-for': value }),
  })),
  ...Object.entries(questions).map(([name, question]) => ({
    name: `a standing search for ${name}`,
    send: (target: Target) =>
      get(
        target,
        'read',
        `/api/v1/changes?matches=${encodeURIComponent(question)}&min_relevance=0&limit=500`,
      ),
  })),
  {
    name: '100 standing searches at once',
    send: followMany,
  },
  { name: '600 connections without an end of the headers', send: unfinishedHeaders },
]

/** Contents of the largest size that are slow to analyse: one sign, no letters, pieces of one character. */
export const hostileContents = (count: number, bytes = 99_000): string[] =>
  Array.from({ length: count }, (_, at) => {
    const piece = ['会', '!', 'a1', 'b ', '\u0e01', 'aB'][at % 6] as string
    // Each is another text, and so no duplicate.
    return `${at} 会 ! a1 ${piece.repeat(Math.floor((bytes - 20) / Buffer.byteLength(piece)))}`
  })

/** As many terms as a query has, each a phrase that begins as the content goes on. */
export const phrasesOf = (sign: string) =>
  Array.from({ length: 200 }, (_, at) => sign.repeat(1 + (at % 15)) + String.fromCharCode(0x4e00 + at)).join(
    ' ',
  )

function compressedBombs(): Attack[] {
  const zeros = onFirstUse(() => Buffer.alloc(64 * 1024 * 1024))
  const bombs = {
    deflate: onFirstUse(() => deflateSync(zeros())),
    br: onFirstUse(() => brotliCompressSync(zeros())),
    'gzip, gzip': onFirstUse(() => gzipSync(gzipSync(zeros()))),
  }
  return Object.entries(bombs).map(([encoding, bytes]) => ({
    name: `a bomb of ${encoding}`,
    send: target => post(target, 'write', '/api/v1/memories', bytes(), { 'content-encoding': encoding }),
  }))
}

function mislabelled(): Attack[] {
  const memory = JSON.stringify(memoryOf('as any other'))
  const broken = new Uint8Array([...Buffer.from(memory.slice(0, 20)), 0xff, 0xfe, 0xc0])
  const bodies: Record<string, [Uint8Array<ArrayBuffer>, Record<string, string>]> = {
    'UTF-8 said to be UTF-16': [
      new Uint8Array(Buffer.from(memory)),
      { 'content-type': 'application/json; charset=utf-16' },
    ],
    'bytes that are no UTF-8': [broken, {}],
    'plain text said to be gzip': [new Uint8Array(Buffer.from(memory)), { 'content-encoding': 'gzip' }],
    'half of a gzip': [new Uint8Array(gzipSync(memory).subarray(0, 30)), { 'content-encoding': 'gzip' }],
    'an encoding that nobody knows': [
      new Uint8Array(Buffer.from(memory)),
      { 'content-encoding': 'x'.repeat(900) },
    ],
  }
  return Object.entries(bodies).map(([name, [bytes, headers]]) => ({
    name,
    send: target => post(target, 'write', '/api/v1/memories', bytes, headers),
  }))
}

function graphql(name: string, query: string, variables = '{}'): Attack {
  return {
    name: `GraphQL: ${name}`,
    send: target =>
      post(target, 'read', '/graphql', `{"query":${JSON.stringify(query)},"variables":${variables}}`),
  }
}

const QUERIES_AT_ONCE = 4

/** Every statement that tries to leave its tenant in Cypher, some at a time. */
export const cypherAttack: Attack = {
  name: `${queries.length} statements of Cypher`,
  async send(target) {
    const left = queries.values()
    const answers: Answer[] = []
    const attacker = async () => {
      for (const query of left) {
        const body = JSON.stringify({ query, parameters: { map: { tenant: 'x' }, name: 'Job' } })
        answers.push(...(await post(target, 'cypher', '/api/v1/cypher', body)))
      }
    }
    await Promise.all(Array.from({ length: QUERIES_AT_ONCE }, attacker))
    return answers
  },
}

/** Each by several callers of one tenant at once. */
export const heavyAttacks: readonly Attack[] = Object.entries(heavyQueries).map(([name, make]) => {
  const body = onFirstUse(() => JSON.stringify(make()))
  return {
    name: `Cypher: ${name}`,
    send: async target =>
      (
        await Promise.all(
          Array.from({ length: QUERIES_AT_ONCE }, () => post(target, 'cypher', '/api/v1/cypher', body())),
        )
      ).flat(),
  }
})

function rest(scope: Scope, name: string, path: string, body: () => unknown): Attack {
  const text = onFirstUse(() => JSON.stringify(body()))
  return { name, send: target => post(target, scope, `/api/v1${path}`, text()) }
}

/** Made at the first use, so that the reader of the corpus does not pay for it. */
function onFirstUse<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

async function post(
  { url, tenant, keys }: Target,
  scope: Scope,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Answer[]> {
  const response = await fetch(url + path, {
    method: 'POST',
    body,
    headers: {
      authorization: `Bearer ${keys[scope]}`,
      'x-tenant-id': tenant,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  })
  return [await answerOf(response)]
}

async function get(
  { url, tenant, keys }: Target,
  scope: Scope,
  path: string,
  more: Record<string, string> = {},
): Promise<Answer[]> {
  const headers = { authorization: `Bearer ${keys[scope]}`, 'x-tenant-id': tenant, ...more }
  return [await answerOf(await fetch(url + path, { headers }))]
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  return { status: response.status, bytes: Buffer.byteLength(text), text }
}

const callTool = (target: Target, name: string, args: string) =>
  post(
    target,
    'read',
    '/mcp',
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`,
  )

/** As many wrong elements as a message of a websocket can hold. */
async function subscribeWrongly({ url, tenant, keys }: Target): Promise<Answer[]> {
  const headers = { authorization: `Bearer ${keys.read}`, 'x-tenant-id': tenant }
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers })
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'connection_init' }))
  await once(socket, 'message')
  const payload = { query: subscription, variables: { kinds: Array.from({ length: 40_000 }, () => 1) } }
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }))
  const [data] = await once(socket, 'message')
  socket.terminate()
  return [{ status: 400, bytes: (data as Buffer).length, text: String(data) }]
}

/** As a page asks: whether it may, and then in any case. */
async function askFrom(target: Target, origin: string): Promise<Answer[]> {
  const headers = { origin, 'access-control-request-method': 'POST' }
  const preflight = await rawRequest(`${target.url}/graphql`, { method: 'OPTIONS', headers })
  const { status, text } = preflight
  return [{ status, bytes: Buffer.byteLength(text), text }, ...(await askRaw(target, { origin }))]
}

async function askRaw({ url, tenant, keys }: Target, more: Record<string, string>): Promise<Answer[]> {
  const headers = { authorization: `Bearer ${keys.read}`, 'x-tenant-id': tenant, ...more }
  const { status, text } = await rawRequest(`${url}/api/v1/stats`, { headers })
  return [{ status, bytes: Buffer.byteLength(text), text }]
}

/** Opens standing searches, writes nothing, and leaves. */
async function followMany({ url, tenant, keys }: Target): Promise<Answer[]> {
  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${keys.read}`, 'x-tenant-id': tenant }
  const open = (at: number) =>
    fetch(`${url}/api/v1/events?matches=question+${at}`, { headers, signal: leaving.signal })
  const opened: Response[] = []
  // Each needs a connection to the database while it begins: together they would take all that there are.
  for (let at = 0; at < 100; at += 20)
    opened.push(...(await Promise.all(Array.from({ length: 20 }, (_, nth) => open(at + nth)))))
  const answers = await Promise.all(
    opened.map(async response =>
      response.status === 200 ? { status: 200, bytes: 0, text: '' } : answerOf(response),
    ),
  )
  leaving.abort()
  return answers
}

async function madeUpKeys({ url }: Target): Promise<Answer[]> {
  const ask = async () => {
    const key = `mnk_${crypto.randomUUID().replaceAll('-', '')}_${randomBytes(32).toString('base64url')}`
    const address = Array.from(randomBytes(4)).join('.')
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': address }
    return answerOf(await fetch(`${url}/api/v1/stats`, { headers }))
  }
  return Promise.all(Array.from({ length: 200 }, ask))
}

async function unfinishedHeaders({ url }: Target): Promise<Answer[]> {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: 600 }, () => connect({ host: hostname, port: Number(port) }))
  for (const socket of sockets) socket.on('error', () => {}).write('GET / HTTP/1.1\r\nX-Unfinished: ')
  await new Promise(resolve => setTimeout(resolve, 500))
  for (const socket of sockets) socket.destroy()
  return []
}
