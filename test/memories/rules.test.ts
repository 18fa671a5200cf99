import { expect, test } from 'vitest'
import type { Space } from '../../src/context.ts'
import {
  archived,
  type Decision,
  type MemoryUpdate,
  restored,
  superseded,
  UNCHANGED,
  updated,
} from '../../src/service/memories/rules.ts'
import type { MemoryState } from '../../src/store/memories/states.ts'
import { columnNames, plainValue } from '../../src/store/neo4j/projections.ts'

const NOW = Date.UTC(2026, 10, 29)
const HOUR = 3_600_000
const space = { property: 'embedding_a', truncated: 'embeddingTruncated_a' } as Space

/** An active memory without a time limit, and what a test needs otherwise. */
const state = (fields: Partial<MemoryState> & Record<string, unknown> = {}): MemoryState => {
  const memory = {
    ...{ tenant: 't', id: 'm', now: NOW, state: 'active', policy: 'long_term', version: 3, revision: 1 },
    ...{ ttlSeconds: 0, expiresAt: null, archivedAt: null, archivedReason: null, supersededBy: null },
    ...{ validFrom: null, validUntil: null, sensitive: ['api_key', 'source:password'], size: 4, vectors: [] },
    ...{ content: 'text', tags: ['a'], importance: 0.5, isWritten: false },
    ...fields,
  }
  const values = memory as Record<string, unknown>
  return { ...memory, columns: columnNames.map(name => values[name] ?? null) } as unknown as MemoryState
}

const update = (fields: Partial<MemoryUpdate> = {}): MemoryUpdate => ({
  given: {},
  marks: { found: [], places: [] },
  ...fields,
})
const text = { text: 'another', embedding: null }

/** What a decision sets, in plain values. */
const setOf = (decision: Decision) =>
  'set' in decision
    ? Object.fromEntries(Object.entries(decision.set).map(([name, value]) => [name, plainValue(value)]))
    : decision

test('an update says what it changes, and nothing that is the same already', () => {
  const given = { tags: ['a'], importance: 0.9 }
  const decision = updated(state(), update({ given, ttlSeconds: 0 }), space, 'key')
  expect(decision).toMatchObject({ recorded: 'updated', fields: ['importance'], keepsVersion: true })
  expect(decision).toMatchObject({ discovers: false, vector: null })
  expect(setOf(decision)).toMatchObject({ version: 4, author: 'key', reason: null, importanceSince: NOW })
})

test('another content takes the vectors of all spaces away, and is discovered', () => {
  const before = state({ vectors: ['embedding_a', 'embedding_b', 'embeddingTruncated_b'] })
  const decision = updated(before, update({ content: text }), space, null)
  expect(decision).toMatchObject({ fields: ['content'], discovers: true })
  expect(setOf(decision)).toMatchObject({ content: 'another', revision: 2, discoveredRevision: null })
  expect(setOf(decision)).toMatchObject({ embedding_b: null, embeddingTruncated_b: null, embedding_a: null })
  expect(
    setOf(updated(before, update({ content: { ...text, text: 'text' } }), space, null)),
  ).not.toHaveProperty('revision')
})

test('marks of secrets go with the texts that had them', () => {
  const marks = { found: ['content_key'], places: ['content'] }
  expect(setOf(updated(state(), update({ marks }), space, null))).toMatchObject({
    sensitive: ['source:password', 'content_key'],
  })
})

test.each([
  ['archived', { state: 'archived' }, {}],
  ['pinned_with_limit', { ttlSeconds: 60 }, { given: { policy: 'pinned' } }],
  ['pinned_with_limit', { policy: 'pinned' }, { ttlSeconds: 60 }],
  ['empty_span', { validUntil: NOW }, { given: { valid_from: new Date(NOW).toISOString() } }],
] as const)('an update is refused: %s', (refused, before, change) => {
  expect(updated(state(before), update(change), space, null)).toEqual({ refused })
})

test('a new limit begins now, and brings an expired memory back into discovery', () => {
  const expired = state({ ttlSeconds: 60, expiresAt: NOW - HOUR })
  const decision = updated(expired, update({ ttlSeconds: 3_600 }), space, null)
  expect(decision).toMatchObject({ discovers: true })
  expect(setOf(decision)).toMatchObject({ expiresAt: NOW + HOUR, liveUntil: NOW + HOUR })
})

test('an archived memory is not live, and stays as it is when it is archived again', () => {
  const decision = archived(state(), { archivedReason: 'deleted', author: null })
  expect(setOf(decision)).toMatchObject({ state: 'archived', archivedAt: NOW, liveUntil: 0, version: 4 })
  expect(archived(state({ state: 'archived' }), { archivedReason: 'deleted', author: null })).toBe(UNCHANGED)
})

const by = { id: 'newer', author: null, reason: 'said later' }

test.each([
  ['an open validity ends', {}, { validUntil: NOW }],
  ['one that ended stays', { validUntil: NOW - HOUR }, {}],
  ['one that has not begun stays', { validFrom: NOW + HOUR }, {}],
])('superseded: %s, and a restore opens only what the supersession has ended', (_, before, ended) => {
  const set = setOf(superseded(state(before), by)) as Record<string, unknown>
  expect(set).toMatchObject({ archivedReason: 'superseded', supersededBy: 'newer', liveUntil: 1, ...ended })
  expect('validUntil' in set).toBe('validUntil' in ended)
  const back = setOf(restored(state({ ...before, ...set }), null))
  expect('validUntil' in back).toBe('validUntil' in ended)
  expect(back).toMatchObject({ state: 'active', supersededBy: null, health: 100, archivedReason: null })
})

test('a restore begins a limit that has run out again, and leaves an active memory alone', () => {
  const gone = state({ state: 'archived', ttlSeconds: 3_600, expiresAt: NOW - HOUR })
  expect(setOf(restored(gone, null))).toMatchObject({ expiresAt: NOW + HOUR, liveUntil: NOW + HOUR })
  expect(restored(state(), null)).toBe(UNCHANGED)
})
