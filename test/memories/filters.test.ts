import { beforeAll, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { ask } from '../support/graphql.ts'
import { idOf, remember } from '../support/seed.ts'
import { freshTenant, problemOf, withService } from '../support/service.ts'

const service = withService()
let ids: string[]
const names = (found: readonly string[]) => found.map(id => ids.indexOf(id)).toSorted()

/** A chain of five, of which the third is of another source and the fourth was true until 2001. */
beforeAll(async () => {
  const made = await remember(
    service.client,
    ['zero', 'one', 'two', 'three', 'four'].map((content, at) => ({
      content: `link ${content}`,
      tags: [content, at % 2 === 0 ? 'even' : 'odd'],
      source: at === 2 ? 'elsewhere' : 'here',
      ...(at === 3 && { valid_until: '2001-01-01T00:00:00Z' }),
    })),
  )
  ids = made.map(idOf)
  for (const [at, source_id] of ids.slice(0, -1).entries())
    await service.client.createConnection({
      source_id,
      target_id: ids[at + 1] as string,
      relationship_type: 'supports',
    })
})

/** Not two: it is neither the first nor from here. */
const filter = { any: [{ tags: ['zero'] }, { source: 'here' }], none: [{ tags: ['four'] }] }
const id = (at: number) => ids[at] as string
const linesOf = async (input: Input<'exportBundle'>) => {
  let text = ''
  for await (const piece of (await service.client.exportBundle(input)).pieces) text += piece
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

test('alternatives and exceptions are written as JSON text in a query', async () => {
  const answer = await service.request(
    `/memories?any=${encodeURIComponent(JSON.stringify(filter.any))}&none=${encodeURIComponent(JSON.stringify(filter.none[0]))}`,
  )
  const { memories } = (await answer.json()) as { memories: { id: string }[] }
  expect(names(memories.map(idOf))).toEqual([0, 1, 3])
})

test('a list shows what holds at a time, now, or at any time', async () => {
  const listed = async (valid_at?: Input<'listMemories'>['valid_at']) =>
    names((await service.client.listMemories({ source: 'here', valid_at })).memories.map(idOf))
  expect(await listed()).toEqual([0, 1, 3, 4])
  expect(await listed('any')).toEqual([0, 1, 3, 4])
  expect(await listed('now')).toEqual([0, 1, 4])
  expect(await listed('2000-01-01T00:00:00Z')).toEqual([0, 1, 3, 4])
})

test('a walk enters only memories that match', async () => {
  const reached = async (more: object) => {
    const input = { id: id(0), depth: 5, direction: 'both' as const, ...more }
    return names((await service.client.relatedMemories(input)).related.map(({ memory }) => memory.id))
  }
  expect(await reached({ valid_at: 'any' })).toEqual([1, 2, 3, 4])
  expect(await reached({})).toEqual([1, 2])
  expect(await reached({ valid_at: 'any', source: 'here' })).toEqual([1])
  expect(await reached({ valid_at: 'any', none: [{ tags: ['four'] }] })).toEqual([1, 2, 3])
  expect(await reached({ depth: 1, none: [{ tags: ['one'] }] })).toEqual([])
})

test('a path leads through memories that match, between any two', async () => {
  const paths = async (more: object) => {
    const input = { source_id: id(0), target_id: id(2), ...more }
    return (await service.client.findPath(input)).paths.map(({ memories }) => names(memories.map(idOf)))
  }
  expect(await paths({ source: 'here' })).toEqual([[0, 1, 2]])
  expect(await paths({ tags: ['even'] })).toEqual([])
  expect(await paths({ target_id: id(4), valid_at: 'any' })).toEqual([[0, 1, 2, 3, 4]])
  expect(await paths({ target_id: id(4), valid_at: 'now' })).toEqual([])
})

test('a subgraph has only memories that match', async () => {
  const query = `{ subgraph(ids: ["${id(0)}"], depth: 5, any: [{ source: "here" }, { tags: ["two"] }], none: [{ tags: ["four"] }]) { nodes { id } } }`
  const data = await ask(service, query)
  expect(names(data.subgraph.nodes.map(idOf) as string[])).toEqual([0, 1, 2, 3])
})

test('a bundle with filters has what matches and the connections between, and says so', async () => {
  const lines = await linesOf({ source: 'here', none: [{ tags: ['four'] }] })
  expect(lines[0]).toMatchObject({ section: 'bundle', filtered: true })
  expect(names(lines.filter(({ section }) => section === 'memories').map(idOf))).toEqual([0, 1, 3])
  expect(lines.filter(({ section }) => section === 'connections')).toMatchObject([
    { source_id: id(0), target_id: id(1) },
  ])
  expect((await linesOf({}))[0]).not.toHaveProperty('filtered')
})

test('a bundle with filters is merged, and never replaces what it left out', async () => {
  const other = service.clientOf(freshTenant())
  const lines = (await linesOf({ source: 'here' })).map(line => JSON.stringify(line))
  const refused = other.importBundle({ lines, mode: 'replace', dry_run: false })
  expect(await problemOf(refused)).toMatchObject({ pointers: ['/lines/0/filtered'] })
  expect((await other.importBundle({ lines, mode: 'merge', dry_run: false })).totals.memories).toMatchObject({
    created: 4,
  })
})

test('a cursor of an export belongs to its filters', async () => {
  const { cursor } = (await linesOf({ source: 'here' })).findLast(({ section }) => section === 'checkpoint')
  expect(await problemOf(service.client.exportBundle({ source: 'elsewhere', cursor }))).toMatchObject({
    code: 'invalid_cursor',
  })
})

test('a drawing has what holds at a time', async () => {
  let text = ''
  const drawn = await service.client.exportGraph({ format: 'csv', part: 'nodes', valid_at: 'now' })
  for await (const piece of drawn.pieces) text += piece
  expect(ids.filter(each => text.includes(each))).toHaveLength(4)
})

test.each([
  ['an empty list of alternatives', { any: [] }],
  ['an alternative without a filter', { any: [{}] }],
  ['an exception without a filter', { none: [{ tags: [], tags_match: 'any' as const }] }],
  ['alternatives within alternatives', { any: [{ any: [{ tags: ['zero'] }] }] } as object],
  ['more than 8 of them', { none: Array.from({ length: 9 }, () => ({ tags: ['zero'] })) }],
])('%s is refused', async (_name, filters) => {
  const { client } = service
  const search = client.searchMemories({ query: 'link', search_type: 'keyword', ...filters })
  expect(await problemOf(search)).toMatchObject({ code: 'validation_failed' })
  expect(await problemOf(client.eraseMemories({ filters, dry_run: true }))).toMatchObject({
    code: 'validation_failed',
  })
})

test('what is always true or empty is no filter of an erasure or of a plan to forget', async () => {
  for (const [filters, pointer] of [
    [{ valid_at: 'any' }, '/filters'],
    [{ any: [{ source: 'here', tags: [] }] }, '/filters/any/0/tags'],
  ] as [object, string][]) {
    const erasure = service.client.eraseMemories({ filters, dry_run: true })
    expect(await problemOf(erasure)).toMatchObject({ pointers: [pointer] })
    const plan = service.client.planMaintenance({ kind: 'forget', filters })
    expect(await problemOf(plan)).toMatchObject({ pointers: [pointer] })
  }
})

test('an erasure and plans understand alternatives and exceptions', async () => {
  const counted = await service.client.eraseMemories({ filters: filter, dry_run: true })
  expect(counted.counts.memories).toBe(3)
  const { changes } = await service.client.planMaintenance({ kind: 'forget', filters: filter })
  expect(names(changes.map(({ memory_id }) => memory_id))).toEqual([0, 1, 3])
})
