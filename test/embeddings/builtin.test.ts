import { readdirSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { type Machine, readMachine } from '../../src/platform/config.ts'
import { ENGLISH } from '../../src/platform/embeddings/builtin/description.ts'
import { startWorker } from '../../src/platform/embeddings/builtin/thread.ts'
import { createBuiltinEmbedder } from '../../src/platform/embeddings/builtin.ts'
import type { TextKind } from '../../src/platform/embeddings/embedder.ts'
import type { Embedder } from '../../src/platform/embeddings/index.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { spawnService } from '../support/child-service.ts'
import { asDocument, asQuery, asQueued, embeddingSettings } from '../support/embedder.ts'
import { fixture } from '../support/fixture.ts'
import { shellScript } from '../support/shell-script.ts'
import { cosine } from '../support/vectors.ts'

const settings = embeddingSettings({ provider: 'builtin' })
const embedder = fixture(() => createBuiltinEmbedder(settings, () => {}))

test('a question finds the text that answers it, although they share no word', async () => {
  const texts = [
    'Our household adopted a golden retriever',
    'The family name comes from a village in Wales',
    'What time does the train leave?',
  ]
  const [question] = await embedder.embed(['What pet does the family own?'], asQuery)
  const near = (await embedder.embed(texts, asDocument)).map(({ vector }) => cosine(question!.vector, vector))
  expect(near[0]).toBeGreaterThan(Math.max(near[1]!, near[2]!))
  expect(embedder.semantic).toBe(true)
  expect(embedder.health()).toEqual({ status: 'up', detail: expect.stringContaining('built in') })
})

test('texts about different things lie apart, and a question is read differently from a text', async () => {
  const texts = ['The roof leaks when it rains', 'She finished her doctorate in physics']
  const [roof, doctorate] = await embedder.embed(texts, asDocument)
  expect(cosine(roof!.vector, doctorate!.vector)).toBeLessThan(0.3)
  const [asked] = await embedder.embed(texts.slice(0, 1), asQuery)
  expect(cosine(roof!.vector, asked!.vector)).toBeLessThan(0.999)
})

test('the space names the weights, the prefixes and the mean', async () => {
  expect(embedder.space).toEqual({
    provider: 'builtin',
    model: expect.stringMatching(
      /^centred-e5-small-v2-q@7d9092cb\+onnxruntime1\+prefix@[0-9a-f]{8}\+mean@[0-9a-f]{8}$/,
    ),
    dimensions: 384,
  })
})

test('the end of a long text counts, and a text beyond the bound is marked', async () => {
  const filler = 'The minutes of the meeting list who was there and what was said. '
  const end = 'The volcano on the island erupted and buried the harbour in ash.'
  const { tokens, pieces } = ENGLISH.reading
  const [plain, extended, endless] = await embedder.embed(
    [filler.repeat(60), filler.repeat(60) + end.repeat(20), 'word '.repeat(tokens * pieces)],
    asDocument,
  )
  const [asked] = await embedder.embed(['a volcanic eruption'], asQuery)
  expect(cosine(asked!.vector, extended!.vector)).toBeGreaterThan(cosine(asked!.vector, plain!.vector) + 0.05)
  expect([plain, extended, endless].map(each => each!.truncated)).toEqual([false, false, true])
})

test('the same text has the same vector, whatever is embedded at the same time', async () => {
  const [alone] = await embedder.embed(['My bike has a flat tyre'], asDocument)
  const together = await embedder.embed(['', 'My bike has a flat tyre', 'word '.repeat(900)], asDocument)
  expect(together[1]!.vector).toEqual(alone!.vector)
})

test('a long text does not hold up a short one', async () => {
  const order: string[] = []
  const long = embedder.embed(['word '.repeat(2_000)], asDocument).then(() => order.push('long'))
  const short = embedder.embed(['A short note'], asDocument).then(() => order.push('short'))
  await Promise.all([long, short])
  expect(order).toEqual(['short', 'long'])
})

test('texts that callers wait for overtake those of the queue', async () => {
  const order: string[] = []
  const texts = Array.from({ length: 8 }, (_, at) => `Note ${at}. ${'The road is closed. '.repeat(60)}`)
  const queued = texts.map(text => embedder.embed([text], asQueued).then(() => order.push('queued')))
  const written = texts
    .slice(4)
    .map(text => embedder.embed([text], asDocument).then(() => order.push('written')))
  await Promise.all([...queued, ...written])
  expect(order.lastIndexOf('written')).toBeLessThan(8)
})

test('the thread of the model has a lower priority than those that answer requests', {
  skip: process.platform !== 'linux',
}, async () => {
  const nice = readdirSync('/proc/self/task').map(id => getPriority(Number(id)))
  expect(Math.max(...nice)).toBe(getPriority() + 3)
})

test('a question overtakes the texts that wait', async () => {
  const order: string[] = []
  const texts = Array.from({ length: 12 }, (_, at) => `Note ${at}. ${'The road is closed. '.repeat(60)}`)
  const documents = texts.map(text => embedder.embed([text], asDocument).then(() => order.push('text')))
  const question = embedder.embed(['Which road is closed?'], asQuery).then(() => order.push('question'))
  await Promise.all([...documents, question])
  expect(order.indexOf('question')).toBeLessThan(3)
})

test('when the thread crashes, what it had to do fails for now, and it starts again', async () => {
  const { embedder, workers } = await startOne()
  const lost = embedder.embed(['The road is closed. '.repeat(500)], asDocument)
  const heard = expect(lost).rejects.toMatchObject({ name: 'EmbeddingUnavailable', permanent: false })
  await workers[0]!.terminate()
  await heard
  expect(embedder.health().status).toBe('degraded')
  await expect.poll(() => embedder.embed(['ready?'], asDocument).catch(() => [])).toHaveLength(1)
  expect(embedder.health().status).toBe('up')
  expect(workers).toHaveLength(2)
})

test('a stopped embedder has ended its thread, and says so to those who wait', async () => {
  const { embedder, workers } = await startOne()
  const ended = new Promise(resolve => workers[0]!.once('exit', resolve))
  const waiting = embedder.embed(['The road is closed. '.repeat(500)], asDocument)
  await Promise.all([expect(waiting).rejects.toThrow('stopping'), embedder[Symbol.asyncDispose]()])
  expect(await ended).toBe(0)
  expect(workers).toHaveLength(1)
})

describe('The multilingual model', () => {
  const embedder = fixture(() => createBuiltinEmbedder({ ...settings, model: 'multilingual' }, () => {}))

  test('finds a text by a question in another language', async () => {
    const texts = [
      'Ich bin gegen Erdnüsse allergisch',
      '我姐姐三月搬到了里斯本',
      'Le chauffage du bureau est en panne',
    ]
    const questions = [
      'Which nuts are dangerous for me?',
      'Wo wohnt meine Schwester?',
      'なぜ職場は寒いのですか？',
    ]
    const near = await embedder.embed(texts, asDocument)
    const asked = await embedder.embed(questions, asQuery)
    const nearest = asked.map(({ vector }) => {
      const cosines = near.map(each => cosine(vector, each.vector))
      return cosines.indexOf(Math.max(...cosines))
    })
    expect(nearest).toEqual([0, 1, 2])
    expect(embedder.health().detail).toContain('a hundred languages')
    expect(embedder.space.model).toMatch(
      /^multilingual-e5-small-q4@[0-9a-f]{8}\+onnxruntime1\+prefix@[0-9a-f]{8}$/,
    )
  })

  test('has the vectors of the package that it comes from', async () => {
    const file = new URL('../fixtures/multilingual-vectors.json', import.meta.url)
    const samples: { text: string; kind: TextKind; vector: string }[] = JSON.parse(
      await readFile(file, 'utf8'),
    )
    for (const { text, kind, vector } of samples) {
      const [made] = await embedder.embed([text], kind === 'query' ? asQuery : asDocument)
      const bytes = Buffer.from(vector, 'base64')
      const expected = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
      expect(cosine(made!.vector, expected), text).toBeGreaterThan(0.999)
    }
  })
})

test('a model or a length in the settings that is not the built-in one is refused', async () => {
  const refused = (more: object) => createBuiltinEmbedder({ ...settings, ...more }, () => {})
  await expect(refused({ model: 'text-embedding-3-small' })).rejects.toThrow('leave it unset')
  await expect(refused({ dimensions: 64 })).rejects.toThrow('have 384: leave it unset')
})

test('without Maven the start ends with code 78 and names the remedies', async () => {
  const folder = temporaryFolder()
  const child = spawnService({
    SERVICE_EMBEDDING_PROVIDER: '',
    PATH: join(folder, 'nothing'),
    XDG_CACHE_HOME: folder,
    NEO4J_URI: inject('neo4j').uri,
    NEO4J_USERNAME: inject('neo4j').username,
    NEO4J_PASSWORD: inject('neo4j').password,
  })
  expect(await child.ended).toBe(78)
  for (const remedy of ['Install Maven', 'Set OPENAI_API_KEY', 'SERVICE_EMBEDDING_PROVIDER=hash'])
    expect(child.said()).toContain(remedy)
})

test('when Maven fails, its complaint is part of the message and nothing is left behind', async () => {
  const bin = shellScript(temporaryFolder(), 'mvn', 'echo "[ERROR] Could not resolve the artifact"; exit 1')
  const machine = machineWith({ path: [bin, ...readMachine().path] })
  await expect(createBuiltinEmbedder(settings, () => {}, { machine })).rejects.toThrow(
    /Could not resolve the artifact[\s\S]*Install Maven/,
  )
})

test('when pip fails, its complaint is part of the message', async () => {
  const bin = shellScript(temporaryFolder(), 'python3', 'echo "No matching distribution" >&2; exit 1')
  const machine = machineWith({ path: [bin, ...readMachine().path] })
  await expect(
    createBuiltinEmbedder({ ...settings, model: 'multilingual' }, () => {}, { machine }),
  ).rejects.toThrow(/No matching distribution[\s\S]*pip/)
  const none = createBuiltinEmbedder({ ...settings, model: 'multilingual' }, () => {}, {
    machine: machineWith({ path: [] }),
  })
  await expect(none).rejects.toThrow('no `python3` on the PATH')
})

test('files with another digest are not used', async () => {
  const machine = machineWith({ path: [] })
  const folder = join(
    machine.cacheDir,
    'models',
    `e5-small-v2-q-${ENGLISH.files.weights.sha256.slice(0, 12)}`,
  )
  await mkdir(folder, { recursive: true })
  for (const { name } of Object.values(ENGLISH.files)) await writeFile(join(folder, name), 'damaged')
  await expect(createBuiltinEmbedder(settings, () => {}, { machine })).rejects.toThrow('no `mvn` on the PATH')
})

const machineWith = (more: Partial<Machine>): Machine => ({
  ...readMachine(),
  cacheDir: temporaryFolder(),
  ...more,
})

/** One whose thread a test may end. */
async function startOne(): Promise<{ embedder: Embedder; workers: Worker[] }> {
  const workers: Worker[] = []
  const embedder = await createBuiltinEmbedder(settings, () => {}, {
    startWorker(files, reading) {
      const worker = startWorker(files, reading)
      workers.push(worker)
      return worker
    },
  })
  onTestFinished(() => embedder[Symbol.asyncDispose]())
  return { embedder, workers }
}
