import { describe, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { ask } from '../support/mcp.ts'
import { idOf } from '../support/seed.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()

type Fields = Partial<Input<'createMemory'>>
const once = (content: string, more: Fields = {}) =>
  service.client.createMemory(someMemory({ content, on_duplicate: 'return', ...more }))

const DAY = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()

/** Whether a batch, and a call after it, each take the second memory for a duplicate of the first. */
async function absorbed(content: string, first: Fields, second: Fields) {
  const memories = [first, second].map(more => someMemory({ content, on_duplicate: 'return', ...more }))
  const batch = await service.clientOf(freshTenant()).createMemories({ memories })
  await once(content, first)
  const alone = await once(content, second)
  return [batch.memories[1]?.duplicate_of !== undefined, alone.duplicate_of !== undefined]
}

describe('the same sentence is stored again', () => {
  test.each<[string, Fields, Fields]>([
    ['from another source', { source: 'crm:1' }, { source: 'crm:2' }],
    ['without the source', { source: 'crm:1' }, {}],
    ['with a source', {}, { source: 'crm:1' }],
    ['in another session', { session_id: 'ada' }, { session_id: 'bob' }],
    ['where the first expires and the second does not', { ttl_seconds: 600 }, {}],
    ['where the first expires earlier', { ttl_seconds: 600 }, { ttl_seconds: 6_000 }],
    ['where the first holds no more', { valid_until: inDays(-1) }, {}],
    ['where the first does not hold yet', { valid_from: inDays(1) }, {}],
    ['where the first stops to hold', { valid_until: inDays(1) }, {}],
    ['where the first stops to hold earlier', { valid_until: inDays(1) }, { valid_until: inDays(2) }],
    ['where the first stops to hold later', { valid_until: inDays(2) }, { valid_until: inDays(1) }],
    ['where the second alone stops to hold', {}, { valid_until: inDays(1) }],
    ['where the second alone holds from a time on', {}, { valid_from: inDays(-1) }],
  ])('%s', async (title, first, second) => {
    expect(await absorbed(`We meet on Monday, ${title}`, first, second)).toEqual([false, false])
  })

  test.each([
    ['with other capitals', 'The key is aB', 'The key is Ab'],
    ['with another indentation', 'if x:\n  y()\n  z()', 'if x:\n  y()\nz()'],
    ['on other lines', 'one two\nthree', 'one\ntwo three'],
  ])('%s', async (_, first, second) => {
    await once(first)
    expect((await once(second)).duplicate_of).toBeUndefined()
    expect((await once(`${second}\t `)).duplicate_of).toBeDefined()
  })

  test('after the memory that had it has expired', async () => {
    const first = await once('The lift is broken', { ttl_seconds: 600 })
    await service.cypher(
      "MATCH (m:Memory {id: $id}) SET m.liveUntil = timestamp() - 1000, m.expiresAt = datetime.realtime('Z') - duration('PT1S')",
      { id: first.id },
    )
    expect((await once('The lift is broken', { ttl_seconds: 600 })).duplicate_of).toBeUndefined()
  })
})

test('a sentence of the same source and session that lasts as long is there already', async () => {
  const who = { source: 'crm:7', session_id: 'ada' }
  expect(await absorbed('Ada likes tea', who, who)).toEqual([true, true])
  expect(
    await absorbed('Ada likes mint', { ...who, ttl_seconds: 6_000 }, { ...who, ttl_seconds: 60 }),
  ).toEqual([true, true])
})

test('what held for the same time is there already, also when that is over or yet to come', async () => {
  const over = { valid_from: inDays(-9), valid_until: inDays(-2) }
  const toCome = { valid_from: inDays(2) }
  expect(await absorbed('The shop was in Rome', over, over)).toEqual([true, true])
  expect(await absorbed('The shop will be in Porto', toCome, toCome)).toEqual([true, true])
})

const kept: [string, Fields[], Fields, number[], number][] = [
  ['is pinned', [{}, { policy: 'pinned' }], {}, [0], 1],
  ['lives longer', [{ ttl_seconds: 3_600 }, {}], { ttl_seconds: 60 }, [0], 1],
  ['was recalled', [{}, {}], {}, [1], 1],
  ['holds for the same time', [{ valid_until: inDays(-1) }, {}], {}, [0], 1],
  ['is the oldest', [{}, {}], {}, [], 0],
]

test.each(kept)(
  'of several that say the same the one stays that %s',
  async (title, fields, asked, recalled, at) => {
    const client = service.clientOf(freshTenant())
    const content = `We meet on Friday, ${title}`
    const { memories } = await client.createMemories({
      memories: fields.map(more => someMemory({ content, ...more })),
    })
    for (const each of recalled) await client.getMemory({ id: memories[each]?.id as string })
    const again = someMemory({ content, ...asked, on_duplicate: 'return' })
    expect((await client.createMemory(again)).duplicate_of).toBe(memories[at]?.id)
    expect((await client.createMemories({ memories: [again] })).memories[0]?.duplicate_of).toBe(
      memories[at]?.id,
    )
  },
)

test('what the memory that is there does not have is named', async () => {
  const first = { tags: ['tea'], metadata: { by: 'ada', page: 1 }, importance: 0.9 }
  await once('Ada drinks tea', first)
  expect((await once('Ada drinks tea', first)).not_stored).toEqual([])
  expect((await once('Ada drinks tea', { tags: ['tea'], metadata: { page: 1 } })).not_stored).toEqual([])
  const more = await once('Ada drinks tea', {
    policy: 'long_term',
    ttl_seconds: 60,
    tags: ['tea', 'drinks'],
    importance: 0.2,
    metadata: { by: 'bob' },
  })
  expect(more.not_stored).toEqual(['policy', 'ttl_seconds', 'tags', 'importance', 'metadata'])
})

test('an agent reads what was not stored', async () => {
  const first = await once('The plant needs water', { policy: 'long_term' })
  const say = async (name: string, args: object) => {
    const { result } = await ask(service, 'tools/call', { name, arguments: args })
    return (result as { content: { text: string }[] }).content[0]?.text
  }
  const memory = { content: 'The plant needs water', tags: ['plant'] }
  expect(await say('create_memory', memory)).toBe(
    `Already stored as ${first.id}. Not stored: tags. To add it, use update_memory.`,
  )
  expect(await say('create_memory', { content: memory.content })).toBe(`Already stored as ${first.id}.`)
  expect(await say('create_memories', { memories: [memory] })).toBe(
    `Stored 0:\n${first.id} (already stored, without its tags)`,
  )
})

test('a repeated request with an idempotency key gets the same answer, also for a duplicate', async () => {
  const first = await once('Sent twice')
  const send = () =>
    service.request('/memories', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'duplicate-sent-twice' },
      body: JSON.stringify(someMemory({ content: 'Sent twice', tags: ['late'], on_duplicate: 'return' })),
    })
  const answers = [await send(), await send()]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const [one, two] = (await Promise.all(answers.map(each => each.json()))) as [object, object]
  expect(one).toMatchObject({ id: first.id, duplicate_of: first.id, not_stored: ['tags'] })
  expect(two).toEqual(one)
})

