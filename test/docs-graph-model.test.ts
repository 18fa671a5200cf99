import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { relationshipTypes } from '../src/contract/connections.ts'
import { someMemory, startService, type TestService } from './support/service.ts'

const text = readFileSync(new URL('../docs/graph-model.md', import.meta.url), 'utf8')
const queries = Array.from(
  text.matchAll(/\n([^\n]+):\n\n```cypher\n(.*?)```/gs),
  ([, title = '', query = '']) => ({
    title,
    query,
  }),
)
const migrations = new URL('../schema/migrations/', import.meta.url)
const schema = readdirSync(migrations)
  .map(name => readFileSync(new URL(name, migrations), 'utf8'))
  .join('\n')

let service: TestService
beforeAll(async () => {
  service = await startService()
  const [first, second, third] = await Promise.all(
    ['The oven was hot', 'The oven was cold', 'Nobody turned it on'].map(content =>
      service.client.createMemory(someMemory({ content, tags: ['oven'], ttl_seconds: 3600 })),
    ),
  )
  if (!first || !second || !third) throw new Error('nothing was created')
  const connect = service.client.createConnection
  await connect({ source_id: first.id, target_id: second.id, relationship_type: 'contradicts', strength: 1 })
  await connect({ source_id: first.id, target_id: third.id, relationship_type: 'caused_by' })
  await service.client.getMemory({ id: first.id })
  await service.drain()
})
afterAll(() => service?.[Symbol.asyncDispose]())

const nothingHere = [
  'that nothing is connected to',
  'Work that failed',
  'Who breaks the rule',
  'discovered last',
]

test.each(queries)('the query answers: $title', async ({ title, query }) => {
  const rows = await service.cypher(query, { tenant: service.tenant })
  if (!nothingHere.some(part => title.includes(part))) expect(rows).not.toEqual([])
})

test('there are queries to start with', () => {
  expect(queries.length).toBeGreaterThan(8)
})

test('every property of a memory and of a connection is described', async () => {
  const [row] = await service.cypher<{ ofMemories: string[]; ofConnections: string[] }>(
    `MATCH (m:Memory)-[r]->() WHERE m.tenant = $tenant
    UNWIND keys(m) AS mine UNWIND keys(r) AS its
    RETURN collect(DISTINCT mine) AS ofMemories, collect(DISTINCT its) AS ofConnections`,
    { tenant: service.tenant },
  )
  const names = [...(row?.ofMemories ?? []), ...(row?.ofConnections ?? [])]
  expect(names).toContain('content')
  const undescribed = names.filter(
    name => !text.includes(`\`${name.replace(/_[0-9a-f]{12}$/, '_<space>')}\``),
  )
  expect(undescribed).toEqual([])
})

test('every label, relationship type and index over memories is described', () => {
  const labels = Array.from(schema.matchAll(/FOR \(\w+:(\w+)\)/g), ([, label]) => `\`${label}\``)
  const indexes = Array.from(
    schema.matchAll(/(?:INDEX|CONSTRAINT) (memory_\w+)/g),
    ([, name]) => `\`${name}\``,
  )
  const types = relationshipTypes.map(type => type.toUpperCase())
  for (const name of [...labels, ...indexes, ...types].filter(each => each !== '`Memory`'))
    expect(text).toContain(name)
})
