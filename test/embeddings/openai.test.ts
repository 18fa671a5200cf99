import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createEmbedder } from '../../src/platform/embeddings/index.ts'
import { asDocument, asQuery, KEY, quiet, settings, start } from '../support/embedder.ts'

test('what many callers write at the same time goes to the provider in few requests, the first at once', async () => {
  const { endpoint, embedder } = await start()
  const release = endpoint.hold()
  const first = [embedder.embed(['one'], asDocument), embedder.embed(['two'], asDocument)]
  await endpoint.arrived(1)
  const second = embedder.embed(['three'], asDocument)
  await endpoint.arrived(2)
  const rest = Array.from({ length: 130 }, (_, at) => embedder.embed([`text ${at}`], asDocument))
  release()
  await Promise.all([...first, second, ...rest])
  expect(endpoint.requests.map(({ texts }) => texts.length)).toEqual([2, 1, 128, 2])
})

test('no request is larger than what the provider takes', async () => {
  const { endpoint, embedder } = await start()
  await embedder.embed(Array(6).fill('x'.repeat(100_000)), asDocument)
  expect(endpoint.requests.map(({ texts }) => texts.length)).toEqual([2, 2, 2])
})

test('a search does not wait behind a backlog of writes', async () => {
  const { endpoint, embedder } = await start()
  const release = endpoint.hold()
  const writes = Array.from({ length: 300 }, (_, at) => embedder.embed([`text ${at}`], asDocument))
  await endpoint.arrived(2)
  const search = embedder.embed(['what was it'], asQuery)
  await endpoint.arrived(3)
  expect(endpoint.requests[2]!.texts).toEqual(['what was it'])
  release()
  await Promise.all([search, ...writes])
})

test('the backlog of one tenant delays another by at most one request', async () => {
  const { endpoint, embedder } = await start()
  const release = endpoint.hold()
  const backlog = Array.from({ length: 600 }, (_, at) =>
    embedder.embed([`text ${at}`], { ...asDocument, share: 'loud' }),
  )
  await endpoint.arrived(2)
  const other = embedder.embed(['of a quiet tenant'], { ...asDocument, share: 'quiet' })
  release()
  await Promise.all([other, ...backlog])
  expect(endpoint.requests.findIndex(({ texts }) => texts.includes('of a quiet tenant'))).toBe(2)
})

test('a redirect is not followed, so that the credential stays where it was meant to go', async () => {
  const { endpoint, embedder } = await start()
  const { endpoint: elsewhere } = await start()
  endpoint.fail({ status: 307, location: `${elsewhere.url}/embeddings` })
  await expect(embedder.embed(['text'], asDocument)).rejects.toMatchObject({ permanent: true })
  expect(elsewhere.requests).toHaveLength(0)
})

