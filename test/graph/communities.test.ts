import { beforeAll, expect, test } from 'vitest'
import { nextToAnalyse, queueAnalysis } from '../../src/store/graph/communities.ts'
import { exported, imported } from '../../tools/bundle-lines.ts'
import { graphql } from '../support/graphql.ts'
import { connectHttp } from '../support/mcp.ts'
import { idOf, numbered, remember, rememberIds } from '../support/seed.ts'
import { freshTenant, OPERATOR_KEY, withService } from '../support/service.ts'

const service = withService()
const caller = () => ({ app: service.app, signal: AbortSignal.timeout(60_000) })

const breads = ['sourdough starter', 'sourdough crust', 'rye sourdough', 'sourdough oven', 'sourdough flour']
const ships = ['anchor chain', 'anchor winch', 'harbour anchor', 'anchor buoy']

let bread: string[]
let ship: string[]
beforeAll(async () => {
  ;({ bread, ship } = await twoSubjects(service.tenant))
  await analyse(service.tenant)
})

/** Two groups of memories, each connected from its first. */
async function twoSubjects(tenant: string) {
  const client = service.clientOf(tenant)
  const bread = await rememberIds(client, breads)
  const ship = await rememberIds(client, ships)
  await service.drain(tenant)
  await service.cypher('MATCH (m:Memory {tenant: $tenant})-[r]-() DELETE r', { tenant })
  await client.createConnections({
    connections: [bread, ship].flatMap(([first, ...rest]) =>
      rest.map(target_id => ({
        source_id: first as string,
        target_id,
        relationship_type: 'part_of' as const,
      })),
    ),
  })
  return { bread, ship }
}

async function analyse(tenant: string) {
  await queueAnalysis(caller(), tenant)
  await service.drain(tenant)
}

test('communities are listed with what they are about, the largest first', async () => {
  const { communities, total, computed_at } = await service.client.listCommunities({})
  expect(total).toBe(2)
  expect(computed_at).toEqual(expect.any(String))
  expect(
    communities.map(({ memories, words, central }) => [memories, words[0], central[0]?.memory_id]),
  ).toEqual([
    [5, 'sourdough', bread[0]],
    [4, 'anchor', ship[0]],
  ])
  expect(communities[0]?.central[0]).toMatchObject({ title: 'sourdough starter', degree: 4 })
  expect(communities[0]?.name).toMatch(/^sourdough, /)
})

test('a community filters lists, searches, contexts, walks and the graph as GraphQL has it', async () => {
  const { community } = await service.client.getMemory({ id: ship[1] as string, record_recall: false })
  const inIt = { community: community as string }
  const { memories } = await service.client.listMemories(inIt)
  expect(memories.map(idOf).toSorted()).toEqual(ship.toSorted())
  for (const search_type of ['semantic', 'keyword', 'hybrid'] as const) {
    const { results } = await service.client.searchMemories({
      query: 'anchor sourdough',
      min_relevance: 0,
      search_type,
      ...inIt,
    })
    expect(results.map(({ memory }) => memory.id).toSorted()).toEqual(ship.toSorted())
  }
  const others = await service.client.listMemories({ none: [inIt] })
  expect(others.memories.map(idOf).toSorted()).toEqual(bread.toSorted())
  const { related } = await service.client.relatedMemories({ id: ship[0] as string, ...inIt })
  expect(related).toHaveLength(3)
  const { data } = await graphql(
    service,
    `{ memories(where: { community: { eq: "${community}" } }, sort: [{ rank: DESC }]) { id community rank degree }
      listCommunities { communities { id central { memory { content } } } } }`,
  )
  expect(data.memories[0]).toMatchObject({ id: ship[0], community, degree: 3 })
  expect(data.memories).toHaveLength(4)
  expect(data.listCommunities.communities[1].central[0].memory.content).toBe('anchor chain')
})

test('a context is filled with what is central to the community of its hits', async () => {
  const ask = { query: 'harbour', record_recall: false, min_relevance: 0.01, diversity: 0 }
  const plain = await service.client.composeContext(ask)
  const wide = await service.client.composeContext({ ...ask, communities: true })
  expect(plain.sources.filter(({ role }) => role === 'community')).toEqual([])
  const added = wide.sources.filter(({ role }) => role === 'community').map(({ memory_id }) => memory_id)
  expect([...plain.sources.map(({ memory_id }) => memory_id), ...added].toSorted()).toEqual(
    expect.arrayContaining(ship.toSorted()),
  )
})

test('an agent reads what its memories are about', async () => {
  await using client = await connected()
  const { contents } = await client.readResource({ uri: 'memory://communities' })
  const [{ text }] = contents as unknown as [{ text: string }]
  expect(text).toContain('## sourdough, ')
  expect(text).toContain(`- ${ship[0]}: anchor chain`)
})

