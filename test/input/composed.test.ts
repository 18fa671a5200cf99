import { expect, test } from 'vitest'
import { graphql } from '../support/graphql.ts'
import { ask } from '../support/mcp.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

/** The same letters as macOS writes them, and as everybody else does. */
const [apart, together] = ['Cafe\u0301 Zu\u0308rich', 'Café Zürich'] as const

test.each([
  ['tags', { tags: [apart] }, { tags: [together] }],
  ['source', { source: `/notes/${apart}.md` }, { source: `/notes/${together}.md` }],
  ['session_id', { session_id: apart }, { session_id: together }],
  ['metadata', { metadata: { place: apart } }, { metadata: { place: together } }],
])(
  '%s with letters and accents apart meet those that are composed, both ways',
  async (name, decomposed, composed) => {
    for (const [at, [stored, asked]] of [
      [decomposed, composed],
      [composed, decomposed],
    ].entries()) {
      const content = `${name} ${at}`
      const { id } = await service.client.createMemory(someMemory({ content, ...stored }))
      expect(await service.client.getMemory({ id })).toMatchObject(composed)
      const { memories } = await service.client.listMemories({ ...asked })
      expect(memories.map(memory => memory.content)).toContain(content)
      const { results } = await service.client.searchMemories({
        query: name,
        search_type: 'keyword',
        ...asked,
      })
      expect(results.map(({ memory }) => memory.content)).toContain(content)
      const called = await ask(service, 'tools/call', { name: 'list_memories', arguments: { ...asked } })
      expect(JSON.stringify(called)).toContain(content)
    }
  },
)

const filtersOf = (text: string) =>
  [
    { tags: { includes: text } },
    { source: { eq: text } },
    { sessionId: { in: [text] } },
    { NOT: { OR: [{ source: { eq: null } }, { NOT: { tags: { includes: text } } }] } },
  ] as const

test('filters of GraphQL find composed letters in either form, in the query and in its variables', async () => {
  const [one, other] = await service.client
    .createMemories({
      memories: [
        someMemory({ content: apart, tags: [apart], source: apart, session_id: apart }),
        someMemory({ content: 'Another' }),
      ],
    })
    .then(({ memories }) => memories.map(({ id }) => id))
  await service.client.createConnection({
    source_id: other as string,
    target_id: one as string,
    relationship_type: 'references',
  })
  const found = { data: { memories: expect.arrayContaining([{ id: one }]) } }
  for (const text of [apart, together]) {
    for (const where of filtersOf(text)) {
      const variables = { where }
      const named = 'query ($where: MemoryWhere!) { memories(where: $where) { id } }'
      expect(await graphql(service, named, { variables })).toMatchObject(found)
      const literal = JSON.stringify(where).replaceAll(/"(\w+)":/g, '$1:')
      expect(await graphql(service, `{ memories(where: ${literal}) { id } }`)).toMatchObject(found)
    }
    const nested =
      'query ($text: String!) { memories(where: { id: { eq: "ID" } }) { references(where: { source: { eq: $text } }) { id } } }'
    expect(
      await graphql(service, nested.replace('ID', other as string), { variables: { text } }),
    ).toMatchObject({ data: { memories: [{ references: [{ id: one }] }] } })
    const byDefault = `query ($text: String! = ${JSON.stringify(text)}) { memories(where: { source: { eq: $text } }) { id } }`
    expect(await graphql(service, byDefault)).toMatchObject(found)
  }
})

test('a filter on the content compares the form in which it was written', async () => {
  const { id } = await service.client.createMemory(someMemory({ content: `Only ${apart}` }))
  const query = 'query ($text: String!) { memories(where: { content: { eq: $text } }) { id } }'
  const ask = (text: string) => graphql(service, query, { variables: { text } })
  expect(await ask(`Only ${apart}`)).toMatchObject({ data: { memories: [{ id }] } })
  expect(await ask(`Only ${together}`)).toMatchObject({ data: { memories: [] } })
})

test('a beginning of a tag, source or session is read in the same form', async () => {
  await service.client.createMemory(
    someMemory({ content: 'p', tags: [apart], source: apart, session_id: apart }),
  )
  for (const list of ['listTags', 'listSources', 'listSessions'] as const) {
    const { values } = await service.client[list]({ prefix: 'Cafe\u0301' })
    expect(values.map(({ value }) => value)).toContain(together)
  }
})

test('two forms of one tag are one tag', async () => {
  const { tags } = await service.client.createMemory(
    someMemory({ content: 'twice', tags: [apart, together] }),
  )
  expect(tags).toEqual([together])
})

test('a content keeps its form, and is found in either', async () => {
  const content = `A letter from ${apart}`
  const { id } = await service.client.createMemory(someMemory({ content }))
  expect((await service.client.getMemory({ id })).content).toBe(content)
  for (const query of [apart, together]) {
    const { results } = await service.client.searchMemories({ query, search_type: 'keyword' })
    expect(results.map(({ memory }) => memory.id)).toContain(id)
  }
})

test('a name of nothing but marks is normalized in time', async () => {
  const source = `a${'\u0301\u0316'.repeat(900)}`
  const started = performance.now()
  for (let at = 0; at < 20; at++) await service.client.listMemories({ source })
  expect(performance.now() - started).toBeLessThan(20_000)
})
