import { expect, test } from 'vitest'
import { recordRecalls } from '../../src/store/memories/recalls.ts'
import { contextOf } from '../support/lifecycle.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

test('recalls of one memory that are recorded late and together each count, unless they are of one burst', async () => {
  const { tenant, client } = service.newTenant()
  const [one, other] = [
    await client.createMemory(someMemory()),
    await client.createMemory(someMemory({ content: 'another' })),
  ]
  const ctx = contextOf(service, tenant)
  const now = Date.now()
  const recall = (id: string, secondsAgo: number) => ({
    tenant,
    id,
    key: crypto.randomUUID(),
    at: now - 1_000 * secondsAgo,
  })
  const late = [
    recall(one.id, 300),
    recall(other.id, 250),
    recall(one.id, 100),
    recall(one.id, 95),
    recall(one.id, 200),
  ]
  await Promise.all(late.map(each => recordRecalls(ctx, [each])))
  // A try of the same recalls whose answer was lost.
  await recordRecalls(ctx, late)
  const read = (id: string) => client.getMemory({ id, record_recall: false })
  expect(await read(one.id)).toMatchObject({
    recall_count: 3,
    last_recalled_at: new Date(now - 100_000).toISOString(),
  })
  expect(await read(other.id)).toMatchObject({ recall_count: 1 })
})
