import { expect, test } from 'vitest'
import { rememberIds } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const service = withService()

/** Two near duplicates, and a third memory that may contradict them; `suggested` are the pairs, the newer one first. */
async function world() {
  const { tenant, client } = service.newTenant()
  const ids: string[] = []
  for (const content of [
    'The office of the whole team is in Ghent',
    'The office of the whole team is in Ghent!',
    'The office of the whole team is in Porto',
  ])
    ids.push(...(await rememberIds(client, [content])))
  await service.drain(tenant)
  const [kept, gone, other] = ids as [string, string, string]
  const listed = async (status: 'suggested' | 'rejected' | 'confirmed') =>
    (await client.listConflicts({ status })).conflicts
      .map(({ source, target }) => `${source.id} ${target.id}`)
      .toSorted()
  const pairs = (...of: string[]) => of.map(id => `${other} ${id}`).toSorted()
  const merge = async () => {
    const { plan_id, changes, left_out } = await client.planMaintenance({ kind: 'merge', threshold: 0.99 })
    expect(changes.map(({ memory_id }) => memory_id).toSorted()).toEqual([kept, gone].toSorted())
    await client.applyMaintenance({ id: plan_id as string })
    await service.drain(tenant)
    return { left_out, undo: () => client.undoMaintenance({ id: plan_id as string }) }
  }
  /** As if the rules had not seen it: a model suggested the pair of the merged memory alone. */
  const dropOfKept = () =>
    service.cypher(
      'MATCH (:Memory {tenant: $tenant, id: $kept})-[r:MAY_CONTRADICT]-(:Memory {tenant: $tenant, id: $other}) DELETE r',
      { tenant, kept, other },
    )
  expect(await listed('suggested')).toEqual(pairs(kept, gone))
  return { tenant, client, kept, gone, other, listed, pairs, merge, dropOfKept }
}

test('a suggestion of a memory that is merged is not listed, and is there again when the merge is undone', async () => {
  const { tenant, kept, gone, listed, pairs, merge } = await world()
  const { undo } = await merge()
  expect(await listed('suggested')).toEqual(pairs(kept))
  await undo()
  expect(await listed('suggested')).toEqual(pairs(kept, gone))
  await service.drain(tenant)
  expect(await listed('suggested')).toEqual(pairs(kept, gone))
})

test('the kept memory gets a suggestion that it has not, and an undo takes it back', async () => {
  const { client, kept, gone, listed, pairs, merge, dropOfKept } = await world()
  const { conflicts } = await client.listConflicts({ status: 'suggested' })
  await dropOfKept()
  const { undo } = await merge()
  expect(await listed('suggested')).toEqual(pairs(kept))
  const [copy] = (await client.listConflicts({ status: 'suggested' })).conflicts
  const [was] = conflicts.filter(({ target }) => target.id === gone)
  expect(copy).toMatchObject({ rule: was?.rule, reason: was?.reason, created_at: was?.created_at })
  await undo()
  expect(await listed('suggested')).toEqual(pairs(gone))
})

test.each(['confirmed', 'rejected'] as const)(
  'a copied suggestion that somebody has %s stays so when the merge is undone',
  async outcome => {
    const { client, kept, gone, other, listed, pairs, merge, dropOfKept } = await world()
    await dropOfKept()
    const { undo } = await merge()
    await client.reviewConflict({ source_id: other, target_id: kept, outcome })
    await undo()
    expect(await listed(outcome)).toEqual(pairs(kept))
    expect(await listed('suggested')).toEqual(pairs(gone))
  },
)

test('what was rejected of the kept memory stays rejected beside a merge and its undo', async () => {
  const { client, kept, gone, other, listed, pairs, merge } = await world()
  await client.reviewConflict({ source_id: other, target_id: kept, outcome: 'rejected' })
  const { undo } = await merge()
  expect([await listed('suggested'), await listed('rejected')]).toEqual([[], pairs(kept)])
  await undo()
  expect([await listed('suggested'), await listed('rejected')]).toEqual([pairs(gone), pairs(kept)])
})

test('near duplicates that may contradict each other are not merged before somebody has rejected that', async () => {
  const { client, kept, gone, other } = await world()
  const plan = () => client.planMaintenance({ kind: 'merge', threshold: 0.8 })
  const { changes, left_out } = await plan()
  expect(changes.map(({ memory_id }) => memory_id).toSorted()).toEqual([kept, gone].toSorted())
  expect(left_out).toEqual([
    { memory_id: other, reason: expect.stringContaining(`but contradicts ${kept}, or may`) },
  ])
  for (const target_id of [kept, gone])
    await client.reviewConflict({ source_id: other, target_id, outcome: 'rejected' })
  expect((await plan()).changes).toHaveLength(3)
  await client.createConnection({ source_id: kept, target_id: other, relationship_type: 'contradicts' })
  expect((await plan()).left_out).toMatchObject([{ memory_id: other }])
})

test('a suggestion is not listed while one side is archived, and is there again when it is restored', async () => {
  const { tenant, client, kept, gone, other, listed, pairs } = await world()
  await client.deleteMemory({ id: gone })
  expect(await listed('suggested')).toEqual(pairs(kept))
  await client.restoreMemory({ id: gone })
  await service.drain(tenant)
  expect(await listed('suggested')).toEqual(pairs(kept, gone))
  await client.deleteMemory({ id: other })
  expect(await listed('suggested')).toEqual([])
  await client.restoreMemory({ id: other })
  expect(await listed('suggested')).toEqual(pairs(kept, gone))
})

test('a forgotten memory has its suggestions again when the run is undone', async () => {
  const { client, kept, gone, other, listed, pairs } = await world()
  await client.updateMemory({ id: other, tags: ['gone'] })
  const { plan_id } = await client.planMaintenance({ kind: 'forget', filters: { tags: ['gone'] } })
  await client.applyMaintenance({ id: plan_id as string })
  expect(await listed('suggested')).toEqual([])
  await client.undoMaintenance({ id: plan_id as string })
  expect(await listed('suggested')).toEqual(pairs(kept, gone))
})
