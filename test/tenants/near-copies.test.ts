import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import type { Memory } from '../../src/contract/memory.ts'
import { copyTenant } from '../support/copied-tenant.ts'
import { idOf, remember } from '../support/seed.ts'
import { freshTenant, type TestService, withService } from '../support/service.ts'

/** MNEMOGRAPH_TEST_COPIES=1000 makes as many of each memory. */
const copies = Number(process.env.MNEMOGRAPH_TEST_COPIES ?? 250)

/** A tenant of 20 memories next to 5,000 of another, made to look like its own. */
const service = withService()
const removals: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  await furnish(service)
})
afterAll(async () => {
  for (const remove of removals) await remove()
})

test(`${20 * copies} near copies in another tenant, and among private memories of an owner, change no answer`, {
  timeout: 300_000,
}, async () => {
  const questions = [...(await questionsFor(service.client)), ...(await questionsOfOwner())]
  const alone = await answers(questions)
  expect(questions.length).toBeGreaterThan(150)
  for (const into of [freshTenant(), `${service.tenant}~ben`])
    removals.push(await copyTenant(service, { into, copies: Math.ceil(copies / 2) }))
  const withCopies = await answers(questions)
  for (const [at, { name }] of questions.entries()) expect(withCopies[at], name).toEqual(alone[at])
})

/** 20 memories of all kinds, some alike to the letter, with connections. */
async function furnish({ client, drain }: TestService) {
  const contents = ['cat', 'cat', 'cat', 'kitten purr', 'a truck engine', 'truck and cat', 'oven for bread']
  const memories = await remember(
    client,
    Array.from({ length: 20 }, (_, at) => ({
      content: at < 14 ? (contents[at % 7] as string) : `music of guitar number ${at}`,
      tags: [`t${at % 3}`, 'all'],
      policy: at % 4 === 0 ? 'pinned' : 'short_term',
      importance: (at % 5) / 4,
    })),
  )
  await drain()
  const [first, second, third, , , , , , , last] = memories.map(idOf) as [string, string, string, ...string[]]
  await client.createConnection({ source_id: first, target_id: last as string, strength: 0.4 })
  await client.createConnection({ source_id: second, target_id: third, relationship_type: 'supports' })
  await client.deleteMemory({ id: memories[19]?.id as string })
}

/** An owner with some private memories, who asks the shared ones too. */
async function questionsOfOwner(): Promise<Question[]> {
  const { key } = await service.client.createKey({ owner: 'anna' })
  const anna = service.clientOf('', key)
  await remember(anna, ['cat', 'a truck of mine', 'bread that I like', 'kitten purr'])
  await service.drain(`${service.tenant}~anna`)
  return [...searches(anna), ...lists(anna)].map(({ name, ask }) => question(`anna: ${name}`, ask))
}

type Question = { name: string; ask: () => Promise<unknown> }

async function questionsFor(client: Client): Promise<Question[]> {
  const { memories } = await client.listMemories({ limit: 200, include_archived: true, order: 'asc' })
  return [
    ...searches(client),
    ...lists(client),
    ...memories.flatMap(memory => walks(client, memory, memories[3]?.id as string)),
    question('connections', () => client.listConnections({ limit: 500 })),
    question('discovered connections', () => client.listConnections({ origin: 'discovered', limit: 3 })),
    question('jobs', () => client.listJobs({})),
    question('stats', () => client.getStats()),
  ]
}

function searches(client: Client): Question[] {
  const queries = [
    'cat',
    'truck',
    'cat truck bread guitar',
    'number 15',
    'purr',
    'nothing of this',
    'canary',
    '*',
  ]
  const filters = [
    { limit: 1 },
    { limit: 2 },
    { limit: 4 },
    { limit: 200 },
    { tags: ['t1'], limit: 3 },
    { tags: ['t1', 't2'], tags_match: 'any' as const, policy: 'pinned' },
    { min_importance: 0.5, min_score: 0.2, limit: 5 },
  ]
  return (['semantic', 'keyword', 'hybrid'] as const).flatMap(search_type =>
    queries.flatMap(query =>
      filters.map(filter =>
        question(`${search_type} ${query} ${JSON.stringify(filter)}`, () =>
          client.searchMemories({ query, search_type, explain: true, ...filter }),
        ),
      ),
    ),
  )
}

function lists(client: Client): Question[] {
  const orderings = ['created_at', 'updated_at', 'importance', 'health', 'last_recalled_at'] as const
  return orderings.flatMap(order_by =>
    (['asc', 'desc'] as const).flatMap(order =>
      [{}, { include_archived: true }, { tags: ['t1'] }, { policy: 'pinned', limit: 2 }].map(filter =>
        question(`list ${order_by} ${order} ${JSON.stringify(filter)}`, () =>
          client.listMemories({ order_by, order, limit: 7, ...filter }),
        ),
      ),
    ),
  )
}

const walks = (client: Client, { id }: Memory, target: string): Question[] => [
  question(`related to ${id}`, () => client.relatedMemories({ id, depth: 3, direction: 'both', limit: 100 })),
  ...(id === target
    ? []
    : [question(`path from ${id}`, () => client.findPath({ source_id: id, target_id: target }))]),
  question(`memory ${id}`, () => client.getMemory({ id, record_recall: false, include_embedding: true })),
]

const question = (name: string, ask: () => Promise<unknown>): Question => ({ name, ask })

async function answers(questions: readonly Question[]): Promise<unknown[]> {
  const given: unknown[] = []
  for (let at = 0; at < questions.length; at += 8)
    given.push(...(await Promise.all(questions.slice(at, at + 8).map(({ ask }) => ask()))))
  return given
}
