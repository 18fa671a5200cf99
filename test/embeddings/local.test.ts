import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Transformers } from '../../src/platform/embeddings/local/load.ts'
import { progressLines } from '../../src/platform/embeddings/local/progress.ts'
import { createLocalEmbedder } from '../../src/platform/embeddings/local.ts'
import { installedTransformers } from '../../tools/transformers.ts'
import { asDocument, embeddingSettings } from '../support/embedder.ts'
import { TINY, writeTinyModel } from '../support/tiny-model.ts'
import { cosine } from '../support/vectors.ts'

const library = installedTransformers()
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiny-model-'))
  await writeTinyModel(folder)
})
afterAll(() => rm(folder, { recursive: true }))

describe.skipIf(!library)('with the optional package (npm run test:local)', () => {
  test('a model in a folder gives its vectors, named so that other weights are another space', async () => {
    const embedder = await load()
    expect(embedder.semantic).toBe(true)
    expect(embedder.space).toEqual({
      provider: 'local',
      model: expect.stringMatching(/^tiny-model-\w+@[0-9a-f]{12}$/),
      dimensions: TINY.dimensions,
    })
    const [cat, kitten, car] = await embedder.embed(['the cat', 'a kitten', 'the car'], asDocument)
    expect(cosine(cat!.vector, cat!.vector)).toBeCloseTo(1, 5)
    expect(cosine(cat!.vector, kitten!.vector)).toBeGreaterThan(0.9)
    expect(cosine(cat!.vector, car!.vector)).toBeLessThan(0.2)
  })

  test('the other texts of a batch do not change a vector', async () => {
    const embedder = await load()
    const [alone] = await embedder.embed(['cat'], asDocument)
    const [inBatch] = await embedder.embed(['cat', 'the truck a truck the truck'], asDocument)
    expect(cosine(alone!.vector, inBatch!.vector)).toBeCloseTo(1, 5)
  })

  test('a text longer than the model reads is marked', async () => {
    const embedder = await load()
    const texts = ['cat '.repeat(TINY.longest), `${'cat '.repeat(TINY.longest)}car`]
    const embeddings = await embedder.embed(texts, asDocument)
    expect(embeddings.map(({ truncated }) => truncated)).toEqual([false, true])
    expect(cosine(embeddings[0]!.vector, embeddings[1]!.vector)).toBeCloseTo(1, 5)
  })

  test('quantised weights are taken where there are no others', async () => {
    const quantised = await mkdtemp(join(tmpdir(), 'tiny-model-'))
    onTestFinished(() => rm(quantised, { recursive: true }))
    await writeTinyModel(quantised)
    await rename(join(quantised, 'onnx', 'model.onnx'), join(quantised, 'onnx', 'model_quantized.onnx'))
    const embedder = await load({ model: quantised })
    expect(await embedder.embed(['cat'], asDocument)).toHaveLength(1)
  })

  test('a length in the settings that is not the model’s is refused at start', async () => {
    await expect(load({ dimensions: 384 })).rejects.toThrow('have 4: leave it unset')
  })

  test('a folder without a model is refused at start', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'no-model-'))
    onTestFinished(() => rm(empty, { recursive: true }))
    await writeFile(join(empty, 'config.json'), '{}')
    await expect(load({ model: empty })).rejects.toThrow('could not be loaded from its folder')
  })

  test('a caller who gives up hears so at once, also when the service stops', async () => {
    const embedder = await load()
    const waiting = embedder.embed(['cat'], asDocument)
    await Promise.all([expect(waiting).rejects.toThrow('stopping'), embedder[Symbol.asyncDispose]()])
  })

  async function load(more: { model?: string; dimensions?: number } = {}) {
    const settings = embeddingSettings({ provider: 'local', model: folder, ...more })
    const embedder = await createLocalEmbedder(settings, () => {}, library)
    onTestFinished(() => embedder[Symbol.asyncDispose]())
    return embedder
  }
})

test('without the optional package the start says what to install', async () => {
  const settings = embeddingSettings({ provider: 'local', model: folder })
  const missing = () => import('../no-such-package.ts' as string) as Promise<Transformers>
  await expect(createLocalEmbedder(settings, () => {}, missing)).rejects.toThrow(
    'npm install @huggingface/transformers',
  )
})

test('the download of a large file is logged in quarters, small files are not logged', () => {
  const lines: string[] = []
  const progress = progressLines(line => lines.push(line))
  for (let loaded = 0; loaded <= 90e6; loaded += 1e6)
    progress({ status: 'progress', file: 'onnx/model.onnx', loaded, total: 90e6 })
  progress({ status: 'progress', file: 'config.json', loaded: 600, total: 600 })
  expect(lines).toEqual([25, 50, 75, 100].map(part => `Fetching onnx/model.onnx: ${part} % of 90 MB`))
})
