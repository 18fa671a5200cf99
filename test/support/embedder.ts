import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { Config } from '../../src/platform/config.ts'
import { createEmbedder } from '../../src/platform/embeddings/index.ts'
import { startEmbeddingEndpoint } from '../../tools/embedding-endpoint.ts'

export const KEY = 'sk-canary-credential'
export const quiet = pino({ level: 'silent' })

const signal = new AbortController().signal
export const asDocument = { kind: 'document', signal } as const
export const asQueued = { ...asDocument, queued: true } as const
export const asQuery = { kind: 'query', signal } as const

type Settings = Config['embedding']

/** Embedding settings as `readConfig` gives them. */
export const embeddingSettings = (settings: Partial<Settings>): Settings => ({
  provider: 'openai',
  model: undefined,
  dimensions: undefined,
  timeoutMs: 10_000,
  writeWaitMs: 2_000,
  apiKey: undefined,
  baseUrl: undefined,
  ...settings,
})

export const settings = (baseUrl: string, more: Partial<Settings> = {}): Settings =>
  embeddingSettings({ model: 'test-model', dimensions: 8, apiKey: KEY, baseUrl, ...more })

/** An endpoint and an embedder that uses it, both gone when the test is over. */
export async function start(
  more: Partial<Settings> = {},
  vector?: (text: string, length: number) => number[],
) {
  const dimensions = more.dimensions ?? 8
  const endpoint = await startEmbeddingEndpoint({ dimensions, ...(vector ? { vector } : {}) })
  const embedder = await createEmbedder(settings(endpoint.url, { dimensions, ...more }), quiet, () => {})
  endpoint.requests.length = 0
  onTestFinished(async () => {
    await embedder[Symbol.asyncDispose]()
    await endpoint[Symbol.asyncDispose]()
  })
  return { endpoint, embedder }
}
