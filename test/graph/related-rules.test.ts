import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { rememberIds } from '../support/seed.ts'
import { problemOf, withService } from '../support/service.ts'

/** start → near → far, and start → old → beyond, where `old` is archived by the test that needs it. */
const service = withService()
let start: string
let near: string
let far: string
let old: string
let beyond: string
beforeEach(async () => {
  const names = ['start', 'near', 'far', 'old', 'beyond']
  ;[start, near, far, old, beyond] = (await rememberIds(service.client, names)) as [
    string,
    string,
    string,
    string,
    string,
  ]
  await connect(start, near, 0.5)
  await connect(near, far, 0.5)
  await connect(start, old, 0.9)
  await connect(old, beyond, 0.9)
})

const connect = (source_id: string, target_id: string, strength?: number) =>
  service.client.createConnection({
    source_id,
    target_id,
    ...(strength === undefined ? {} : { strength }),
  })
const related = async (input: Partial<Input<'relatedMemories'>> = {}) => {
  const answer = await service.client.relatedMemories({ id: start, ...input })
  return { ...answer, ids: answer.related.map(({ memory }) => memory.id) }
}

test('by default a walk goes one step outward', async () => {
  const answer = await related()
  expect(answer).toMatchObject({ memory_id: start, ids: [old, near], truncated: false })
  expect(answer.related[0]).toEqual({
    memory: await service.client.getMemory({ id: old, record_recall: false }),
    connection: {
      source_id: start,
      target_id: old,
      relationship_type: 'related_to',
      strength: 0.9,
      created_at: expect.any(String),
      origin: 'asserted',
      model: null,
      threshold: null,
      reason: null,
      valid_from: null,
      valid_until: null,
    },
    depth: 1,
    path_score: 0.9,
  })
})

test('a walk does not count as a recall', async () => {
  await related({ depth: 2 })
  expect((await service.client.getMemory({ id: near, record_recall: false })).recall_count).toBe(0)
})

test('a walk may start at an archived memory, and never shows the start', async () => {
  await connect(far, start, 1)
  await service.client.deleteMemory({ id: start })
  expect((await related({ depth: 5, direction: 'both', include_archived: true })).ids).not.toContain(start)
  expect((await related({ depth: 2 })).ids).toEqual([old, beyond, near, far])
})

test('an absent strength counts as 1, for the order and for min_strength', async () => {
  await connect(start, far)
  expect((await related({ depth: 2 })).related[0]).toMatchObject({
    memory: { id: far },
    path_score: 1,
    depth: 1,
  })
  expect((await related({ min_strength: 0.95 })).ids).toEqual([far])
})

test('several types in one filter are followed, and names are separated by commas', async () => {
  await service.client.createConnection({ source_id: start, target_id: far, relationship_type: 'supports' })
  await service.client.createConnection({ source_id: start, target_id: beyond, relationship_type: 'part_of' })
  const response = await service.request(`/memories/${start}/related?relationship_types=supports,part_of`)
  const answer = (await response.json()) as { related: { memory: { id: string } }[] }
  expect(answer.related.map(({ memory }) => memory.id).toSorted()).toEqual([far, beyond].toSorted())
})

test('a memory that is removed is gone from the walk', async () => {
  await service.client.deleteMemory({ id: near, hard: true })
  expect((await related({ depth: 5 })).ids).toEqual([old, beyond])
})

test('an unknown start is reported', async () => {
  expect(await problemOf(related({ id: randomUUID() }))).toMatchObject({
    status: 404,
    code: 'memory_not_found',
  })
  expect((await service.request('/memories/x/related')).status).toBe(400)
})

const bad: [Record<string, unknown>, string][] = [
  [{ depth: 0 }, '/depth'],
  [{ depth: 6 }, '/depth'],
  [{ limit: 0 }, '/limit'],
  [{ limit: 101 }, '/limit'],
  [{ direction: 'up' }, '/direction'],
  [{ min_strength: 2 }, '/min_strength'],
  [{ relationship_types: ['friend_of'] }, '/relationship_types/0'],
  [{ max_depth: 2 }, '/max_depth'],
]
test.each(bad)('a walk with %j is refused', async (input, pointer) => {
  expect(await problemOf(related(input))).toMatchObject({ status: 422, pointers: [pointer] })
})
