import { expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { graphql, type Json } from '../support/graphql.ts'
import { rememberIds } from '../support/seed.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()

async function ask(query: string, variables: Record<string, unknown> = {}, tenant = service.tenant) {
  const { data, errors } = await graphql(service, query, { variables, tenant })
  expect(errors).toEqual([])
  return data
}

const NODE =
  'query ($id: ID!) { node(id: $id) { __typename id ... on Memory { content supports { content } } } }'
const PAGE = `query ($first: Int, $after: String, $tags: [String!]) {
  listMemoriesConnection(first: $first, after: $after, tags: $tags) {
    edges { cursor node { id content } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`

test('a node is what a connection returned, with everything below it', async () => {
  const [one, two] = await rememberIds(service.client, ['the first', 'the second'])
  await service.client.createConnection({ source_id: one, target_id: two, relationship_type: 'supports' })
  const { edges } = (await ask(PAGE, { first: 2 })).listMemoriesConnection
  for (const { node } of edges) {
    const found = (await ask(NODE, { id: node.id })).node
    expect(found).toMatchObject({ __typename: 'Memory', ...node })
  }
  expect((await ask(NODE, { id: one })).node.supports).toEqual([{ content: 'the second' }])
})

test('nodes come in the order of their ids, with null for what the caller may not see', async () => {
  const [shown, archived] = await rememberIds(service.client, ['shown', 'archived'])
  await service.client.deleteMemory({ id: archived })
  const { id: foreign } = await service.clientOf(freshTenant()).createMemory(someMemory())
  const ids = [archived, 'no id', shown, foreign, shown]
  const query = 'nodes(ids: $ids) { id ... on Memory { content } }'
  const seen = { id: shown, content: 'shown' }
  expect((await ask(`query ($ids: [ID!]!) { ${query} }`, { ids })).nodes).toEqual([
    null,
    null,
    seen,
    null,
    seen,
  ])
  const withArchived = await ask(`query ($ids: [ID!]!) @includeArchived { ${query} }`, { ids })
  expect(withArchived.nodes).toEqual([{ id: archived, content: 'archived' }, null, seen, null, seen])
  const many = await graphql(service, `query ($ids: [ID!]!) { ${query} }`, {
    variables: { ids: Array.from({ length: 201 }, () => shown) },
  })
  expect(many.errors[0]?.extensions.code).toBe('BAD_USER_INPUT')
})

test('a walk has each memory that stays exactly once, whatever is written in the meantime', async () => {
  const { tenant, client } = service.newTenant()
  const rows = Array.from({ length: 90 }, (_, at) => ({ content: `Walked ${at}`, tags: ['walked'] }))
  const ids = await rememberIds(client, rows)
  const staying = ids.filter((_, at) => at % 3 !== 0)
  const leaving = ids.filter((_, at) => at % 3 === 0)
  const seen: string[] = []
  for (let after: string | null = null, more = true; more; ) {
    const page: Json = (await ask(PAGE, { first: 7, after, tags: ['walked'] }, tenant)).listMemoriesConnection
    seen.push(...page.edges.map(({ node }: Json) => node?.id))
    expect(page.pageInfo).toMatchObject({
      hasPreviousPage: after !== null,
      startCursor: page.edges[0].cursor,
      endCursor: page.edges.at(-1).cursor,
    })
    after = page.pageInfo.endCursor
    more = page.pageInfo.hasNextPage
    await client.createMemory(someMemory({ content: 'Newer than all', tags: ['walked'] }))
    for (const id of leaving.splice(0, 2)) await client.deleteMemory({ id })
    await client.updateMemory({ id: staying[seen.length % staying.length] as string, importance: 0.9 })
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen.filter(id => staying.includes(id)).toSorted()).toEqual(staying.toSorted())
})

const walks: Record<string, { page: string; seenOf: (node: Json) => string }> = {
  'a search': {
    page: `query ($after: String) { page: searchMemoriesConnection(query: "walked", searchType: KEYWORD, first: 7, after: $after, tags: ["searched"]) {
      edges { cursor node { id } relevance score } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
    seenOf: ({ id }) => id,
  },
  'the feed': {
    page: `query ($after: String) { page: listChangesConnection(first: 7, after: $after, kinds: [CREATED], filters: { tags: ["searched"] }) {
      edges { cursor node { kind memory { id } } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
    seenOf: ({ memory }) => memory?.id,
  },
  'the connections of a memory': {
    page: `query ($after: String) { page: listConnectionsConnection(sourceId: "HUB", first: 7, after: $after) {
      totalCount edges { cursor node { target { id } relationshipType } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
    seenOf: ({ target }) => target?.id,
  },
}

test.each(Object.entries(walks))(
  'a walk through %s has what stays exactly once, whatever is written in the meantime',
  async (_, { page: query, seenOf }) => {
    const { tenant, client } = service.newTenant()
    const rows = Array.from({ length: 40 }, (_, at) => ({ content: `Walked ${at}`, tags: ['searched'] }))
    const [hub = '', ...ids] = await rememberIds(client, [{ content: 'The hub' }, ...rows])
    await client.createConnections({ connections: ids.map(target_id => ({ source_id: hub, target_id })) })
    const staying = ids.filter((_, at) => at % 4 !== 0)
    const leaving = ids.filter((_, at) => at % 4 === 0)
    const seen: string[] = []
    for (let after: string | null = null, more = true; more; ) {
      const { page }: Json = await ask(query.replace('HUB', hub), { after }, tenant)
      seen.push(...page.edges.map(({ node }: Json) => seenOf(node)).filter((id: string | undefined) => id))
      expect(page.pageInfo.hasPreviousPage).toBe(after !== null)
      expect(page.pageInfo.startCursor).toBe(page.edges[0]?.cursor ?? null)
      after = page.pageInfo.endCursor
      more = page.pageInfo.hasNextPage
      if (seen.length < 35) {
        const { id } = await client.createMemory(someMemory({ content: 'Walked since', tags: ['other'] }))
        await client.createConnection({ source_id: hub, target_id: id })
        for (const gone of leaving.splice(0, 2)) await client.deleteMemory({ id: gone, hard: true })
        await client.updateMemory({ id: staying[seen.length % staying.length] as string, importance: 0.9 })
      }
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter(id => staying.includes(id)).toSorted()).toEqual(staying.toSorted())
  },
)

test('a page starts after any memory, and a cursor belongs to its list and tenant', async () => {
  const { edges } = (await ask(PAGE, { first: 3 })).listMemoriesConnection
  const rest = (await ask(PAGE, { first: 2, after: edges[0].cursor })).listMemoriesConnection
  expect(rest.edges).toEqual(edges.slice(1))
  const foreign = { variables: { first: 2, after: edges[0].cursor }, tenant: freshTenant() }
  for (const options of [foreign, { variables: { first: 2, after: edges[0].cursor, tags: ['other'] } }]) {
    const { errors } = await graphql(service, PAGE, options)
    expect(errors[0]?.extensions.code).toBe('INVALID_CURSOR')
  }
  const tooMany = await graphql(service, PAGE, { variables: { first: 201 } })
  expect(tooMany.errors[0]?.extensions.code).toBe('VALIDATION_FAILED')
})

test('nodes need a key', async () => {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ node(id: "x") { id } }' }),
  })
  await expectProblem(response, 'unauthorized')
})
