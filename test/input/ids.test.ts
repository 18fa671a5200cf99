import { beforeAll, expect, test } from 'vitest'
import { mnemograph } from '../support/cli.ts'
import { graphql } from '../support/graphql.ts'
import { ask as askMcp } from '../support/mcp.ts'
import { rememberIds } from '../support/seed.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()
let [one, two, ONE, TWO] = ['', '', '', '']

beforeAll(async () => {
  ;[one, two] = await rememberIds(service.client, ['The heron stands', 'The wren hides'])
  ;[ONE, TWO] = [one.toUpperCase(), two.toUpperCase()]
  await service.client.createConnection({ source_id: ONE, target_id: TWO, relationship_type: 'supports' })
})

const found = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), content: 'The heron stands' }

test.each([
  ['node', 'query ($id: ID!) { node(id: $id) { id ... on Memory { content } } }'],
  ['nodes', 'query ($id: ID!) { nodes(ids: [$id]) { id ... on Memory { content } } }'],
  ['getMemory', 'query ($id: ID!) { getMemory(id: $id) { id content } }'],
  ['memories by eq', 'query ($id: ID!) { memories(where: { id: { eq: $id } }) { id content } }'],
  ['memories by in', 'query ($ids: [ID!]!) { memories(where: { id: { in: $ids } }) { id content } }'],
  ['memories by a variable', 'query ($where: MemoryWhere) { memories(where: $where) { id content } }'],
  [
    'memories by the beginning',
    'query ($id: ID!) { memories(where: { id: { startsWith: $id } }) { id content } }',
  ],
  [
    'a connection of pages',
    'query ($id: ID!) { memoriesConnection(where: { id: { eq: $id } }) { edges { node { id content } } } }',
  ],
  [
    'a filter below a memory',
    'query ($two: ID!, $id: ID!) { memories(where: { id: { in: [$two] } }) { supportedBy(where: { id: { eq: $id } }) { id content } } }',
  ],
  [
    'a filter on related memories',
    'query ($two: ID!) { memories(where: { supports: { some: { id: { eq: $two } } } }) { id content } }',
  ],
  ['a default', 'query ($x: ID! = "ONE") { memories(where: { id: { eq: $x } }) { id content } }'],
  ['a text', '{ memories(where: { OR: [{ id: { eq: "ONE" } }] }) { id content } }'],
])('GraphQL finds a memory by its id in capitals: %s', async (_, query) => {
  const all: Record<string, unknown> = { id: ONE, ids: [ONE], two: TWO, where: { id: { eq: ONE } } }
  const variables = Object.fromEntries(Object.entries(all).filter(([name]) => query.includes(`$${name}:`)))
  const { data, errors } = await graphql(service, query.replace('"ONE"', `"${ONE}"`), { variables })
  expect(errors).toEqual([])
  expect(JSON.stringify(data)).toContain(JSON.stringify({ id: one, content: found.content }))
})

test('an id in capitals in metadata or in a content stays as it is', async () => {
  const { id } = await service.client.createMemory(
    someMemory({ content: `About ${ONE}`, metadata: { id: ONE } }),
  )
  const query = `query ($where: MemoryWhere) { memories(where: $where) { id } }`
  for (const where of [{ metadata: { id: ONE } }, { content: { contains: ONE } }])
    expect((await graphql(service, query, { variables: { where } })).data.memories).toEqual([{ id }])
})

test.each([
  ['GET', () => `/memories/${ONE}`],
  ['GET', () => `/memories/${ONE}/history`],
  ['GET', () => `/memories/${ONE}/related`],
  ['GET', () => `/connections?source_id=${ONE}`],
  ['GET', () => `/connections?target_id=${TWO}`],
  ['GET', () => `/graph/path?source_id=${ONE}&target_id=${TWO}`],
  ['DELETE', () => `/connections/${ONE}/${TWO}?relationship_type=related_to`],
  ['PATCH', () => `/memories/${ONE}`],
])('REST finds it: %s %#', async (method, path) => {
  const lower = path().replaceAll(ONE, one).replaceAll(TWO, two)
  const get = async (address: string) => {
    const body = method === 'PATCH' ? { body: JSON.stringify({ importance: 0.7 }) } : {}
    const response = await service.request(address, { method, ...body })
    return {
      status: response.status,
      body: (await response.text()).replaceAll(
        /"(request_id|updated_at|last_\w+|instance|version|recall_count|health)":[^,}]*/g,
        '',
      ),
    }
  }
  expect(await get(path())).toEqual(await get(lower))
})

test('a batch read, MCP and the command line find it', async () => {
  const call = async (name: string, args: object) =>
    JSON.stringify((await askMcp(service, 'tools/call', { name, arguments: args })).result)
  expect(await call('get_memory', { id: ONE })).toContain(found.content)
  expect(await call('related_memories', { id: ONE, direction: 'both' })).toContain('The wren hides')
  expect(await call('find_path', { source_id: ONE, target_id: TWO })).toContain(one)
  const resource = await askMcp(service, 'resources/read', { uri: `memory://${ONE}` })
  expect(JSON.stringify(resource.result)).toContain(found.content)
  expect((await mnemograph(['show', ONE], { service })).out).toContain(found.content)
  const subgraph = await graphql(
    service,
    'query ($ids: [ID!]!) { subgraph(ids: $ids) { nodes { memory { id content } } } }',
    { variables: { ids: [ONE] } },
  )
  expect(JSON.stringify(subgraph.data)).toContain(one)
})
