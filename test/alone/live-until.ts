import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { write } from '../../src/store/neo4j.ts'
import { readMigrations } from '../../src/store/schema.ts'
import { contextOf } from '../support/lifecycle.ts'
import { emptyDatabase } from '../support/own-database.ts'
import { someMemory, startService, type TestService } from '../support/service.ts'

describe('The migration to liveUntil', () => {
  const stack = new AsyncDisposableStack()
  let service: TestService
  beforeAll(async () => {
    service = stack.use(await startService({ database: await emptyDatabase() }))
  })
  afterAll(() => stack.disposeAsync())

  const found = async () => {
    const { results } = await service.client.searchMemories({ query: 'mast', search_type: 'semantic' })
    return results.map(({ memory }) => memory.id)
  }

  test('what was archived before searches went by liveUntil is not live after it', async () => {
    const { id } = await service.client.createMemory(someMemory({ content: 'A boat with a mast' }))
    await service.client.deleteMemory({ id })
    await service.cypher('MATCH (m:Memory {id: $id}) SET m.liveUntil = 253402300799000', { id })
    expect(await found()).toEqual([id])
    const migration = (await readMigrations()).find(({ name }) => name === '0006-live-until')
    for (const statement of migration?.statements ?? [])
      await write(contextOf(service, service.tenant), `CYPHER 25 ${statement}`)
    expect(await found()).toEqual([])
  })
})