describe('a create that is a duplicate still supersedes', () => {
  const romeAndPorto = async () => {
    const client = service.clientOf(freshTenant())
    const { memories } = await client.createMemories({
      memories: ['Lives in Rome', 'Lives in Porto'].map(content => someMemory({ content })),
    })
    const [rome, porto] = memories.map(idOf) as [string, string]
    const move = someMemory({ content: 'Lives in Porto', supersedes: [rome], on_duplicate: 'return' })
    const expectMoved = async (by: string) => {
      expect(await client.getMemory({ id: rome, record_recall: false })).toMatchObject({
        state: 'archived',
        archived_reason: 'superseded',
      })
      const { connections } = await client.listConnections({ target_id: rome })
      expect(connections).toMatchObject([
        { source_id: by, connection: { relationship_type: 'contradicts', origin: 'asserted' } },
      ])
    }
    return { client, rome, porto, move, expectMoved }
  }

  test('alone', async () => {
    const { client, porto, move, expectMoved } = await romeAndPorto()
    expect(await client.createMemory(move)).toMatchObject({ id: porto, duplicate_of: porto })
    await expectMoved(porto)
  })

  test('in a batch, and where the batch itself has the text before', async () => {
    const { client, porto, move, expectMoved } = await romeAndPorto()
    const { memories } = await client.createMemories({
      memories: [someMemory({ content: 'Lives in Porto', on_duplicate: 'return' }), move],
    })
    expect(memories.map(each => each.duplicate_of)).toEqual([porto, porto])
    await expectMoved(porto)
    const fresh = await romeAndPorto()
    const twice = await fresh.client.createMemories({
      memories: [
        someMemory({ content: 'Lives in Paris', on_duplicate: 'return' }),
        { ...fresh.move, content: 'Lives in Paris' },
      ],
    })
    expect(new Set(twice.memories.map(idOf)).size).toBe(1)
    await fresh.expectMoved(twice.memories[0]?.id as string)
  })

  test('but not the memory that it replaces: its text is stored again', async () => {
    const { client, rome, porto, expectMoved } = await romeAndPorto()
    const again = await client.createMemory(
      someMemory({ content: 'Lives in Rome', source: 'diary', supersedes: [rome], on_duplicate: 'return' }),
    )
    expect(again).toMatchObject({ source: 'diary' })
    expect([rome, porto]).not.toContain(again.id)
    expect(again.duplicate_of).toBeUndefined()
    await expectMoved(again.id)
    const same = await client.createMemory(
      someMemory({ content: 'Lives in Porto', supersedes: [porto], on_duplicate: 'return' }),
    )
    expect(same.duplicate_of).toBeUndefined()
    expect((await client.getMemory({ id: porto })).state).toBe('archived')
  })
})
