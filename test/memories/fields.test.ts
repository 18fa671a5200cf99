import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Memory } from '../../src/contract/memory.ts'
import { exported, imported } from '../../tools/bundle-lines.ts'
import { ask } from '../support/graphql.ts'
import { connectHttp } from '../support/mcp.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()

const line = (maxLength: number) =>
  fc.string({ minLength: 1, maxLength, unit: 'grapheme-composite' }).filter(text => text.trim() !== '')
const time = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T00:00:00Z'),
  noInvalidDate: true,
})
/** Whole numbers that JSON would change are refused. */
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter(each => !/^-?\d+$/.test(String(each)) || Number.isSafeInteger(each))
const value = fc.oneof(fc.string({ maxLength: 20 }), number, fc.boolean())
const key = fc.stringMatching(/^[A-Za-z0-9_.-]{1,64}$/).filter(name => name !== '__proto__')
const origin = fc.record(
  {
    source: line(60),
    session_id: line(60),
    metadata: fc.dictionary(key, value, { maxKeys: 32 }),
    validity: fc.uniqueArray(time, { minLength: 2, maxLength: 2, selector: date => date.getTime() }),
  },
  { requiredKeys: [] },
)

const fields = ['source', 'session_id', 'metadata', 'valid_from', 'valid_until', 'archived_reason'] as const
const originOf = (memory: Memory) => fields.map(name => memory[name])

test('what says where a memory comes from is the same in every API, in a bundle and after its import', async () => {
  await fc.assert(
    fc.asyncProperty(origin, fc.boolean(), async ({ validity, ...given }, archived) => {
      const [valid_from, valid_until] = (validity ?? [])
        .toSorted((a, b) => a.getTime() - b.getTime())
        .map(date => date.toISOString())
      const [from, to] = [freshTenant(), freshTenant()]
      const client = service.clientOf(from)
      const { id } = await client.createMemory(
        someMemory({ ...given, ...(valid_from && valid_until ? { valid_from, valid_until } : {}) }),
      )
      if (archived) await client.deleteMemory({ id })
      const created = await client.getMemory({ id, record_recall: false })
      expect(created).toMatchObject({
        source: given.source?.trim().normalize() ?? null,
        session_id: given.session_id?.trim().normalize() ?? null,
        valid_from: valid_from ?? null,
        valid_until: valid_until ?? null,
        archived_reason: archived ? 'deleted' : null,
      })
      expect(created.metadata).toEqual(asStored(given.metadata ?? {}))

      const { memories } = await ask(service, query, { tenant: from, variables: { id } })
      expect(Object.values(memories[0])).toEqual(originOf(created))

      const lines = await exported(client)
      await service.cypher('MATCH (n) WHERE n.tenant = $from DETACH DELETE n', { from })
      await imported(service.clientOf(to), lines)
      const mcp = await connectHttp('1.x', { url: service.url, tenant: to })
      const answer = await mcp.callTool({ name: 'get_memory', arguments: { id, record_recall: false } })
      await mcp.close()
      // Tools leave out what has no value.
      expect(originOf(answer.structuredContent as Memory)).toEqual(
        originOf(created).map(each => each ?? undefined),
      )
    }),
    { numRuns: 20 },
  )
})

const query = `query ($id: ID!) @includeArchived {
  memories(where: { id: { eq: $id } }) { source sessionId metadata validFrom validUntil archivedReason }
}`

/** Minus zero is zero, and letters are composed. */
const asStored = (metadata: Memory['metadata']) =>
  Object.fromEntries(
    Object.entries(metadata).map(([name, each]) => [
      name,
      typeof each === 'string' ? each.normalize() : Object.is(each, -0) ? 0 : each,
    ]),
  )

test('a change replaces what is sent, and metadata as a whole', async () => {
  const { client } = service
  const { id } = await client.createMemory(
    someMemory({
      source: 'a',
      session_id: 's',
      metadata: { one: 1, two: 2 },
      valid_from: '2020-01-01T00:00:00Z',
    }),
  )
  await client.updateMemory({ id, source: 'b', metadata: { two: 'x' } })
  expect(await client.getMemory({ id })).toMatchObject({
    source: 'b',
    session_id: 's',
    metadata: { two: 'x' },
  })
  const found = async (filter: object) => (await client.listMemories(filter)).memories.map(each => each.id)
  expect(await found({ metadata: { one: 1 } })).toEqual([])
  expect(await found({ metadata: { two: 'x' }, source: 'b', session_id: 's' })).toEqual([id])
  expect(await found({ source: 'a' })).toEqual([])
  await client.updateMemory({ id, metadata: {} })
  expect((await client.getMemory({ id })).metadata).toEqual({})
})

test('what holds must begin before it ends, whether sent at once or one after the other', async () => {
  const { client } = service
  const span = { valid_from: '2020-01-01T00:00:00Z', valid_until: '2020-01-01T00:00:00Z' }
  const refused = { status: 422, problem: { errors: [{ pointer: '/valid_until' }] } }
  await expect(client.createMemory(someMemory(span))).rejects.toMatchObject(refused)
  const { id } = await client.createMemory(someMemory({ valid_from: span.valid_from }))
  await expect(client.updateMemory({ id, valid_until: span.valid_until })).rejects.toMatchObject(refused)
  await client.updateMemory({ id, valid_until: '2020-01-01T00:00:00.001Z' })
})

test.each([
  [{ source: ' ' }, '/source'],
  [{ source: 'x'.repeat(2_049) }, '/source'],
  [{ session_id: 'x'.repeat(201) }, '/session_id'],
  [{ metadata: { 'a b': 1 } }, '/metadata/a b'],
  [{ metadata: { a: null } }, '/metadata/a'],
  [{ metadata: { a: [] } }, '/metadata/a'],
  [{ metadata: { a: 'x'.repeat(501) } }, '/metadata/a'],
  [{ metadata: Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`k${at}`, at])) }, '/metadata'],
  [{ archived_reason: 'mine' }, '/archived_reason'],
])('%j is refused', async (given, pointer) => {
  await expect(service.client.createMemory(someMemory(given as never))).rejects.toMatchObject({
    status: 422,
    problem: { errors: [{ pointer }] },
  })
})

test('what was archived says why, and a restored memory does not any more', async () => {
  const { client } = service
  const { id } = await client.createMemory(someMemory())
  await client.deleteMemory({ id })
  expect((await client.getMemory({ id })).archived_reason).toBe('deleted')
  expect((await client.restoreMemory({ id })).archived_reason).toBeNull()
})
