import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEmbedder, type Embedding, EmbeddingUnavailable } from '../../src/platform/embeddings/index.ts'
import type { Fault } from '../../tools/embedding-endpoint.ts'
import { asDocument, asQuery, quiet, settings, start } from '../support/embedder.ts'
import { cosine } from '../support/vectors.ts'

test.each<Fault | undefined>([undefined, 'reordered', 'base64'])(
  'each text gets its own vector: %s',
  async fault => {
    const { endpoint, embedder } = await start()
    if (fault) endpoint.fail(fault)
    const [cat, kitten, car] = await embedder.embed(['cat', 'kitten', 'car'], asDocument)
    expect(cosine(cat!.vector, cat!.vector)).toBeCloseTo(1, 5)
    expect(cosine(cat!.vector, kitten!.vector)).toBeGreaterThan(cosine(cat!.vector, car!.vector) + 0.3)
    expect(cat!.truncated).toBe(false)
  },
)

test.each<Fault>([{ status: 400 }, { status: 422 }, { status: 413 }])(
  'a text that the provider refuses does not take its neighbours with it: %j',
  async fault => {
    const { endpoint, embedder } = await start()
    endpoint.refuse(text => text === 'poison', fault)
    const texts = Array.from({ length: 21 }, (_, at) => (at === 13 ? 'poison' : `text ${at}`))
    const outcomes = await Promise.allSettled(texts.map(text => embedder.embed([text], asDocument)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    expect(outcomes[13]).toMatchObject({ reason: { permanent: true, itemFault: true } })
    expect(embedder.health().status).toBe('up')
  },
)

test('a text at which the provider crashes does not take its neighbours with it', async () => {
  const { endpoint, embedder } = await start()
  endpoint.refuse(text => text === 'poison', { status: 500 })
  const texts = ['poison', ...Array.from({ length: 40 }, (_, at) => `text ${at}`)]
  const outcomes = await Promise.allSettled(texts.map(text => embedder.embed([text], asDocument)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(40)
  expect(outcomes[0]).toMatchObject({ reason: { permanent: false, itemFault: true } })
  for (let at = 0; at < 4; at++)
    await expect(embedder.embed(['poison'], asDocument)).rejects.toMatchObject({ itemFault: true })
  expect(embedder.health().status).toBe('up')
})

test('a text at which the provider crashes once gets its vector', async () => {
  const { endpoint, embedder } = await start()
  endpoint.fail([{ status: 500 }])
  expect(await embedder.embed(['text'], asDocument)).toHaveLength(1)
})

test('a provider that crashes at every text is down, whichever text it was', async () => {
  const { endpoint, embedder } = await start()
  endpoint.fail({ status: 500 })
  for (let at = 0; at < 4; at++)
    await expect(embedder.embed([`text ${at}`], asDocument)).rejects.toMatchObject({ itemFault: false })
  expect(embedder.health().status).toBe('degraded')
})

test('a provider that refuses every text is at fault itself, not the text', async () => {
  const { endpoint, embedder } = await start()
  endpoint.fail({ status: 400 })
  await expect(embedder.embed(['fine'], asDocument)).rejects.toMatchObject({
    permanent: true,
    itemFault: false,
  })
  expect(embedder.health().detail).toContain('every text')
})

test.each([
  [400, 'inputs must have less than 512 tokens'],
  [413, '{"error":"Input validation error","error_type":"Validation"}'],
  [422, 'Range of input length should be [1, 2048]'],
  [400, 'Too many input tokens'],
  [400, '输入长度超出限制'],
  [422, 'Der Text ist zu lang.'],
  [500, 'the input length exceeds the context length'],
])(
  'a text that is refused with %i “%s” gets the mean of the vectors of its parts',
  async (status, message) => {
    const { endpoint, embedder } = await start()
    endpoint.refuse(text => text.length > 300, { status, message })
    const text = `${'The cat sleeps. '.repeat(20)}${'The car drives. '.repeat(20)}`
    const outcomes = await Promise.all(['short', text].map(each => embedder.embed([each], asDocument)))
    const [[short], [long]] = outcomes as [[Embedding], [Embedding]]
    expect([short.truncated, long.truncated]).toEqual([false, false])
    const parts = endpoint.requests.at(-1)!.texts
    expect(parts.join('')).toBe(text)
    for (const part of parts.slice(0, -1)) expect(part).toMatch(/\. $/)
    const vectors = await embedder.embed(parts, asDocument)
    const mean = vectors.reduce<number[]>(
      (sums, { vector }, at) => sums.map((sum, place) => sum + vector[place]! * parts[at]!.length),
      Array(8).fill(0),
    )
    expect(
      cosine(
        long.vector,
        Float32Array.from(mean, each => each / Math.hypot(...mean)),
      ),
    ).toBeCloseTo(1, 5)
    expect(embedder.health().status).toBe('up')
  },
)

test('a long query is embedded by its parts too', async () => {
  const { endpoint, embedder } = await start()
  endpoint.refuse(text => text.length > 300, { status: 422, message: 'trop long' })
  const [long] = await embedder.embed(['Where does the cat sleep? '.repeat(30)], asQuery)
  const [short] = await embedder.embed(['Where does the cat sleep?'], asQuery)
  expect(cosine(long!.vector, short!.vector)).toBeGreaterThan(0.9)
})

test('a long text without blanks is divided between characters', async () => {
  const { endpoint, embedder } = await start()
  endpoint.refuse(text => text.length > 300)
  const [long] = await embedder.embed(['😀'.repeat(400)], asDocument)
  expect(long!.truncated).toBe(false)
  expect(endpoint.requests.at(-1)!.texts).toEqual(Array(4).fill('😀'.repeat(100)))
})

test('a long text of which the provider refuses one part is marked, and has the vector of the others', async () => {
  const { endpoint, embedder } = await start()
  endpoint.refuse(text => text.includes('poison'))
  const [long] = await embedder.embed([`${'The cat sleeps. '.repeat(40)}poison`], asDocument)
  const [cat] = await embedder.embed(['The cat sleeps. '], asDocument)
  expect(long!.truncated).toBe(true)
  expect(cosine(long!.vector, cat!.vector)).toBeGreaterThan(0.99)
})

test('a long text that is refused in every part is refused, after a bounded number of requests', async () => {
  const { endpoint, embedder } = await start()
  endpoint.refuse(text => text !== 'ok')
  await expect(embedder.embed(['poison '.repeat(10_000)], asDocument)).rejects.toMatchObject({
    permanent: true,
    itemFault: true,
  })
  expect(endpoint.requests.length).toBeLessThan(140)
  expect(embedder.health().status).toBe('up')
})

test('a text that is surely too long for a known model is sent in parts, and in 16 at most', async () => {
  const { endpoint, embedder } = await start({ model: 'text-embedding-3-small', dimensions: 1536 })
  const [long, fits] = await embedder.embed(['word '.repeat(20_000), 'word '.repeat(4_000)], asDocument)
  expect([long!.truncated, fits!.truncated]).toEqual([false, false])
  const { texts } = endpoint.requests[0]!
  expect(texts.slice(0, -1).join('')).toBe('word '.repeat(20_000))
  for (const text of texts) expect(text.length).toBeLessThan(8191 * 4)
  const [beyond] = await embedder.embed(['word '.repeat(100_000)], asDocument)
  expect(beyond!.truncated).toBe(true)
})

test('a server that takes few texts in a request gets fewer from then on', async () => {
  const { endpoint, embedder } = await start()
  endpoint.refuseForm(({ input }) => (input as string[]).length > 10, {
    status: 422,
    message: 'batch size > 10',
  })
  const texts = Array.from({ length: 100 }, (_, at) => `text ${at}`)
  expect(await embedder.embed(texts, asDocument)).toHaveLength(100)
  for (let round = 0; round < 8; round++) await embedder.embed(texts, asDocument)
  endpoint.requests.length = 0
  await embedder.embed(texts, asDocument)
  expect(endpoint.requests.filter(request => request.texts.length > 10)).toEqual([])
})

test.each<[Fault, string]>([
  ['down', 'cannot be reached'],
  ['short', '7 dimensions, not 8'],
  ['nan', 'cannot be read'],
  ['null', 'none of the vectors'],
  ['zero', 'none of the vectors'],
  ['fewer', '1 vectors for 2 texts'],
  ['misnumbered', 'numbered its vectors wrongly'],
  ['html', 'cannot be read'],
  ['endless', 'too large'],
  [{ status: 503 }, '503'],
])('an answer that cannot be used is refused with its reason: %j', async (fault, reason) => {
  const { endpoint, embedder } = await start()
  endpoint.fail(fault)
  await expect(embedder.embed(['one', 'two'], asDocument)).rejects.toThrow(reason)
  expect(embedder.health()).toEqual({ status: 'degraded', detail: expect.stringContaining(reason) })
  endpoint.recover()
  await embedder.embed(['one', 'two'], asDocument)
  expect(embedder.health()).toEqual({ status: 'up', detail: null })
})

test('one unusable vector among good ones is the fault of its text', async () => {
  const { embedder } = await start({}, (text, length) => Array(length).fill(text === 'bad' ? 0 : 1))
  const outcomes = await Promise.allSettled(['good', 'bad'].map(text => embedder.embed([text], asDocument)))
  expect(outcomes).toMatchObject([{ status: 'fulfilled' }, { reason: { itemFault: true } }])
})

test('whatever a provider answers, only vectors of length one come through', async () => {
  const { endpoint } = await start()
  const lengthsIn = async (body: string) => {
    endpoint.recover()
    await using embedder = await createEmbedder(settings(endpoint.url, { dimensions: 2 }), quiet, () => {})
    endpoint.fail({ body })
    const vectors = await embedder.embed(['one', 'two'], asDocument).catch((reason: unknown) => {
      expect(reason).toBeInstanceOf(EmbeddingUnavailable)
      return []
    })
    return vectors.map(({ vector }) => Math.hypot(...vector))
  }
  await fc.assert(
    fc.asyncProperty(fc.tuple(usable, usable), fc.nat(3), strange, async ([one, two], place, value) => {
      const parts = ['0', one, '1', two]
      const whole = await lengthsIn(bodyOf(parts))
      expect(whole).toHaveLength(2)
      const spoilt = await lengthsIn(bodyOf(parts.with(place, value)))
      const nonsense = await lengthsIn(value)
      for (const length of [...whole, ...spoilt, ...nonsense]) expect(length).toBeCloseTo(1, 5)
    }),
    { numRuns: 60 },
  )
})

/** An answer to two texts, from the index and the embedding of each, as JSON. */
const bodyOf = ([first, one, second, two]: readonly string[]) =>
  `{"data": [{"index": ${first}, "embedding": ${one}}, {"index": ${second}, "embedding": ${two}}]}`

const number = fc.double({ min: -10, max: 10, noNaN: true })
/** The embedding of a text in either spelling. */
const usable = fc
  .tuple(number, number)
  .filter(pair => Math.hypot(...pair) > 0.1)
  .chain(pair => fc.constantFrom(JSON.stringify(pair), JSON.stringify(base64(pair))))
const base64 = (pair: readonly number[]) => Buffer.from(Float32Array.from(pair).buffer).toString('base64')

const value = fc.oneof(fc.double(), fc.constant(null), fc.string(), fc.constantFrom(0, 1e39, 1e300, -1))
/** What may stand in the place of something else, and need not be JSON. */
const strange = fc.oneof(
  fc.array(value, { minLength: 2, maxLength: 3 }).map(values => JSON.stringify(values)),
  fc.base64String().map(text => JSON.stringify(text)),
  fc.nat(2).map(String),
  fc.json(),
  fc.string(),
)
