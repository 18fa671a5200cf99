import { beforeAll, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { expectProblem } from '../support/expect-problem.ts'
import {
  freshTenant,
  problemOf,
  someMemory,
  startService,
  type TestService,
  withService,
} from '../support/service.ts'

const service = withService()
let cursor: string
beforeAll(async () => {
  const memories = Array.from({ length: 6 }, (_, at) => someMemory({ content: `Note ${at}`, tags: ['a'] }))
  await service.client.createMemories({ memories })
  cursor = (await service.client.listMemories({ limit: 2 })).next_cursor as string
})

test('a cursor survives a restart, and is good with another process', async () => {
  await using restarted = await startService()
  const goOn = (each: TestService) => each.clientOf(service.tenant).listMemories({ cursor })
  const page = await goOn(restarted)
  expect(page.memories).toHaveLength(4)
  expect(page).toEqual(await goOn(service))
})

test('a cursor that is altered at any place is refused', async () => {
  const altered = Array.from(
    cursor,
    (character, at) => cursor.slice(0, at) + (character === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
  )
  const statuses = await Promise.all(altered.map(async each => (await ask(each)).status))
  expect(statuses).toEqual(altered.map(() => 400))
})

test.each([
  ['nothing', () => ''],
  ['a word', () => 'cursor'],
  ['a dot', () => '.'],
  ['a cut one', () => cursor.slice(0, -1)],
  ['one with more behind it', () => `${cursor}A`],
  ['one with another part', () => `${cursor}.A`],
  ['one without its signature', () => cursor.split('.')[0] as string],
  ['its signature alone', () => `.${cursor.split('.')[1]}`],
  ['padding behind it', () => `${cursor}=`],
  ["a position of one's own", () => `${Buffer.from('{"key":0,"id":"0"}').toString('base64url')}.AAAA`],
  ['a very long one', () => 'x'.repeat(8000)],
  ['NUL', () => '\0'],
])('%s is no cursor', async (_, made) => {
  await expectProblem(await ask(made()), 'invalid_cursor')
})

test('a cursor is of no use to another tenant', async () => {
  const call = service.clientOf(freshTenant()).listMemories({ cursor })
  expect(await problemOf(call)).toMatchObject({ status: 400, code: 'invalid_cursor' })
})

const otherWalks: Input<'listMemories'>[] = [
  { order: 'asc' },
  { order_by: 'updated_at' },
  { order_by: 'importance' },
  { include_archived: true },
  { state: 'active' },
  { state: 'archived' },
  { policy: 'short_term' },
  { tags: ['a'] },
  { tags_match: 'any' },
  { min_importance: 0 },
  { max_importance: 1 },
  { created_after: '2020-01-01T00:00:00Z' },
  { created_before: '2090-01-01T00:00:00Z' },
  { updated_after: '2020-01-01T00:00:00Z' },
  { updated_before: '2090-01-01T00:00:00Z' },
]

test.each(otherWalks)('a cursor is of no use with %j', async input => {
  const call = service.client.listMemories({ ...input, cursor })
  expect(await problemOf(call)).toMatchObject({ status: 400, code: 'invalid_cursor' })
})

test('a cursor of a filtered list is of no use without its filter', async () => {
  const { next_cursor } = await service.client.listMemories({ limit: 2, tags: ['a'] })
  const call = service.client.listMemories({ cursor: next_cursor as string })
  expect(await problemOf(call)).toMatchObject({ status: 400, code: 'invalid_cursor' })
})

test('a cursor continues with the filters of its first page, their defaults written out or not', async () => {
  const page = await service.client.listMemories({
    cursor,
    order_by: 'created_at',
    order: 'desc',
    tags_match: 'all',
  })
  expect(page.memories).toHaveLength(4)
})

test('a cursor holds on when the memory it stands at is gone', async () => {
  const { memories, next_cursor } = await service.client.listMemories({ limit: 3 })
  await service.client.deleteMemory({ id: memories[2]?.id as string, hard: true })
  const { memories: rest } = await service.client.listMemories({ cursor: next_cursor as string })
  expect(rest).toHaveLength(3)
})

const ask = (each: string) => service.request(`/memories?cursor=${encodeURIComponent(each)}`)
