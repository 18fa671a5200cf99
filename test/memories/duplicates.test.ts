import { expect, test } from 'vitest'
import { graphql } from '../support/graphql.ts'
import { idOf } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

const once = (content: string, more: object = {}) =>
  service.client.createMemory(someMemory({ content, on_duplicate: 'return', ...more }))

test('a text that is there is returned with 200, whatever its spaces, and nothing is stored', async () => {
  const first = await once('The office closes at six')
  expect(first.duplicate_of).toBeUndefined()
  const again = someMemory({ content: '  The office  closes at six \n', on_duplicate: 'return' })
  const response = await service.request('/memories', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(again),
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ ...first, duplicate_of: first.id, not_stored: [] })
  const other = service.clientOf(freshTenant())
  expect(
    (await other.createMemory(someMemory({ content: 'The office closes at six', on_duplicate: 'return' })))
      .id,
  ).not.toBe(first.id)
})

test('without `return` the same text is stored again', async () => {
  const [one, two] = [
    await once('Stored twice'),
    await service.client.createMemory(someMemory({ content: 'Stored twice' })),
  ]
  expect(two.id).not.toBe(one.id)
})

test('of an archived memory, and of one with other content by now, there is no duplicate', async () => {
  const archived = await once('Said before')
  await service.client.deleteMemory({ id: archived.id })
  const second = await once('Said before')
  expect(second.id).not.toBe(archived.id)
  await service.client.updateMemory({ id: second.id, content: 'Said otherwise' })
  expect((await once('Said before')).duplicate_of).toBeUndefined()
  expect((await once('Said  otherwise')).duplicate_of).toBe(second.id)
})

test('64 writers of 8 texts, alone and in batches, leave 8 memories, and each gets the id of one of them', async () => {
  const texts = Array.from({ length: 8 }, (_, at) => `Everybody stores fact ${at}`)
  const answers = await Promise.all(
    Array.from({ length: 64 }, async (_, at) => {
      const memories = [texts[at % 8], texts[(at + 1) % 8]].map(content =>
        someMemory({ content: content as string, on_duplicate: 'return' }),
      )
      if (at % 4 === 0) return (await service.client.createMemories({ memories })).memories
      return [await service.client.createMemory(memories[0] as (typeof memories)[0])]
    }),
  )
  const { memories } = await service.client.listMemories({ limit: 200 })
  const stored = memories.filter(({ content }) => texts.includes(content))
  expect(stored.map(({ content }) => content).toSorted()).toEqual(texts)
  const known = new Set(stored.map(idOf))
  for (const answer of answers.flat()) expect(known).toContain(answer.id)
  expect(answers.flat().filter(({ duplicate_of }) => duplicate_of === undefined)).toHaveLength(8)
})

test('a batch that repeats a text stores it once', async () => {
  const memories = ['Once in a batch', 'Once in a  batch'].map(content =>
    someMemory({ content, on_duplicate: 'return' }),
  )
  const { memories: created } = await service.client.createMemories({ memories })
  expect(created.map(idOf)).toEqual([created[0]?.id, created[0]?.id])
  expect(created[1]?.duplicate_of).toBe(created[0]?.id)
})

test('GraphQL returns the memory and says that it existed', async () => {
  const first = await once('GraphQL knows duplicates')
  const { data } = await graphql(
    service,
    'mutation { createMemory(content: "GraphQL knows duplicates", tags: ["new"], onDuplicate: RETURN) { memory { id } duplicateOf notStored } }',
  )
  expect(data).toEqual({
    createMemory: { memory: { id: first.id }, duplicateOf: first.id, notStored: ['policy', 'tags'] },
  })
})

test('a memory that supersedes others archives them, ends their validity and contradicts them', async () => {
  const old = await service.client.createMemory(someMemory({ content: 'The deadline is in May' }))
  const { id } = await service.client.createMemory(
    someMemory({ content: 'The deadline is in June', supersedes: [old.id] }),
  )
  const before = await service.client.getMemory({ id: old.id, record_recall: false })
  expect(before).toMatchObject({ state: 'archived', archived_reason: 'superseded', version: 2 })
  expect(before.valid_until).toBe(before.archived_at)
  const { connections } = await service.client.listConnections({ source_id: id })
  expect(connections).toMatchObject([
    { connection: { target_id: old.id, relationship_type: 'contradicts', origin: 'asserted' } },
  ])
  expect((await service.client.restoreMemory({ id: old.id })).state).toBe('active')
})

test('what is not there, and what is archived, cannot be superseded, and then nothing is stored', async () => {
  const gone = await service.client.createMemory(someMemory({ content: 'Archived already' }))
  await service.client.deleteMemory({ id: gone.id })
  const foreign = await service
    .clientOf(freshTenant())
    .createMemory(someMemory({ content: 'Of another tenant' }))
  const attempt = (id: string) =>
    problemOf(service.client.createMemory(someMemory({ content: 'Would replace it', supersedes: [id] })))
  expect(await attempt(gone.id)).toMatchObject({ status: 409, code: 'memory_archived' })
  expect(await attempt(foreign.id)).toMatchObject({ status: 404, code: 'memory_not_found' })
  const { memories } = await service.client.listMemories({ limit: 200 })
  expect(memories.map(({ content }) => content)).not.toContain('Would replace it')
})
