import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import type { Input } from '../../src/contract/index.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

/** A client bound to an owner, and the same in the private and in the shared memories alone. */
async function ownerOf(tenant: string, owner: string) {
  const { key } = await service.client.createKey({ tenant, owner, scopes: ['delete'] })
  return {
    both: service.clientOf('', key),
    own: service.clientOf(`${tenant}~${owner}`, key),
    shared: service.clientOf(tenant, key),
  }
}

const visibilities = ['private', 'shared'] as const
const idOf = ({ id }: { id: string }) => id

describe('a list of both', () => {
  const tenant = freshTenant()
  let anna: Awaited<ReturnType<typeof ownerOf>>
  beforeAll(async () => {
    anna = await ownerOf(tenant, 'anna')
    const ben = await ownerOf(tenant, 'ben')
    for (let at = 0; at < 12; at++) {
      const visibility = visibilities[(at * 5) % 3 === 0 ? 0 : 1]
      const fields = { content: `note ${at}`, importance: (at % 4) / 4, kind: at % 2 ? 'odd' : 'even' }
      await anna.both.createMemory(someMemory({ ...fields, visibility }))
      await ben.both.createMemory(someMemory({ content: `note of ben ${at}` }))
    }
  })

  const walk = async (client: Client, input: Input<'listMemories'>) => {
    const found = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await client.listMemories({ ...input, ...(cursor && { cursor }) })
      expect(page.has_more).toBe(page.next_cursor !== null)
      found.push(...page.memories)
      cursor = page.next_cursor
    }
    return found
  }

  test.each([
    { order_by: 'created_at', order: 'desc' },
    { order_by: 'created_at', order: 'asc' },
    { order_by: 'updated_at', order: 'desc' },
    { order_by: 'importance', order: 'asc' },
    { order_by: 'importance', order: 'desc' },
    { order_by: 'last_recalled_at', order: 'asc' },
    { order_by: 'last_recalled_at', order: 'desc' },
    { order_by: 'created_at', order: 'desc', kind: 'even' },
    { order_by: 'importance', order: 'desc', metadata: { none: true } },
    { order_by: 'created_at', order: 'asc', as_of: '2999-01-01T00:00:00Z' },
  ] as const)('has each memory once and in its order: %j', async input => {
    const whole = (await anna.both.listMemories({ ...input, limit: 200 })).memories
    const parts = [
      ...(await walk(anna.own, { ...input, limit: 200 })),
      ...(await walk(anna.shared, { ...input, limit: 200 })),
    ]
    expect(whole.map(idOf).sort()).toEqual(parts.map(idOf).sort())
    const values = whole.map(memory => memory[input.order_by] ?? '')
    const sign = input.order === 'desc' ? -1 : 1
    expect(values).toEqual(values.toSorted((a, b) => sign * (a < b ? -1 : a > b ? 1 : 0)))
    for (const limit of [1, 3, 5, 12])
      expect((await walk(anna.both, { ...input, limit })).map(idOf)).toEqual(whole.map(idOf))
  })

  test('has what stays there once, whatever is written between the pages', async () => {
    const before = (await walk(anna.both, { limit: 200 })).map(idOf)
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await anna.both.listMemories({ limit: 2, ...(cursor && { cursor }) })
      seen.push(...page.memories.map(idOf))
      cursor = page.next_cursor
      const [gone] = (
        await anna.both.createMemories({
          memories: [someMemory()],
          visibility: visibilities[seen.length % 2],
        })
      ).memories
      await anna.both.deleteMemory({ id: gone?.id as string, hard: seen.length % 3 === 0 })
    }
    expect(seen).toEqual(before)
  })

  test('has cursors that are of no use elsewhere', async () => {
    const { next_cursor } = await anna.both.listMemories({ limit: 1 })
    const cursor = String(next_cursor)
    const ben = await ownerOf(tenant, 'ben')
    const invalid = { code: 'invalid_cursor', status: 400 }
    for (const client of [anna.own, anna.shared, ben.both, service.clientOf(tenant)])
      expect(await problemOf(client.listMemories({ limit: 1, cursor }))).toMatchObject(invalid)
    const single = String((await anna.shared.listMemories({ limit: 1 })).next_cursor)
    expect(await problemOf(anna.both.listMemories({ limit: 1, cursor: single }))).toMatchObject(invalid)
  })
})

