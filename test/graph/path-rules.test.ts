import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { rememberIds } from '../support/seed.ts'
import { problemOf, withService } from '../support/service.ts'

/** from → over → to, strongly, and from → to, weakly. */
const service = withService()
let from: string
let over: string
let to: string
beforeEach(async () => {
  ;[from, over, to] = await rememberIds(service.client, ['from', 'over', 'to'])
  await service.client.createConnection({ source_id: from, target_id: over, strength: 0.8 })
  await service.client.createConnection({ source_id: over, target_id: to, relationship_type: 'supports' })
  await service.client.createConnection({ source_id: from, target_id: to, strength: 0.3 })
})

const find = (input: Partial<Input<'findPath'>> = {}) =>
  service.client.findPath({ source_id: from, target_id: to, ...input })
const ways = async (input: Partial<Input<'findPath'>> = {}) =>
  (await find(input)).paths.map(({ memories }) => memories.map(({ content }) => content).join(' '))

test('the best path comes first, with the memories and connections on the way', async () => {
  const { paths, truncated, source_id, target_id } = await find()
  expect({ truncated, source_id, target_id }).toEqual({ truncated: false, source_id: from, target_id: to })
  expect(paths.map(({ score, length }) => [score, length])).toEqual([
    [0.8, 2],
    [0.3, 1],
  ])
  expect(paths[0]?.memories.map(({ content }) => content)).toEqual(['from', 'over', 'to'])
  expect(paths[0]?.connections).toMatchObject([
    { source_id: from, target_id: over, relationship_type: 'related_to', strength: 0.8 },
    { source_id: over, target_id: to, relationship_type: 'supports', strength: null },
  ])
})

test('depth, limit, types and direction narrow the paths', async () => {
  expect(await ways({ max_depth: 1 })).toEqual(['from to'])
  expect(await ways({ limit: 1 })).toEqual(['from over to'])
  expect(await ways({ relationship_types: ['related_to'] })).toEqual(['from to'])
  expect(await ways({ direction: 'out' })).toEqual(['from over to', 'from to'])
  expect(await ways({ direction: 'in' })).toEqual([])
  expect(await ways({ source_id: to, target_id: from, direction: 'in' })).toEqual(['to over from', 'to from'])
  expect(await ways({ source_id: to, target_id: from })).toEqual(['to over from', 'to from'])
})

test('memories that are not connected have no path', async () => {
  const [alone] = await rememberIds(service.client, ['alone'])
  expect(await find({ target_id: alone })).toMatchObject({ paths: [], truncated: false })
})

test('unknown ends are reported, and a path to itself is refused', async () => {
  expect(await problemOf(find({ source_id: randomUUID() }))).toMatchObject({ status: 404 })
  expect(await problemOf(find({ target_id: randomUUID() }))).toMatchObject({ status: 404 })
  expect(await problemOf(find({ target_id: from }))).toMatchObject({ status: 422, pointers: ['/target_id'] })
})

const bad: [Record<string, unknown>, string][] = [
  [{ max_depth: 0 }, '/max_depth'],
  [{ max_depth: 6 }, '/max_depth'],
  [{ limit: 0 }, '/limit'],
  [{ source_id: 'x' }, '/source_id'],
  [{ relationship_types: ['x'] }, '/relationship_types/0'],
]
test.each(bad)('a path with %j is refused', async (input, pointer) => {
  expect(await problemOf(find(input))).toMatchObject({ status: 422, pointers: [pointer] })
})