test('the provider is asked through the proxy of the environment where Node.js is configured to use it', async () => {
  const proxy = createServer((_req, res) =>
    res.end(JSON.stringify({ data: [{ embedding: Array(8).fill(1) }] })),
  )
  proxy.on('connect', (_req, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    proxy.emit('connection', socket)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  vi.stubEnv('http_proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  vi.stubEnv('no_proxy', '')
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  onTestFinished(() => {
    vi.unstubAllEnvs()
    proxy.closeAllConnections()
    proxy.close()
  })
  await using embedder = await createEmbedder(settings('http://provider.invalid/v1'), quiet, () => {})
  expect(await embedder.embed(['text'], asQuery)).toHaveLength(1)
})

test('the log has what the provider says about a refusal, without the credential, addresses and texts', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: line => void lines.push(line) })
  const { endpoint } = await start()
  const text = 'a canary-text that nobody may read in a log'
  for (const status of [400, 401, 429, 500]) {
    await using embedder = await createEmbedder(settings(endpoint.url), log, line => lines.push(line))
    endpoint.fail({
      status,
      message: texts =>
        `No such model for ${KEY} at http://10.0.0.7:8080/v1, nor for sk-proj-canary123: “${texts}”`,
    })
    const reason: unknown = await embedder.embed([text], asDocument).catch(error => error)
    expect(String((reason as Error).cause)).toContain('the provider says: No such model for …')
    lines.push(String(reason), JSON.stringify(reason), JSON.stringify(embedder.health()))
  }
  expect(lines.join('\n')).toMatch(/"says":"No such model for … at …/)
  expect(lines.join('\n')).not.toMatch(/canary|nobody may read|10\.0\.0\.7|127\.0\.0\.1/)
  expect(endpoint.requests[0]!.headers.authorization).toBe(`Bearer ${KEY}`)
})

test('an endpoint without a key is asked without a credential', async () => {
  const { endpoint, embedder } = await start({ apiKey: undefined })
  await embedder.embed(['text'], asDocument)
  expect(endpoint.requests[0]!.headers).not.toHaveProperty('authorization')
})

test('the service starts while the provider is down, when the length of its vectors is known or set', async () => {
  const { endpoint } = await start()
  endpoint.fail('down')
  for (const [model, dimensions] of [
    [undefined, 1536],
    ['text-embedding-3-large', 3072],
    ['nomic-embed-text:v1.5', 768],
  ] as const) {
    await using embedder = await createEmbedder(
      settings(endpoint.url, { model, dimensions: undefined }),
      quiet,
      () => {},
    )
    expect(embedder.space.dimensions).toBe(dimensions)
  }
  const unknown = settings(endpoint.url, { model: 'my-own-model', dimensions: undefined })
  await expect(createEmbedder(unknown, quiet, () => {})).rejects.toThrow('SERVICE_EMBEDDING_DIMENSIONS')
  endpoint.recover()
  await using embedder = await createEmbedder(unknown, quiet, () => {})
  expect(embedder.space).toEqual({ provider: 'openai', model: 'my-own-model', dimensions: 8 })
})

test('a model with a chosen size is asked for it, where it is known to take it or makes another size on its own', async () => {
  const shortening = await start({ model: 'text-embedding-3-small', dimensions: 256 })
  const [only] = await shortening.embedder.embed(['text'], asDocument)
  expect(only!.vector).toHaveLength(256)
  expect(shortening.endpoint.requests[0]!.body).toMatchObject({ dimensions: 256, encoding_format: 'float' })
  const plain = await start({ model: 'nomic-embed-text', dimensions: 8 })
  await plain.embedder.embed(['text'], asDocument)
  expect(plain.endpoint.requests[0]!.body).not.toHaveProperty('dimensions')
  await using chosen = await createEmbedder(settings(plain.endpoint.url, { dimensions: 4 }), quiet, () => {})
  const [four] = await chosen.embed(['text'], asDocument)
  expect(four!.vector).toHaveLength(4)
  expect(plain.endpoint.requests.at(-1)!.body).toMatchObject({ dimensions: 4 })
})

test('a server that refuses `encoding_format`, or `dimensions`, is asked without them', async () => {
  const { endpoint } = await start()
  endpoint.refuseForm(body => 'encoding_format' in body, {
    status: 422,
    message: 'extra fields not permitted',
  })
  await using embedder = await createEmbedder(settings(endpoint.url), quiet, () => {})
  await embedder.embed(['text'], asDocument)
  expect(endpoint.requests.at(-1)!.body).toEqual({ model: 'test-model', input: ['text'] })
  endpoint.refuseForm(body => 'dimensions' in body)
  const other = settings(endpoint.url, { model: 'text-embedding-3-large', dimensions: 256 })
  await using refused = await createEmbedder(other, quiet, () => {})
  await expect(refused.embed(['text'], asDocument)).rejects.toMatchObject({
    permanent: true,
    itemFault: false,
  })
  expect(refused.health().status).toBe('degraded')
})

test('a model whose vectors have another size than is set says both sizes', async () => {
  const { endpoint } = await start()
  endpoint.refuseForm(body => 'dimensions' in body, { status: 400, message: 'no matryoshka' })
  await using embedder = await createEmbedder(settings(endpoint.url, { dimensions: 4 }), quiet, () => {})
  await expect(embedder.embed(['text'], asDocument)).rejects.toThrow(
    /8 dimensions, not 4: check SERVICE_EMBEDDING/,
  )
  expect(embedder.health().detail).toContain('8 dimensions, not 4')
})

test('a provider is not up before it has embedded a text', async () => {
  const { endpoint } = await start()
  endpoint.fail([{ status: 503 }])
  await using embedder = await createEmbedder(settings(endpoint.url), quiet, () => {})
  expect(embedder.health()).toMatchObject({ status: 'degraded' })
  await embedder.embed(['text'], asDocument)
  expect(embedder.health()).toEqual({ status: 'up', detail: null })
})

test('a model that was trained with instructions gets them', async () => {
  const { endpoint, embedder } = await start({ model: 'nomic-embed-text' })
  await embedder.embed(['cats'], asQuery)
  await embedder.embed(['cats'], asDocument)
  expect(endpoint.requests.map(({ texts }) => texts[0])).toEqual([
    'search_query: cats',
    'search_document: cats',
  ])
})
