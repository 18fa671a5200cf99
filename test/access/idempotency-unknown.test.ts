import { expect, test } from 'vitest'
import { createClient, type ProblemError } from '../../src/client.ts'
import { mnemograph } from '../support/cli.ts'
import { graphql } from '../support/graphql.ts'
import { idOf } from '../support/seed.ts'
import { OPERATOR_KEY, someMemory, withService } from '../support/service.ts'
import { loseFirstAnswer } from '../support/statements.ts'

const service = withService()

/** The database stores it, and its answer never comes. */
const loseAnswer = (fragment = MEMORY) =>
  loseFirstAnswer(service, fragment, () => Promise.reject(new DOMException('no answer', 'TimeoutError')))
const MEMORY = '(m:Memory {tenant: row.tenant, id: row.id})'

const failed = (call: Promise<unknown>): Promise<ProblemError> =>
  call.then(
    () => expect.unreachable('it was answered'),
    error => error,
  )

const storedWith = async (word: string) => {
  const { memories } = await service.client.listMemories({ limit: 200 })
  return memories.filter(({ content }) => content.includes(word)).map(({ content }) => content)
}

const keyed = (key: string | null) => ({ headers: { 'idempotency-key': String(key) } })

test.each([undefined, 'a-key-of-mine'])(
  'a create whose answer was lost names the key of a repeat, which stores nothing twice: key %s',
  async mine => {
    const content = `lost ${mine}`
    const call = (headers: Record<string, string>) =>
      service.client.createMemory(someMemory({ content }), { headers })
    loseAnswer()
    const { status, problem, headers } = await failed(call(mine ? { 'idempotency-key': mine } : {}))
    const key = headers.get('idempotency-key')
    expect([status, problem?.code]).toEqual([503, 'database_unavailable'])
    expect(problem?.detail).toBe(
      `The database did not answer in time. What you sent may have been stored. To store it once, repeat the request with the Idempotency-Key ${key}`,
    )
    expect(key).toMatch(mine ?? /^repeat-[0-9a-f-]{36}$/)
    const { id } = await call(keyed(key).headers)
    expect(await storedWith(content)).toEqual([content])
    expect((await call(keyed(key).headers)).id).toBe(id)
  },
)

test('a batch and turns without times are stored once too, in their order', async () => {
  const memories = ['first of batch', 'second of batch', 'third of batch'].map(content =>
    someMemory({ content }),
  )
  loseAnswer()
  const lost = await failed(service.client.createMemories({ memories }))
  const again = await service.client.createMemories({ memories }, keyed(lost.headers.get('idempotency-key')))
  expect(await storedWith('of batch')).toHaveLength(3)
  expect(again.memories.map(idOf)).toEqual(again.memories.map(idOf).toSorted())
  const turns = ['turn one', 'turn two'].map(text => ({ speaker: 'Ada', text }))
  loseAnswer()
  const { headers } = await failed(service.client.addTurns({ session_id: 'lost', turns }))
  await service.client.addTurns({ session_id: 'lost', turns }, keyed(headers.get('idempotency-key')))
  expect(await storedWith('turn ')).toHaveLength(2)
})

test('GraphQL names the key as well', async () => {
  const create = (more = '') =>
    graphql(
      service,
      `mutation { createMemory(content: "lost in GraphQL", policy: "long_term"${more}) { memory { id } } }`,
    )
  loseAnswer()
  const [fault] = (await create()).errors
  const key = /Idempotency-Key (\S+)/.exec(String(fault?.message))?.[1]
  expect((await create(`, idempotencyKey: "${key}"`)).errors).toEqual([])
  expect(await storedWith('lost in GraphQL')).toHaveLength(1)
})

test('the command line sends a key by itself, another one for each call', async () => {
  const keys: (string | null)[] = []
  const client = createClient({
    baseUrl: service.baseUrl,
    apiKey: OPERATOR_KEY,
    tenant: service.tenant,
    mintKey: () => `minted-${keys.length}`,
    fetch: (url, init) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'))
      return fetch(url, init)
    },
  })
  await client.createMemory(someMemory())
  await client.listMemories()
  await client.createMemory(someMemory(), keyed('mine'))
  expect(keys).toEqual(['minted-0', null, 'mine'])
  for (const _ of [1, 2]) expect((await mnemograph(['add', 'by the command line'], { service })).code).toBe(0)
  loseAnswer()
  const lost = await mnemograph(['add', 'lost by the command line'], { service })
  expect(lost.err).toMatch(/repeat the request with the Idempotency-Key [0-9a-f-]{36}/)
})
