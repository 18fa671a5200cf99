import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readMigrations } from '../../src/store/neo4j/schema.ts'
import { write } from '../../src/store/neo4j/statements.ts'
import { contextOf } from '../support/lifecycle.ts'
import { emptyDatabase } from '../support/own-database.ts'
import { someMemory, startService, type TestService } from '../support/service.ts'

describe('Migrations of what memories hold', () => {
  const stack = new AsyncDisposableStack()
  let service: TestService
  beforeAll(async () => {
    service = stack.use(await startService({ database: await emptyDatabase() }))
  })
  afterAll(() => stack.disposeAsync())

  async function migrateTo(name: string) {
    const migration = (await readMigrations()).find(each => each.name === name)
    expect(migration).toBeDefined()
    for (const statement of migration?.statements ?? [])
      await write(contextOf(service, service.tenant), `CYPHER 25 ${statement}`)
  }

  const found = async () => {
    const { results } = await service.client.searchMemories({ query: 'mast', search_type: 'semantic' })
    return results.map(({ memory }) => memory.id)
  }

  test('what was archived before searches went by liveUntil is not live after it', async () => {
    const { id } = await service.client.createMemory(someMemory({ content: 'A boat with a mast' }))
    await service.client.deleteMemory({ id })
    await service.cypher('MATCH (m:Memory {id: $id}) SET m.liveUntil = 253402300799000', { id })
    expect(await found()).toEqual([id])
    await migrateTo('0006-live-until')
    expect(await found()).toEqual([])
  })

  test('vectors that are older than what stands beside each are ready, a missing one stays pending', async () => {
    const create = async (content: string) => (await service.client.createMemory(someMemory({ content }))).id
    const [older, beginning, without] = [
      await create('older'),
      await create('beginning'),
      await create('none'),
    ]
    const { property, truncated } = contextOf(service, service.tenant).space
    await service.cypher(`MATCH (m:Memory {id: $older}) REMOVE m.${truncated}`, { older })
    await service.cypher(`MATCH (m:Memory {id: $beginning}) SET m.${truncated} = true`, { beginning })
    await service.cypher(`MATCH (m:Memory {id: $without}) REMOVE m.${truncated}, m.${property}`, { without })
    await migrateTo('0008-truncated-beside-each-vector')
    const embeddings = await Promise.all(
      [older, beginning, without].map(async id => (await service.client.getMemory({ id })).embedding),
    )
    expect(embeddings).toMatchObject([
      { status: 'ready', truncated: false },
      { status: 'ready', truncated: true },
      { status: 'pending', truncated: false },
    ])
  })
})
