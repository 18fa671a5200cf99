import { expect, test } from 'vitest'
import { ask } from '../support/mcp.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()

test('without a question the text has what is pinned, in conflict, used most and newest, each once', async () => {
  const { tenant, client } = service.newTenant()
  const store = async (content: string, fields = {}) =>
    (await client.createMemory(someMemory({ content, ...fields }))).id
  const pinned = await store('The user writes in British English', { policy: 'pinned' })
  const used = await store('Checkout is deployed from the branch release')
  const [old, now] = [await store('The standup is at nine'), await store('The standup is at ten')]
  await client.createConnection({ source_id: now, target_id: old, relationship_type: 'contradicts' })
  for (let at = 0; at < 30; at++) await store(`A passing remark, number ${at}`)
  await client.getMemory({ id: used })
  const context = await client.composeContext({ max_tokens: 2_000 })
  const roles = Object.fromEntries(context.sources.map(({ memory_id, role }) => [memory_id, role]))
  expect(roles).toMatchObject({
    [pinned]: 'pinned',
    [used]: 'used',
    [now]: 'conflict',
    [old]: 'contradiction',
  })
  expect(context.sources[0]?.memory_id).toBe(pinned)
  expect(Object.values(roles)).toContain('recent')
  expect(new Set(Object.keys(roles)).size).toBe(context.sources.length)
  expect(context.tokens).toBeLessThanOrEqual(2_000)
  expect((await client.composeContext({ max_tokens: 2_000 })).text).toBe(context.text)
  expect((await client.getMemory({ id: pinned, record_recall: false })).recall_count).toBe(0)
  const resource = await ask({ url: service.url, tenant }, 'resources/read', { uri: 'memory://context' })
  expect(resource.result?.contents).toEqual([expect.objectContaining({ text: context.text })])
})

test('filters narrow it to a project or a session', async () => {
  const client = service.clientOf(freshTenant())
  const of = (project: string) => ({ metadata: { project } })
  const mine = await client.createMemory(someMemory({ content: 'Mine', ...of('mine'), session_id: 's1' }))
  await client.createMemory(someMemory({ content: 'Theirs', ...of('theirs') }))
  const pinned = await client.createMemory(someMemory({ content: 'For all', policy: 'pinned' }))
  const idsOf = async (filters: object) =>
    (await client.composeContext(filters)).sources.map(({ memory_id }) => memory_id)
  expect(await idsOf(of('mine'))).toEqual([mine.id])
  expect(await idsOf({ session_id: 's1' })).toEqual([mine.id])
  expect(await idsOf({ any: [of('mine'), { policy: 'pinned' }] })).toEqual([pinned.id, mine.id])
})

test('in an empty tenant it says that nothing is remembered', async () => {
  const { text, sources } = await service.clientOf(freshTenant()).composeContext({})
  expect({ text, sources }).toEqual({ text: 'Nothing is remembered about this.', sources: [] })
})