describe('values and groups of both', () => {
  test('count the shared memories and those of the owner together', async () => {
    const tenant = freshTenant()
    const anna = await ownerOf(tenant, 'anna')
    const ben = await ownerOf(tenant, 'ben')
    const put = (client: Client, fields: Partial<Input<'createMemory'>>) =>
      client.createMemory(someMemory({ session_id: 's', source: 'src', kind: 'note', ...fields }))
    await put(anna.both, { tags: ['tea', 'home'], importance: 1 })
    await put(anna.both, { tags: ['tea'], importance: 0, visibility: 'shared' })
    await put(anna.both, { tags: ['work'], visibility: 'shared' })
    await put(ben.both, { tags: ['tea', 'secret'] })
    expect((await anna.both.listTags()).values).toEqual([
      { value: 'tea', count: 2 },
      { value: 'home', count: 1 },
      { value: 'work', count: 1 },
    ])
    const first = await anna.both.listTags({ limit: 2 })
    const next = await anna.both.listTags({ limit: 2, cursor: String(first.next_cursor) })
    expect(next.values).toEqual([{ value: 'work', count: 1 }])
    for (const list of ['listSources', 'listSessions', 'listKinds'] as const)
      expect((await anna.both[list]()).values).toMatchObject([{ count: 3 }])
    const { groups } = await anna.both.groupMemories({ by: 'tag' })
    expect(groups).toMatchObject([
      { value: 'tea', count: 2, mean_importance: 0.5 },
      { value: 'home', count: 1 },
      { value: 'work', count: 1 },
    ])
    const connected = await anna.both.createMemories({ memories: [someMemory(), someMemory()] })
    const [a, b] = connected.memories.map(idOf) as [string, string]
    await anna.both.createConnection({ source_id: a, target_id: b, relationship_type: 'supports' })
    const types = await anna.both.groupMemories({ by: 'relationship_type' })
    expect(types.groups).toMatchObject([{ value: 'supports', count: 2 }])
    expect((await ben.shared.groupMemories({ by: 'relationship_type' })).groups).toEqual([])
  })
})