async function connected() {
  const client = await connectHttp('1.x', service)
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

test('another tenant sees none of it', async () => {
  const other = freshTenant()
  const { community } = await service.client.getMemory({ id: ship[1] as string, record_recall: false })
  expect(await service.clientOf(other).listCommunities({})).toEqual({
    communities: [],
    total: 0,
    computed_at: null,
  })
  const { memories } = await service.clientOf(other).listMemories({ community: community as string })
  expect(memories).toEqual([])
})

test('an analysis changes no version, and is no change in the feed', async () => {
  const { version, updated_at, created_at } = await service.client.getMemory({
    id: bread[0] as string,
    record_recall: false,
  })
  expect([version, updated_at]).toEqual([1, created_at])
  const { changes } = await service.client.listChanges({ from: 'oldest', limit: 500 })
  expect(changes.filter(({ kind }) => kind === 'updated')).toEqual([])
})

test('an archived memory leaves its community, and what is erased is in no name', async () => {
  const { tenant, client } = service.newTenant()
  const { bread: loaves } = await twoSubjects(tenant)
  await analyse(tenant)
  const [large, small] = (await client.listCommunities({})).communities
  await client.deleteMemory({ id: loaves[4] as string })
  await analyse(tenant)
  const after = (await client.listCommunities({})).communities
  expect(after.map(({ id, memories }) => [id, memories]).toSorted()).toEqual(
    [
      [large?.id, 4],
      [small?.id, 4],
    ].toSorted(),
  )
  expect(await client.getMemory({ id: loaves[4] as string, record_recall: false })).toMatchObject({
    community: null,
  })
  await client.eraseMemories({ filters: { community: small?.id as string } })
  expect(JSON.stringify(await client.listCommunities({}))).not.toContain('anchor')
})

test('the erasure of a tenant takes its analysis with it', async () => {
  const tenant = freshTenant()
  await twoSubjects(tenant)
  await analyse(tenant)
  await service.client.eraseTenant({ tenant })
  expect(await service.cypher('MATCH (g:GraphAnalysis {tenant: $tenant}) RETURN g', { tenant })).toEqual([])
})

test('a bundle carries the communities, and the next analysis keeps their ids', async () => {
  const { tenant, client } = service.newTenant()
  await imported(client, await exported(service.client, { vectors: true }))
  const { communities: before } = await service.client.listCommunities({})
  await analyse(tenant)
  const { communities: after } = await client.listCommunities({})
  expect(after.map(({ id, memories }) => [id, memories])).toEqual(
    before.map(({ id, memories }) => [id, memories]),
  )
  const again = await imported(client, await exported(service.client), { mode: 'replace' })
  expect(again.totals.memories).toMatchObject({ unchanged: 9, updated: 0 })
})

test('an analysis is due after the first changes, and then after enough of them', async () => {
  const tenant = freshTenant()
  const due = () => nextToAnalyse(caller(), tenant.slice(0, -1))
  const client = service.clientOf(tenant)
  await twoSubjects(tenant)
  await client.listChanges({ from: 'oldest' })
  expect(await due()).toBe(tenant)
  await analyse(tenant)
  await remember(client, ['one more'])
  await client.listChanges({ from: 'oldest' })
  expect(await due()).not.toBe(tenant)
  await remember(client, numbered(20, 'more'))
  await client.listChanges({ from: 'oldest' })
  expect(await due()).toBe(tenant)
})

test('an analysis that has failed with all its attempts is not due again before a day has passed', async () => {
  const { tenant, client } = service.newTenant()
  const due = () => nextToAnalyse(caller(), tenant.slice(0, -1))
  await remember(client, ['one of two', 'two of two'])
  await client.listChanges({ from: 'oldest' })
  await queueAnalysis(caller(), tenant)
  const failed = (hours: number) =>
    service.cypher(
      "MATCH (j:Job {id: 'analyse:' + $of}) SET j.state = 'failed', j.runAt = datetime.realtime('Z') - duration({hours: $hours})",
      { of: tenant, hours },
    )
  await failed(1)
  expect(await due()).not.toBe(tenant)
  await failed(25)
  expect(await due()).toBe(tenant)
})

test('the tenant queries its communities in Cypher', async () => {
  const { rows } = await service.client.runCypher({
    query:
      'MATCH (m:Memory) WHERE m.community IS NOT NULL RETURN m.community AS community, count(*) AS n, max(m.rank) > 1 AS central ORDER BY n',
  })
  expect(rows).toMatchObject([
    { n: 4, central: true },
    { n: 5, central: true },
  ])
})

test('a key that may only read lists the communities', async () => {
  const { key } = await service.client.createKey({ name: 'analyst', scopes: ['read'] })
  const { total } = await service.clientOf('', key).listCommunities({})
  expect(total).toBe(2)
  expect(key).not.toBe(OPERATOR_KEY)
})
