import { expect, test } from 'vitest'
import { age } from '../support/lifecycle.ts'
import { remember } from '../support/seed.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

const types = ['semantic', 'keyword', 'hybrid'] as const

async function found(search_type: (typeof types)[number], query: string, tags?: string[]) {
  const { results } = await service.client.searchMemories({
    query,
    search_type,
    limit: 200,
    ...(tags ? { tags } : {}),
  })
  return results.map(({ memory }) => memory.id)
}

test.each(types)(
  'an archived memory is out of a %s search at once, and back when it is restored',
  async type => {
    const [cat] = await remember(service.client, [{ content: `cat that leaves ${type}`, tags: ['leaves'] }])
    const id = cat?.id as string
    expect(await found(type, 'leaves')).toContain(id)
    await service.client.deleteMemory({ id })
    expect(await found(type, 'leaves')).not.toContain(id)
    expect(await found(type, 'leaves', ['leaves'])).not.toContain(id)
    await service.client.restoreMemory({ id })
    expect(await found(type, 'leaves')).toContain(id)
  },
)

test.each(types)(
  'a memory whose time has run out is out of a %s search, before maintenance has run',
  async type => {
    const [brief] = await remember(service.client, [
      { content: `cat for a while ${type}`, ttl_seconds: 1000, tags: ['brief'] },
    ])
    const id = brief?.id as string
    expect(await found(type, 'while')).toContain(id)
    await service.cypher('MATCH (m:Memory {id: $id}) SET m.liveUntil = timestamp() - 1', { id })
    expect(await found(type, 'while')).not.toContain(id)
    expect(await found(type, 'while', ['brief'])).not.toContain(id)
  },
)

test.each(types)('a %s search follows a change of content, tags and policy', async type => {
  const [memory] = await remember(service.client, [{ content: 'music of a violin', tags: ['old'] }])
  const id = memory?.id as string
  await service.client.updateMemory({
    id,
    content: 'a hospital with doctors',
    tags: ['new'],
    policy: 'pinned',
  })
  expect((await found(type, 'medicine hospital'))[0]).toBe(id)
  expect(await found(type, 'hospital', ['old'])).toEqual([])
  expect(await found(type, 'hospital', ['new'])).toContain(id)
  if (type === 'keyword') expect(await found(type, 'violin')).toEqual([])
  await service.client.deleteMemory({ id, hard: true })
  expect(await found(type, 'medicine hospital')).not.toContain(id)
})

test('what maintenance archives is out of all searches, and back when the run is undone', async () => {
  const { tenant, client } = service.newTenant()
  await client.createMemory(someMemory({ content: 'A canal boat' }))
  await service.drain(tenant)
  const foundBy = async () => {
    const searches = types.map(search_type => client.searchMemories({ query: 'canal', search_type }))
    return (await Promise.all(searches)).map(({ results }) => results.length)
  }
  await age(service, tenant, 30)
  const { plan_id } = await client.planMaintenance()
  const { run_id, summary } = await client.applyMaintenance({ id: plan_id as string })
  expect(summary).toMatchObject({ archive: 1 })
  expect(await foundBy()).toEqual([0, 0, 0])
  await client.undoMaintenance({ id: run_id })
  expect(await foundBy()).toEqual([1, 1, 1])
})
