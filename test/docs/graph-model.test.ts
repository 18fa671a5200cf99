import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { relationshipTypes } from '../../src/contract/connections.ts'
import { folderOf } from '../support/cli.ts'
import { exportText } from '../support/graph-export.ts'
import { pythonWithNetworkx } from '../support/python.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const text = readFileSync(new URL('../../docs/reference/graph-model.md', import.meta.url), 'utf8')
const [forTenants = '', forOperators = ''] = text.split('\n### For operators\n')
const queriesIn = (part: string) =>
  Array.from(part.matchAll(/\n([^\n]+):\n\n```cypher\n(.*?)```/gs), ([, title = '', query = '']) => ({
    title,
    query,
  }))
const queries = queriesIn(text)
const networkx = pythonWithNetworkx()
const migrations = new URL('../../schema/migrations/', import.meta.url)
const schema = readdirSync(migrations)
  .map(name => readFileSync(new URL(name, migrations), 'utf8'))
  .join('\n')

const service = withService()
beforeAll(async () => {
  const [first, second, third] = await remember(
    service.client,
    ['The oven was hot', 'The oven was cold', 'Nobody turned it on', 'The oven was hot', 'Unheard of'].map(
      content => ({ content, tags: ['oven', 'kitchen'], ttl_seconds: 3600 }),
    ),
  )
  const [foreign] = await remember(service.clientOf(freshTenant()), ['of another tenant'])
  if (!first || !second || !third || !foreign) throw new Error('nothing was created')
  const connect = service.client.createConnection
  await connect({ source_id: first.id, target_id: second.id, relationship_type: 'contradicts', strength: 1 })
  await connect({ source_id: first.id, target_id: third.id, relationship_type: 'caused_by' })
  await service.client.getMemory({ id: first.id })
  await service.drain()
  await plant(first.id, foreign.id)
})

/** What the service itself does not make: a connection between tenants, and work that failed on its last try. */
const plant = (mine: string, theirs: string) =>
  service.cypher(
    `MATCH (a:Memory {id: $mine}), (b:Memory {id: $theirs})
    CREATE (a)-[:SUPPORTS {key: a.id + ':' + b.id, tenant: $tenant, createdAt: a.createdAt, origin: 'asserted'}]->(b)
    CREATE (:Job {id: 'failed:' + a.id, kind: 'discover', tenant: $tenant, memoryId: a.id, state: 'failed', attempt: 8,
      lastError: 'no answer', createdAt: a.createdAt, runAt: a.createdAt})`,
    { mine, theirs, tenant: service.tenant },
  )

test.each(queries)('the query answers: $title', async ({ query }) => {
  expect(await service.cypher(query, { tenant: service.tenant })).not.toEqual([])
})

test.each(queriesIn(forTenants))('and with the key of a tenant: $title', async ({ query }) => {
  const { rows } = await service.client.runCypher({ query })
  expect(rows).not.toEqual([])
  expect(JSON.stringify(rows)).not.toContain('of another tenant')
})

test.each(queriesIn(forOperators))('a tenant learns nothing from: $title', async ({ query }) => {
  const answer = await service.client.runCypher({ query }).catch(({ status }) => status)
  expect(answer.rows ?? answer).toEqual(answer.rows ? [] : 422)
})

test('there are at least twenty queries to start with', () => {
  expect(queriesIn(forTenants).length).toBeGreaterThanOrEqual(20)
})

test.skipIf(networkx.reason)(
  `the program for NetworkX runs as it stands ${networkx.reason ?? ''}`,
  async () => {
    const folder = folderOf({
      'mnemograph-default.graphml': await exportText(service.client, { format: 'graphml' }),
      'program.py': /```python\n(.*?)```/s.exec(text)?.[1] ?? '',
    })
    const said = execFileSync(networkx.python as string, ['program.py'], { cwd: folder, encoding: 'utf8' })
    expect(said).toContain("['oven', 'kitchen'] The oven was hot")
  },
)

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
