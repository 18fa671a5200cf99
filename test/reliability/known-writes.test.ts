import { expect, test } from 'vitest'
import { retain } from '../../src/service/lifecycle/retention.ts'
import { contextOf } from '../support/lifecycle.ts'
import { someMemory, withService } from '../support/service.ts'
import { loseFirstAnswer } from '../support/statements.ts'

/** In the statement that changes memories. */
const CHANGES = 'SET m += row.set'

const service = withService()
/** Another process: no lock of this one keeps it out. */
const other = withService()

const created = async (content: string) => (await service.client.createMemory(someMemory({ content }))).id
const elsewhere = () => other.clientOf(service.tenant)
const read = (id: string) => service.client.getMemory({ id, record_recall: false })

test.each([
  ['', undefined],
  [' that expects a version', '"1"'],
])('an update%s is made once, also where another one came before its retry', async (_, version) => {
  const id = await created('as it was')
  loseFirstAnswer(service, CHANGES, () => elsewhere().updateMemory({ id, tags: ['other'], importance: 0.9 }))
  const headers: Record<string, string> = version ? { 'if-match': version } : {}
  const updated = await service.client.updateMemory({ id, tags: ['mine'], importance: 0.1 }, { headers })
  expect(updated).toMatchObject({ tags: ['other'], importance: 0.9, version: 3 })
  expect(await read(id)).toMatchObject({ tags: ['other'], version: 3 })
})

test('a memory that is archived and restored before the retry stays restored', async () => {
  const id = await created('archived for a moment')
  loseFirstAnswer(service, CHANGES, () => elsewhere().restoreMemory({ id }))
  await service.client.deleteMemory({ id })
  expect(await read(id)).toMatchObject({ state: 'active', version: 3 })
})

test('a memory that is restored and archived before the retry stays archived', async () => {
  const id = await created('restored for a moment')
  await service.client.deleteMemory({ id })
  loseFirstAnswer(service, CHANGES, () => elsewhere().deleteMemory({ id }))
  await service.client.restoreMemory({ id })
  expect(await read(id)).toMatchObject({ state: 'archived', version: 4 })
})

test('a conflict is resolved once, also where its loser was changed before the retry', async () => {
  const [keep_id, archive_id] = [await created('it is open'), await created('it is closed')]
  await service.client.createConnection({
    source_id: keep_id,
    target_id: archive_id,
    relationship_type: 'contradicts',
  })
  loseFirstAnswer(service, CHANGES, () => elsewhere().restoreMemory({ id: archive_id }))
  await service.client.resolveConflict({ keep_id, archive_id })
  expect(await read(archive_id)).toMatchObject({ state: 'active', version: 3 })
})

test.each([
  ['was restored', 'active', async () => {}],
  ['was restored and archived', 'archived', (id: string) => elsewhere().deleteMemory({ id })],
])(
  'a memory that replaces another one is created once, also where the other %s before the retry',
  async (_, state, more) => {
    const old = await created('the old address')
    loseFirstAnswer(service, CHANGES, async () => {
      await elsewhere().restoreMemory({ id: old })
      await more(old)
    })
    const memory = await service.client.createMemory(
      someMemory({ content: 'the new address', supersedes: [old] }),
    )
    expect(memory.content).toBe('the new address')
    expect(await read(old)).toMatchObject({ state })
  },
)

test('what is known of writes goes with the memory, and after a day', async () => {
  const writesOf = async (id: string) =>
    (await service.cypher('MATCH (w:Write {tenant: $tenant, memoryId: $id}) RETURN w.id AS id', { id }))
      .length
  const [gone, kept] = [await created('gone'), await created('kept')]
  for (const id of [gone, kept]) {
    await service.client.updateMemory({ id, tags: ['a'] })
    await service.client.updateMemory({ id, tags: ['b'] })
    expect(await writesOf(id)).toBe(2)
  }
  await service.client.deleteMemory({ id: gone, hard: true })
  expect(await writesOf(gone)).toBe(0)
  await service.cypher(
    `MATCH (w:Write {tenant: $tenant, memoryId: $id}) WITH w LIMIT 1 SET w.at = w.at - duration('PT24H1S')`,
    { id: kept },
  )
  await retain(contextOf(service, service.tenant))
  expect(await writesOf(kept)).toBe(1)
})
