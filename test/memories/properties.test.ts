import { expect, test } from 'vitest'
import { contextOf } from '../support/lifecycle.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

const found = async () => {
  const { results } = await service.client.searchMemories({ query: 'mast', search_type: 'semantic' })
  return results.map(({ memory }) => memory.id)
}

test('a search goes by liveUntil alone, which is 0 for an archived memory', async () => {
  const { id } = await service.client.createMemory(someMemory({ content: 'A boat with a mast' }))
  expect(await found()).toEqual([id])
  await service.client.deleteMemory({ id })
  expect(await service.cypher('MATCH (m:Memory {id: $id}) RETURN m.liveUntil AS liveUntil', { id })).toEqual([
    { liveUntil: 0 },
  ])
  expect(await found()).toEqual([])
  await service.cypher('MATCH (m:Memory {id: $id}) SET m.liveUntil = 253402300799000', { id })
  expect(await found()).toEqual([id])
})

test('the property next to a vector says whether there is one, and of how much of the content', async () => {
  const create = async (content: string) => (await service.client.createMemory(someMemory({ content }))).id
  const [whole, beginning, without] = [await create('whole'), await create('beginning'), await create('none')]
  const { property, truncated } = contextOf(service, service.tenant).space
  await service.cypher(`MATCH (m:Memory {id: $beginning}) SET m.${truncated} = true`, { beginning })
  await service.cypher(`MATCH (m:Memory {id: $without}) REMOVE m.${truncated}, m.${property}`, { without })
  const embeddings = await Promise.all(
    [whole, beginning, without].map(async id => (await service.client.getMemory({ id })).embedding),
  )
  expect(embeddings).toMatchObject([
    { status: 'ready', truncated: false },
    { status: 'ready', truncated: true },
    { status: 'pending', truncated: false },
  ])
})
