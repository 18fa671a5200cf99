import { expect, test } from 'vitest'
import { freshTenant, problemOf, startService, withService } from '../support/service.ts'

const service = withService()

const session_id = 'chat / 2026-11-20'
const said = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({
    speaker: at % 2 === 0 ? 'Ada' : 'assistant',
    text: `Turn ${from + at} of the talk`,
    time: new Date(Date.UTC(2026, 10, 20, 9, 0, from + at)).toISOString(),
  }))

test('a conversation is stored in one call, each turn with its session, speaker and time', async () => {
  const client = service.clientOf(freshTenant())
  const turns = said(3)
  const answer = await client.addTurns({ session_id, turns, tags: ['talk'], source: 'a-host' })
  expect(answer).toMatchObject({ session_id, stored: 3 })
  const { memories } = await client.listMemories({ session_id })
  const ids = answer.turns.map(({ id }) => id)
  expect(new Set(memories.map(({ id }) => id))).toEqual(new Set(ids))
  expect(ids.toSorted()).toEqual(ids)
  expect(await client.getMemory({ id: ids[1] as string })).toMatchObject({
    content: 'Turn 1 of the talk',
    speaker: 'assistant',
    session_id,
    kind: 'turn',
    valid_from: turns[1]?.time,
    tags: ['talk'],
    source: 'a-host',
    policy: 'long_term',
  })
})

test('a conversation that has grown is sent again whole, and only what is new is stored', async () => {
  const client = service.clientOf(freshTenant())
  const first = await client.addTurns({ session_id, turns: said(4) })
  const again = await client.addTurns({ session_id, turns: said(6) })
  expect(again.turns.map(({ stored }) => stored)).toEqual([false, false, false, false, true, true])
  expect(again.turns.slice(0, 4).map(({ id }) => id)).toEqual(first.turns.map(({ id }) => id))
  expect((await client.listMemories({ session_id })).memories).toHaveLength(6)
  const another = await client.addTurns({ session_id: 'another', turns: said(4) })
  expect(another.stored).toBe(4)
})

test('calls at the same time store each turn once', async () => {
  const client = service.clientOf(freshTenant())
  await Promise.all(Array.from({ length: 4 }, () => client.addTurns({ session_id, turns: said(20) })))
  expect((await client.listMemories({ session_id, limit: 200 })).memories).toHaveLength(20)
})

test('equal turns at one time in one call are two, and turns without a time are always stored', async () => {
  const client = service.clientOf(freshTenant())
  const time = '2026-11-20T09:00:00Z'
  const yes = { speaker: 'Ada', text: 'Yes' }
  const twice = {
    session_id,
    turns: [
      { ...yes, time },
      { ...yes, time },
    ],
  }
  expect((await client.addTurns(twice)).stored).toBe(2)
  expect((await client.addTurns(twice)).stored).toBe(0)
  expect((await client.addTurns({ session_id, turns: [yes] })).stored).toBe(1)
  expect((await client.addTurns({ session_id, turns: [yes] })).stored).toBe(1)
})

test('what was changed or archived in the meantime stays as it is', async () => {
  const client = service.clientOf(freshTenant())
  const { turns } = await client.addTurns({ session_id, turns: said(2) })
  const [one, two] = turns.map(({ id }) => id) as [string, string]
  await client.updateMemory({ id: one, content: 'Corrected' })
  await client.deleteMemory({ id: two })
  expect((await client.addTurns({ session_id, turns: said(2) })).stored).toBe(0)
  expect(await client.getMemory({ id: one })).toMatchObject({ content: 'Corrected' })
  expect(await client.getMemory({ id: two })).toMatchObject({ state: 'archived' })
})

test('a turn with a secret is marked, or all are refused where secrets are', async () => {
  const turns = [...said(1), { speaker: 'Ada', text: 'The password is tr0ub4dor&3.' }]
  const client = service.clientOf(freshTenant())
  const answer = await client.addTurns({ session_id, turns })
  expect(answer.turns.map(({ sensitive }) => sensitive)).toEqual([[], ['password']])
  await using refusing = await startService({ settings: { SERVICE_SECRETS: 'refuse' } })
  const problem = await problemOf(refusing.client.addTurns({ session_id, turns }))
  expect(problem.pointers).toEqual(['/turns/1/content'])
  expect((await refusing.client.listMemories({})).memories).toEqual([])
})

test('a memory keeps who said it, through patches, versions and bundles', async () => {
  const client = service.clientOf(freshTenant())
  const { turns } = await client.addTurns({ session_id, turns: said(1) })
  const id = turns[0]?.id as string
  expect((await client.updateMemory({ id, speaker: 'Grace' })).speaker).toBe('Grace')
  expect((await client.updateMemory({ id, clear: ['speaker'] })).speaker).toBeNull()
  expect((await client.revertMemory({ id, version: 1 })).speaker).toBe('Ada')
})
