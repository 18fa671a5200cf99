import { queryObjects } from 'node:v8'
import { expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { embedForWrite } from '../../src/service/embeddings/vectors.ts'
import { start } from '../support/embedder.ts'

const CALLS = 200

/** Those that something still holds: garbage is collected before they are counted. */
const signals = () => queryObjects(AbortSignal, { format: 'count' }) as unknown as number

test('what bounds the wait of a write for its vector is let go when the vector is there', async () => {
  const { embedder } = await start()
  const app = { config: { embedding: { writeWaitMs: 1_000 } } }
  const write = () => {
    const ctx = { app, embedder, signal: new AbortController().signal } as unknown as Context
    return embedForWrite(ctx, ['a note'])
  }
  for (let at = 0; at < CALLS; at++) await write()
  const before = signals()
  for (let at = 0; at < CALLS; at++) expect(await write()).toHaveLength(1)
  expect(signals() - before).toBeLessThan(CALLS / 10)
})
