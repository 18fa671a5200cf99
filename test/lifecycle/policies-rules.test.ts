import { expect, test } from 'vitest'
import { noRules } from '../support/lifecycle.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

const MONTH = 30 * 86_400
const own = { built_in: false, overridden: false }
const builtIn = [
  {
    name: 'short_term',
    health_decay: 8,
    recall_boost: 10,
    importance_decay: 1,
    promote_at_recalls: 3,
    promote_to: 'long_term',
    archive_at_health: 0,
    remove_after_seconds: MONTH,
  },
  {
    ...noRules,
    name: 'long_term',
    health_decay: 2,
    recall_boost: 10,
    importance_decay: 0.995,
    archive_at_health: 0,
  },
  { ...noRules, name: 'pinned' },
].map(policy => ({ ...policy, built_in: true, overridden: false }))

const freshClient = () => service.clientOf(freshTenant())

test('every tenant has short_term, long_term and pinned', async () => {
  expect(await freshClient().listPolicies()).toEqual({ policies: builtIn })
})

test('a tenant defines a policy, changes it and deletes it; what is left out does not happen', async () => {
  const client = freshClient()
  const notes = await client.putPolicy({ name: 'notes', health_decay: 1.5, archive_at_health: 10 })
  expect(notes).toEqual({ ...noRules, ...own, name: 'notes', health_decay: 1.5, archive_at_health: 10 })
  expect((await client.listPolicies()).policies).toEqual([...builtIn, notes])
  const changed = await client.putPolicy({ name: 'notes', recall_boost: 2 })
  expect(changed).toEqual({ ...noRules, ...own, name: 'notes', recall_boost: 2 })
  expect(await freshClient().listPolicies()).toEqual({ policies: builtIn })
  expect(await client.deletePolicy({ name: 'notes' })).toEqual({ name: 'notes', deleted: true })
  expect(await client.listPolicies()).toEqual({ policies: builtIn })
  expect(await problemOf(client.deletePolicy({ name: 'notes' }))).toMatchObject({
    status: 404,
    code: 'policy_not_found',
  })
})

test('a built-in policy is overridden with PUT and returns with DELETE, also while memories use it', async () => {
  const client = freshClient()
  await client.createMemory(someMemory({ policy: 'pinned' }))
  const pinned = { ...noRules, name: 'pinned', built_in: true, overridden: true, health_decay: 1 }
  expect(await client.putPolicy({ name: 'pinned', health_decay: 1 })).toEqual(pinned)
  expect((await client.listPolicies()).policies[2]).toEqual(pinned)
  expect(await client.deletePolicy({ name: 'pinned' })).toMatchObject({ deleted: true })
  expect(await client.listPolicies()).toEqual({ policies: builtIn })
  expect(await problemOf(client.deletePolicy({ name: 'pinned' }))).toMatchObject({ status: 404 })
  expect(await client.putPolicy({ name: 'pinned', health_decay: 1 })).toEqual(pinned)
})

test('a policy that memories, archived ones too, or other policies need is not deleted', async () => {
  const client = freshClient()
  await client.putPolicy({ name: 'notes' })
  await client.putPolicy({ name: 'drafts', promote_to: 'notes', promote_at_recalls: 2 })
  const inUse = { status: 409, code: 'policy_in_use' }
  expect(await problemOf(client.deletePolicy({ name: 'notes' }))).toMatchObject(inUse)
  await client.putPolicy({ name: 'drafts' })
  const { id } = await client.createMemory(someMemory({ policy: 'notes' }))
  await client.deleteMemory({ id })
  expect(await problemOf(client.deletePolicy({ name: 'notes' }))).toMatchObject(inUse)
  await client.deleteMemory({ id, hard: true })
  expect(await client.deletePolicy({ name: 'notes' })).toMatchObject({ deleted: true })
})

test('an override that was taken back needs no policy any more', async () => {
  const client = freshClient()
  await client.putPolicy({ name: 'notes' })
  await client.putPolicy({ name: 'short_term', promote_to: 'notes', promote_at_recalls: 2 })
  await client.deletePolicy({ name: 'short_term' })
  expect(await client.deletePolicy({ name: 'notes' })).toMatchObject({ deleted: true })
})

test.each<[string, object, string]>([
  ['promotes to a policy that there is not', { promote_to: 'nowhere', promote_at_recalls: 1 }, '/promote_to'],
  ['promotes to itself', { promote_to: 'notes', promote_at_recalls: 1 }, '/promote_to'],
  ['promotes without saying when', { promote_to: 'long_term' }, '/promote_to'],
  ['says when to promote, but not to what', { promote_at_recalls: 3 }, '/promote_to'],
  [
    'has no recall to be promoted at',
    { promote_to: 'long_term', promote_at_recalls: 0 },
    '/promote_at_recalls',
  ],
  ['has null for what does not happen', { archive_at_health: null }, '/archive_at_health'],
  ['lets health grow', { health_decay: -1 }, '/health_decay'],
  ['lets importance grow', { importance_decay: 1.01 }, '/importance_decay'],
  ['is archived above full health', { archive_at_health: 101 }, '/archive_at_health'],
  ['is removed before it was archived', { remove_after_seconds: -1 }, '/remove_after_seconds'],
  ['has a rule that is none', { decay: 1 }, '/decay'],
])('a policy that %s is refused', async (_, rules, pointer) => {
  expect(await problemOf(service.client.putPolicy({ name: 'notes', ...rules }))).toMatchObject({
    status: 422,
    pointers: [pointer],
  })
})

test.each(['Notes', '1st', 'a-b', 'ä', 'a'.repeat(65), '%20'])('%s is no name of a policy', async name => {
  const { status } = await problemOf(service.client.putPolicy({ name }))
  expect([400, 422]).toContain(status)
})

test('policies are read with the scope read and changed with admin', async () => {
  const keyOf = async (scope: 'read' | 'write') =>
    service.clientOf(service.tenant, (await service.client.createKey({ scopes: [scope] })).key)
  const [reader, writer] = [await keyOf('read'), await keyOf('write')]
  expect((await reader.listPolicies()).policies).toHaveLength(3)
  expect(await problemOf(writer.putPolicy({ name: 'notes' }))).toMatchObject({ status: 403 })
  expect(await problemOf(writer.deletePolicy({ name: 'pinned' }))).toMatchObject({ status: 403 })
})
