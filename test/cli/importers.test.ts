import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { folderOf, mnemograph } from '../support/cli.ts'
import { freshTenant, OPERATOR_KEY, someMemory, withService } from '../support/service.ts'

const fixtures = join(import.meta.dirname, '..', 'fixtures')

const service = withService()

type Report = {
  totals: { memories: Record<string, number>; connections: Record<string, number> }
  losses: { what: string; times: number }[]
}

/** Imports into a tenant of its own, first as a trial, then twice. Answers what is there and what was lost. */
async function takeOver(kind: string, source: string, ...more: string[]) {
  const { tenant, client } = service.newTenant()
  const words = [
    'import',
    '--from',
    kind,
    source,
    '--url',
    service.url,
    '--tenant',
    tenant,
    '--json',
    ...more,
  ]
  const trial = await mnemograph([...words, '--dry-run'])
  expect(trial.code).toBe(0)
  expect((await client.getStats()).memories.total).toBe(0)
  const { losses, totals }: Report = JSON.parse((await mnemograph(words)).out)
  expect((JSON.parse(trial.out) as Report).losses).toEqual(losses)
  const again: Report = JSON.parse((await mnemograph(words)).out)
  // A part whose answer was lost is sent again, and finds then what it had made.
  const { created = 0, unchanged = 0 } = totals.memories
  expect(again.totals.memories).toMatchObject({ created: 0, updated: 0, unchanged: created + unchanged })
  expect(again.totals.connections).toMatchObject({ created: 0, updated: 0 })
  const { memories } = await client.listMemories({ limit: 200, include_archived: true })
  const { connections } = await client.listConnections({ limit: 500 })
  const name = (id: string) => memories.find(memory => memory.id === id)?.content.split('\n')[0]
  const edges = connections.map(({ source_id, connection: { target_id, relationship_type } }) =>
    [name(source_id), relationship_type, name(target_id)].join(' | '),
  )
  return { memories, edges: edges.toSorted(), lost: losses.map(({ what, times }) => `${times} × ${what}`) }
}

test('the file of the reference MCP memory server: entities with their observations, and relations', async () => {
  const { memories, edges, lost } = await takeOver('server-memory', join(fixtures, 'server-memory.jsonl'))
  expect(memories.map(({ content, metadata }) => [content, metadata])).toContainEqual([
    'Analytical Engine (machine)\nDesigned by Charles Babbage\nWas never finished',
    { entity: 'Analytical Engine', entity_type: 'machine' },
  ])
  expect(edges).toEqual([
    'Ada Lovelace (person) | related_to | Note G (text)',
    'Note G (text) | part_of | Ada Lovelace (person)',
    'Note G (text) | references | Analytical Engine (machine)',
  ])
  expect(lost).toEqual([
    expect.stringMatching(/^4 × when an entity was made/),
    '1 × the name of relation “wrote”: it becomes related_to',
  ])
})

test('the list of mem0: memories with their times, their metadata and whose they are, and runs as sessions', async () => {
  const { memories, lost } = await takeOver('mem0', join(fixtures, 'mem0.json'))
  expect(memories.map(({ content }) => content).toSorted()).toEqual([
    'I moved to Lisbon in March',
    'Is allergic to walnuts and pecans',
    'Noted: lives in Lisbon',
    'Prefers tea over coffee',
  ])
  expect(memories.find(({ content }) => content.startsWith('Prefers'))).toMatchObject({
    tags: [],
    session_id: null,
    metadata: { category: 'preferences', confidence: 0.9, user_id: 'alice', role: 'user' },
    created_at: '2026-11-21T18:51:54.318Z',
  })
  expect(memories.find(({ content }) => content.startsWith('I moved'))).toMatchObject({
    session_id: 'trip',
    metadata: { user_id: 'alice', agent_id: 'helper', role: 'user' },
  })
  expect(lost).toEqual([])
})

test('a folder of basic-memory: notes with tags, relations and links', async () => {
  const { memories, edges, lost } = await takeOver('basic-memory', join(fixtures, 'basic-memory'))
  expect(memories.find(({ content }) => content.startsWith('# Coffee'))).toMatchObject({
    tags: ['coffee', 'brewing', 'filter', 'temperature'],
    source: 'drinks/Coffee brewing.md',
    metadata: { type: 'note', permalink: 'notes/drinks/coffee-brewing' },
    content: expect.stringContaining('- [tip] Water at 93 °C #temperature'),
  })
  expect(edges).toEqual([
    '# Coffee brewing | part_of | # Morning routine',
    '# Coffee brewing | references | # Morning routine',
    '# Coffee brewing | related_to | # Grinder',
    '# Grinder | supports | # Coffee brewing',
  ])
  expect(lost).toEqual([
    '3 × the category of an observation as a field: it stays in the text',
    '1 × drinks/Coffee brewing.md: the link to “Chocolate”, which leads to no note; it stays in the text',
    '1 × the name of relation “requires”: it becomes related_to',
    '1 × the name of relation “inspired by”: it becomes related_to',
    '1 × a second relation of one type between the same two',
  ])
})

