import { expect, inject, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { freshTenant, someMemory, startService, withService } from '../support/service.ts'

const database = inject('neo4j')
// One server can be asked for its routing table like a cluster: the driver then keeps bookmarks as it does there.
const routed = { ...database, uri: database.uri.replace(/^bolt/, 'neo4j') }
const service = withService({ database: routed })

const create = () =>
  service.request('/memories', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(someMemory()),
  })
const list = (bookmark: string, headers = {}) =>
  service.request('/memories', { headers: { 'mnemograph-bookmark': bookmark, ...headers } })

test('a write answers a bookmark, and a read that sends it to another process sees the write', async () => {
  const written = await create()
  const bookmark = written.headers.get('mnemograph-bookmark') ?? ''
  expect(bookmark).not.toBe('')
  await using other = await startService({ database: routed })
  const answer = await fetch(`${other.baseUrl}/memories`, {
    headers: {
      authorization: 'Bearer operator-key-of-the-tests',
      'x-tenant-id': service.tenant,
      'mnemograph-bookmark': bookmark,
    },
  })
  const { id } = (await written.json()) as { id: string }
  const { memories } = (await answer.json()) as { memories: { id: string }[] }
  expect(memories.map(memory => memory.id)).toContain(id)
  // The other process has it from then on: all of its sessions begin behind it.
  const known = (await other.app.neo4j.bookmarks?.()) ?? []
  expect(known.length).toBeGreaterThan(0)
})

test('a read answers none', async () => {
  expect((await service.request('/memories')).headers.get('mnemograph-bookmark')).toBeNull()
})

test('a bookmark that is made up, changed, or of another tenant is refused', async () => {
  const bookmark = (await create()).headers.get('mnemograph-bookmark') as string
  expect((await list(bookmark)).status).toBe(200)
  for (const wrong of ['FB:kcwQ', `x${bookmark}`, bookmark.replace('.', '')])
    await expectProblem(await list(wrong), 'validation_failed')
  await expectProblem(await list(bookmark, { 'x-tenant-id': freshTenant() }), 'validation_failed')
})

test('where the database is one server there is none, and one that is sent changes nothing', async () => {
  const bookmark = (await create()).headers.get('mnemograph-bookmark') as string
  await using plain = await startService()
  const headers = {
    authorization: 'Bearer operator-key-of-the-tests',
    'x-tenant-id': service.tenant,
    'content-type': 'application/json',
    'mnemograph-bookmark': bookmark,
  }
  const answer = await fetch(`${plain.baseUrl}/memories`, {
    method: 'POST',
    headers,
    body: JSON.stringify(someMemory()),
  })
  expect(answer.status).toBe(201)
  expect(answer.headers.get('mnemograph-bookmark')).toBeNull()
})

test('reads may go to any member, or to the leader alone where that is set', async () => {
  // A server refuses changes in what is announced as a read: so that is seen here, although there is one server only.
  const change = 'CREATE (n:NobodysLabel) DELETE n'
  await using session = service.app.neo4j.session('READ')
  await expect(session.run(change)).rejects.toMatchObject({ code: 'Neo.ClientError.Statement.AccessMode' })
  const settings = { SERVICE_NEO4J_READS: 'leader' }
  await using leading = await startService({ database: routed, settings })
  await using reading = leading.app.neo4j.session('READ')
  expect((await reading.run(change)).summary.counters.updates().nodesCreated).toBe(1)
})

test('the readiness check counts the members of a cluster without their names, and says nothing for one server', async () => {
  const { checks } = await service.client.getReadiness()
  expect(checks.neo4j.detail).toMatch(/^has a leader; 1 member serves reads$/)
  await using plain = await startService()
  expect((await plain.client.getReadiness()).checks.neo4j.detail).toBeNull()
})
