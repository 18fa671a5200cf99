import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHashEmbedder } from '../../src/platform/embeddings/hash.ts'
import { asDocument } from '../support/embedder.ts'
import { cosine } from '../support/vectors.ts'

const embedder = createHashEmbedder()

async function likeness(one: string, other: string): Promise<number> {
  const [first, second] = await embedder.embed([one, other], asDocument)
  return cosine(first!.vector, second!.vector)
}

test('it calls itself lexical, never semantic', () => {
  expect(embedder.space).toEqual({ provider: 'hash', model: 'lexical-v1', dimensions: 384 })
  expect(embedder.semantic).toBe(false)
  expect(embedder.health().detail).toContain('lexical')
})

test('the same text has the same vector on every machine', async () => {
  const [first] = await createHashEmbedder(8).embed(['Neo4j keeps the graph, Lucene the words.'], asDocument)
  expect([...first!.vector].map(value => Number(value.toFixed(4)))).toEqual(GOLDEN)
})

test.each([
  ['Failed requests are retried with backoff', 'The client retries a failing request, backing off'],
  ['Connections are discovered automatically', 'automatic discovery of connected memories'],
  [
    'The meeting with Anna about the budget is on Tuesday at noon',
    'Budget meeting with Anna moved: Tuesday noon',
  ],
  ['Die Datenbank speichert Vektoren im Index', 'Vektoren werden von der Datenbank im Index gespeichert'],
  ['東京で美味しいラーメンを食べた', '美味しいラーメンを東京で食べました'],
])('texts that share half of their words are near: %s', async (one, other) => {
  expect(await likeness(one, other)).toBeGreaterThan(0.4)
})

test.each([
  ['Failed requests are retried with backoff', 'My favourite restaurant in Berlin serves excellent ramen'],
  ['This is about what we would have had with it', 'That was what they could do for you and me'],
  ['Die Datenbank speichert Vektoren im Index', 'Der Hund läuft durch den Garten und bellt laut'],
  ['東京で美味しいラーメンを食べた', '彼は新しい車を買うつもりです'],
])('texts that share nothing but small words are far apart: %s', async (one, other) => {
  expect(await likeness(one, other)).toBeLessThan(0.2)
})

test('a query of one word is nearer to the text that has the word in another form', async () => {
  const right = await likeness('retries', 'A request that failed is retried three times')
  expect(right).toBeGreaterThan((await likeness('retries', 'The index is rebuilt in the background')) + 0.15)
})

test.each([
  ['STRASSE Café naïve', 'strasse cafe naive'],
  ['ﬁle ＡＢＣ', 'file abc'],
  ["don't can't", 'don’t can’t'],
])('case, accents and typographic forms do not matter: %s', async (one, other) => {
  expect(await likeness(one, other)).toBeCloseTo(1, 5)
})

test('the parts of a joined name are found', async () => {
  expect(await likeness('createServer', 'create a server')).toBeGreaterThan(0.5)
})

test('a text of punctuation alone has a vector of its own', async () => {
  expect(await likeness('?!…', '?!…')).toBeCloseTo(1, 5)
})

test('every text has a vector of length one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 1, max: 64 }),
      async (text, dimensions) => {
        const [only] = await createHashEmbedder(dimensions).embed([text], asDocument)
        expect(only!.vector).toHaveLength(dimensions)
        expect(cosine(only!.vector, only!.vector)).toBeCloseTo(1, 5)
      },
    ),
    // Its features cancel each other out, except for rounding.
    { examples: [['🽧䫗', 1]] },
  )
})

test('a caller who has gone is not worked for', async () => {
  const signal = AbortSignal.abort(new Error('gone'))
  await expect(embedder.embed(['text'], { kind: 'document', signal })).rejects.toThrow('gone')
})

const GOLDEN = [-0.7596, -0.4061, -0.1066, 0.2989, -0.0347, -0.0655, -0.3131, 0.232]