test('the graph of Graphiti: facts between entities, from episodes, those that expired archived', async () => {
  const group = `g-${randomUUID()}`
  await plant(group)
  const secret = join(folderOf({}), 'password')
  const { uri, username, password } = inject('neo4j')
  writeFileSync(secret, password)
  const { memories, edges, lost } = await takeOver(
    'graphiti',
    uri,
    '--group',
    group,
    '--source-user',
    username,
    '--source-secret',
    secret,
  )
  expect(memories.find(({ content }) => content.startsWith('Kamala worked'))).toMatchObject({
    state: 'archived',
    archived_at: '2026-03-04T12:00:00.000Z',
    archived_reason: 'superseded',
    tags: ['fact', 'WORKED_AT'],
    metadata: { group_id: group, source_entity: 'Kamala', target_entity: 'City Bank' },
    valid_from: '2026-03-01T12:00:00.000Z',
    valid_until: '2026-03-03T12:00:00.000Z',
  })
  expect(edges).toEqual([
    'Call 12 | references | Kamala',
    'Kamala left City Bank | derived_from | Call 12',
    'Kamala left City Bank | references | City Bank',
    'Kamala left City Bank | references | Kamala',
    'Kamala worked at City Bank until March | derived_from | Call 12',
    'Kamala worked at City Bank until March | references | City Bank',
    'Kamala worked at City Bank until March | references | Kamala',
    'Kamala | part_of | Banking',
  ])
  expect(lost).toEqual(['6 × embeddings of another model: they are computed again'])
  const words = ['import', '--from', 'graphiti', uri, '--source-user', username, '--source-secret', secret]
  expect(await mnemograph([...words, '--database', 'elsewhere'], { service })).toMatchObject({
    code: 65,
    err: 'There is no database “elsewhere” in that Neo4j: give --database.\n',
  })
  await service.cypher('MATCH (n {group_id: $group}) DETACH DELETE n', { group })
})

test('a service with the specified interface: what its list and its walks return', async () => {
  const origin = service.clientOf(freshTenant())
  const { memories } = await origin.createMemories({
    memories: [someMemory({ content: 'one', tags: ['a'] }), someMemory({ content: 'two' })],
  })
  const [one, two] = memories.map(({ id }) => id) as [string, string]
  await origin.createConnection({
    source_id: one,
    target_id: two,
    relationship_type: 'supports',
    strength: 0.5,
  })
  const secret = join(folderOf({}), 'key')
  writeFileSync(secret, (await origin.createKey({ scopes: ['read'] })).key)
  const taken = await takeOver('service', service.url, '--source-secret', secret)
  expect(taken.memories.map(({ content, tags }) => [content, tags]).toSorted()).toEqual([
    ['one', ['a']],
    ['two', []],
  ])
  expect(taken.edges).toEqual(['one | supports | two'])
  expect(taken.lost).toHaveLength(1)
})

test('what is not of the tool it is said to be of is refused in words, entry by entry', async () => {
  const where = ['--url', service.url, '--api-key', OPERATOR_KEY]
  const file = join(fixtures, 'server-memory.jsonl')
  expect(await mnemograph(['import', '--from', 'mem0', file, ...where])).toMatchObject({
    code: 65,
    err: expect.stringContaining('Nothing can be imported. Expected: memories of mem0'),
  })
  expect(await mnemograph(['import', '--from', 'notion', file, ...where])).toMatchObject({ code: 64 })
})

/** Puts the graph that Graphiti made into the database of the run, as a group of its own. */
async function plant(group: string) {
  const { nodes, relationships } = JSON.parse(readFileSync(join(fixtures, 'graphiti.json'), 'utf8'))
  const times = `SET each += properties, each.group_id = $group
    FOREACH (name IN keys(times) | SET each[name] = datetime(times[name]))`
  const split = (row: { properties: Record<string, unknown> }) => {
    const isTime = (value: unknown): value is { $time: string } =>
      value !== null && typeof value === 'object' && '$time' in value
    const entries = Object.entries(row.properties)
    return {
      ...row,
      times: Object.fromEntries(
        entries.flatMap(([name, value]) => (isTime(value) ? [[name, value.$time]] : [])),
      ),
      properties: Object.fromEntries(entries.filter(([, value]) => !isTime(value))),
    }
  }
  await service.cypher(
    `UNWIND $rows AS row CREATE (each:$(row.labels)) WITH each, row.properties AS properties, row.times AS times ${times}`,
    { group, rows: nodes.map(split) },
  )
  await service.cypher(
    `UNWIND $rows AS row MATCH (a {uuid: row.source, group_id: $group}) MATCH (b {uuid: row.target, group_id: $group})
     CREATE (a)-[each:$(row.type)]->(b) WITH each, row.properties AS properties, row.times AS times ${times}`,
    { group, rows: relationships.map(split) },
  )
}
