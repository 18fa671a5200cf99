import { expect, test } from 'vitest'
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