describe('a search of both', () => {
  const tenant = freshTenant()
  let anna: Awaited<ReturnType<typeof ownerOf>>
  const drinks = [
    'green tea',
    'black tea',
    'iced tea',
    'herbal tea',
    'tea with milk',
    'white tea',
    'tea leaves',
  ]
  beforeAll(async () => {
    anna = await ownerOf(tenant, 'anna')
    const ben = await ownerOf(tenant, 'ben')
    for (const [at, content] of drinks.entries()) {
      const visibility = visibilities[at % 2]
      await anna.both.createMemory(someMemory({ content, visibility, session_id: 'drinks' }))
      await ben.both.createMemory(someMemory({ content: `${content} of ben` }))
    }
    await anna.both.createMemory(someMemory({ content: 'the garage has a new door' }))
  })

  test.each(['semantic', 'keyword', 'hybrid'] as const)(
    'finds what is in both, best first, each once over all pages: %s',
    async search_type => {
      const asked = { query: 'tea', search_type, min_relevance: 0, explain: true } as const
      const whole = await anna.both.searchMemories({ ...asked, limit: 50 })
      const alone = await Promise.all(
        [anna.own, anna.shared].map(client => client.searchMemories({ ...asked, limit: 50 })),
      )
      const expected = alone.flatMap(({ results }) => results.map(({ memory }) => memory.id))
      const found = whole.results.map(({ memory }) => memory.id)
      expect(found.toSorted()).toEqual(expected.toSorted())
      expect(new Set(whole.results.map(({ memory }) => memory.owner))).toEqual(new Set(['anna', null]))
      const scores = whole.results.map(({ score }) => score)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      expect(Math.max(...scores)).toBeLessThanOrEqual(1)
      const list = search_type === 'keyword' ? 'keyword' : 'semantic'
      const ranks = whole.results.flatMap(({ sources }) => sources[list]?.rank ?? [])
      expect(ranks.toSorted((a, b) => a - b)).toEqual(ranks.map((_, at) => at + 1))
      const walked: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await anna.both.searchMemories({ ...asked, limit: 2, ...(cursor && { cursor }) })
        walked.push(...page.results.map(({ memory }) => memory.id))
        cursor = page.next_cursor
      }
      expect(walked.toSorted()).toEqual(found.toSorted())
    },
  )

  test('scores a memory as if all were in one tenant', async () => {
    const one = service.clientOf(freshTenant())
    for (const content of [...drinks, 'the garage has a new door'])
      await one.createMemory(someMemory({ content, session_id: 'elsewhere' }))
    for (const search_type of ['semantic', 'keyword'] as const) {
      const asked = { query: 'tea with milk', search_type, min_relevance: 0, limit: 50 } as const
      const scored = async (client: Client) =>
        (await client.searchMemories(asked)).results.map(({ memory, score }) => [memory.content, score])
      const [together, apart] = [await scored(one), await scored(anna.both)]
      expect(apart[0]).toEqual(together[0])
      if (search_type === 'semantic') expect(new Map(apart as never)).toEqual(new Map(together as never))
    }
  })

  test('has preferences, turns of sessions, highlights and parts of both', async () => {
    const asked = { query: 'tea', search_type: 'hybrid', min_relevance: 0, limit: 50 } as const
    const diverse = await anna.both.searchMemories({ ...asked, diversity: 0.5, importance_weight: 0.5 })
    expect(diverse.results.length).toBeGreaterThanOrEqual(drinks.length)
    const { results } = await anna.both.searchMemories({ ...asked, around: 1, highlight: true })
    for (const { memory, around } of results)
      for (const turn of around) expect(turn.memory.owner).toBe(memory.owner)
    expect(results.some(({ around }) => around.length > 0)).toBe(true)
    const long = `${'Which tea is it? '.repeat(80)} Is it green tea?`
    const parts = await anna.both.searchMemories({ ...asked, query: long, by_parts: true })
    expect(parts.parts.length).toBeGreaterThan(0)
    expect(new Set(parts.results.map(({ memory }) => memory.owner))).toEqual(new Set(['anna', null]))
    expect(new Set(parts.results.map(({ memory }) => memory.id)).size).toBe(parts.results.length)
  })

  test('of words finds what texts said at a time in both', async () => {
    const past = { query: 'tea', search_type: 'keyword', as_of: '2999-01-01T00:00:00Z', limit: 50 } as const
    const { results } = await anna.both.searchMemories(past)
    expect(results.map(({ memory }) => memory.content).sort()).toEqual(drinks.toSorted())
  })

  test('counts as a recall where the memory is', async () => {
    const asked = { query: 'tea', search_type: 'keyword', record_recall: true, limit: 50 } as const
    const { results } = await anna.both.searchMemories(asked)
    for (const { memory } of results)
      expect(await anna.both.getMemory({ id: memory.id, record_recall: false })).toMatchObject({
        recall_count: 1,
      })
  })

  test('has cursors that are of no use elsewhere', async () => {
    const asked = { query: 'tea', search_type: 'keyword', limit: 1 } as const
    const cursor = String((await anna.both.searchMemories(asked)).next_cursor)
    for (const client of [anna.own, anna.shared])
      expect(await problemOf(client.searchMemories({ ...asked, cursor }))).toMatchObject({
        code: 'invalid_cursor',
      })
  })

  test('uses words alone in both while the provider is down, and says so', async () => {
    service.embeddings.fail('down')
    const asked = { query: 'herbal or black tea', search_type: 'hybrid', limit: 50 } as const
    const { degraded, results } = await anna.both.searchMemories(asked).finally(service.embeddings.recover)
    expect(degraded).toBe(true)
    expect(new Set(results.map(({ memory }) => memory.owner))).toEqual(new Set(['anna', null]))
  })
})

describe('a context of both', () => {
  test('has the best of both within one budget, and says what is private', async () => {
    const tenant = freshTenant()
    const anna = await ownerOf(tenant, 'anna')
    const ben = await ownerOf(tenant, 'ben')
    const own = await anna.both.createMemory(someMemory({ content: 'My tea is green tea' }))
    const { id: related } = await anna.both.createMemory(
      someMemory({ content: 'The kettle is in the kitchen' }),
    )
    const common = await anna.both.createMemory(
      someMemory({ content: 'The team drinks black tea', visibility: 'shared' }),
    )
    await ben.both.createMemory(someMemory({ content: 'The tea of Ben is secret tea' }))
    await anna.both.createConnection({ source_id: own.id, target_id: related, relationship_type: 'supports' })
    const { text, sources, tokens } = await anna.both.composeContext({ query: 'tea', min_relevance: 0 })
    expect(sources.map(({ memory_id }) => memory_id)).toEqual(
      expect.arrayContaining([own.id, common.id, related]),
    )
    expect(text).not.toContain('secret')
    expect(text.match(/\(private\)/g)).toHaveLength(2)
    expect(tokens).toBeLessThanOrEqual(2_000)
    for (const id of [own.id, common.id])
      expect(await anna.both.getMemory({ id, record_recall: false })).toMatchObject({ recall_count: 1 })
    const overview = await anna.both.composeContext({})
    expect(overview.sources).toHaveLength(3)
    const shared = await anna.shared.composeContext({ query: 'tea', min_relevance: 0 })
    expect(shared.sources.map(({ memory_id }) => memory_id)).toEqual([common.id])
    expect(shared.text).not.toContain('(private)')
  })
})
