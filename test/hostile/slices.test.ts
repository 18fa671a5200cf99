import { expect, test } from 'vitest'
import type { Memory } from '../../src/contract/memory.ts'
import { indexedWords } from '../../src/platform/text/words.ts'
import { fillContext } from '../../src/service/graph/context/filling.ts'
import { relevances } from '../../src/service/search/relevance.ts'
import { readQuery } from '../../src/service/search/words.ts'
import { hostileContents, phrasesOf } from './corpus.ts'

test('a context of the largest budget is composed of the largest contents in slices', async () => {
  const memory = (content: string, at: number) =>
    ({
      id: `id-${at}`,
      content,
      created_at: '2026-01-01T00:00:00.000Z',
      policy: 'p',
      tags: [],
      source: null,
      speaker: null,
      kind: null,
      valid_from: null,
      valid_until: null,
      owner: null,
    }) as unknown as Memory
  const memories = hostileContents(100, 99_000).map(memory)
  const connected = (from: string, first: number, count: number) =>
    memories
      .slice(first, first + count)
      .map(each => ({ from, memory: each, type: 'supports' as const, outward: true }))
  const around = {
    older: new Map(),
    turns: new Map(),
    bridges: new Map(),
    communities: new Map(),
    neighbours: new Map(memories.slice(0, 20).map(({ id }, at) => [id, connected(id, 20 + at, 3)])),
    contradictions: new Map(memories.map(({ id }, at) => [id, connected(id, (at * 7) % 90, 4)])),
  }
  const hits = memories.slice(0, 20).map(each => ({ memory: each, score: 1, relevance: 1 }))
  let pauses = 0
  const pause = async () => void pauses++
  await fillContext(hits, around as never, { budget: 32_000, header: 'Memories' }, pause)
  expect(pauses).toBeGreaterThanOrEqual(hits.length)
})

test.each([
  ['a run without spaces', '会'.repeat(4_000), phrasesOf('会')],
  ['names of many parts', 'a.b/c.d/e.f/'.repeat(400), 'a.b/c.d/e.f/'.repeat(40)],
])('words of %s, which occur everywhere, are counted in slices', async (_, content, query) => {
  const texts = Array.from({ length: 100 }, () => indexedWords(content))
  let pauses = 0
  const pause = async () => {
    pauses++
  }
  const { words } = readQuery(query)
  await relevances(texts, words, pause)
  expect(pauses).toBeGreaterThan(texts.length)
})
