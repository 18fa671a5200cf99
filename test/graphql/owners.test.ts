import type { GraphQLSchema } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeSchema } from '../../src/api/graphql/schema.ts'
import type { Client } from '../../src/client.ts'
import { privateTenant } from '../../src/contract/private.ts'
import { ask as askAs, graphql, type Json } from '../support/graphql.ts'
import {
  answerTo,
  filters,
  inLanes,
  makeTwin,
  plant,
  quarterOf,
  roots,
  selections,
  type Twin,
} from '../support/isolation.ts'
import { remember, rememberIds } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'
import { ways } from '../support/subscriptions.ts'
import { createOneOfEach, type Names } from '../support/tenant-probes.ts'

/** Anna's private memories in two tenants: in the one ben has everything hidden, in the other he has nothing. */
const service = withService()
let schema: GraphQLSchema
let theirs: Names
let plain: Twin
let planted: Twin
let hidden: string[]
let anna: { key: string; client: Client }
beforeAll(async () => {
  schema = await makeSchema()
  anna = await keyOf(service.tenant)
  const elsewhere = freshTenant()
  plain = await twin(elsewhere, await keyOf(elsewhere))
  planted = await twin(service.tenant, anna)
  const ben = privateTenant(service.tenant, 'ben')
  theirs = await createOneOfEach(service.clientOf(ben), ben, service.clientOf(freshTenant()))
  hidden = await plant(service, anna.client, planted, theirs)
})

async function keyOf(tenant: string, owner = 'anna') {
  const { key } = await service.clientOf(tenant).createKey({ owner, scopes: ['write'] })
  return { key, client: service.clientOf('', key) }
}

const twin = (tenant: string, { key, client }: { key: string; client: Client }) =>
  makeTwin(service, client, { tenant: privateTenant(tenant, 'anna'), key })

test('what another owner has, what is archived and what has expired changes no answer, whatever is planted', async () => {
  const asked = [...quarterOf([...selections(schema), ...filters(schema)]), ...roots(theirs)]
  await inLanes(asked, async question => {
    const [bare, answer] = [
      await answerTo(service, question, plain),
      await answerTo(service, question, planted),
    ]
    expect(answer, question(planted)).toBe(bare)
    for (const id of hidden) expect(answer).not.toContain(id)
  })
})

describe('an owner who reads both', () => {
  let owner: { key: string; client: Client }
  let tenant: string
  let shared: string[]
  let own: string[]
  beforeAll(async () => {
    tenant = freshTenant()
    owner = await keyOf(tenant)
    const team = service.clientOf(tenant)
    const others = await keyOf(tenant, 'ben')
    own = []
    shared = []
    for (const at of [1, 2, 3]) {
      shared.push(...(await rememberIds(team, [`shared note ${at}`])))
      own.push(...(await rememberIds(owner.client, [`private note ${at}`])))
      await remember(others.client, [`hidden note ${at}`])
    }
    for (const [client, ids] of [
      [team, shared],
      [owner.client, own],
    ] as const)
      await client.createConnection({
        source_id: ids[0] as string,
        target_id: ids[1] as string,
        relationship_type: 'supports',
      })
  })

  const ask = (query: string, headers: Record<string, string> = {}): Promise<Json> =>
    askAs(service, query, { key: owner.key, headers })
  const contents = (rows: readonly { content: string }[]) => rows.map(({ content }) => content)
  const inTurn = (...numbers: number[]) => numbers.flatMap(at => [`shared note ${at}`, `private note ${at}`])

  test('gets both from every generated read, in order, page by page, counted and grouped', async () => {
    const first = await ask('{ memories(sort: [{ createdAt: ASC }], limit: 4) { content owner } }')
    expect(contents(first.memories)).toEqual(inTurn(1, 2))
    expect(first.memories.map(({ owner: of }: Json) => of)).toEqual([null, 'anna', null, 'anna'])
    for (const order of ['createdAt: DESC', 'updatedAt: DESC']) {
      const { memories } = await ask(`{ memories(sort: [{ ${order} }], limit: 3) { content } }`)
      expect(contents(memories)).toEqual(inTurn(1, 2, 3).reverse().slice(0, 3))
    }
    const { memories: archivedToo } = await ask(
      'query @includeArchived { memories(sort: [{ createdAt: ASC }]) { content } }',
    )
    expect(contents(archivedToo)).toEqual(inTurn(1, 2, 3))
    const page = '{ totalCount pageInfo { hasNextPage endCursor } edges { node { content } } }'
    const { memoriesConnection: one } = await ask(
      `{ memoriesConnection(first: 4, sort: [{ createdAt: ASC }]) ${page} }`,
    )
    expect(one).toMatchObject({ totalCount: 6, pageInfo: { hasNextPage: true } })
    const { memoriesConnection: two } = await ask(
      `{ memoriesConnection(first: 4, after: "${one.pageInfo.endCursor}", sort: [{ createdAt: ASC }]) ${page} }`,
    )
    expect(contents([...one.edges, ...two.edges].map(({ node }: Json) => node))).toEqual(inTurn(1, 2, 3))
    const { memoriesConnection: counted } = await ask(
      '{ memoriesConnection(where: { owner: { eq: "anna" } }) { aggregate { count { nodes } } } }',
    )
    expect(counted.aggregate.count.nodes).toBe(3)
    const { groupMemories } = await ask('{ groupMemories(by: POLICY) { groups { count } } }')
    expect(groupMemories.groups).toEqual([{ count: 6 }])
  })

  test('reads each by its id, with what hangs on it, and finds what is connected in filters', async () => {
    const nested =
      'content owner supports { content } connections { memory { content owner } } history { version }'
    for (const [ids, word, of] of [
      [own, 'private', 'anna'],
      [shared, 'shared', null],
    ] as const) {
      const wanted = {
        content: `${word} note 1`,
        owner: of,
        supports: [{ content: `${word} note 2` }],
        connections: [{ memory: { content: `${word} note 2`, owner: of } }],
        history: [{ version: 1 }],
      }
      const answer = await ask(
        `{ getMemory(id: "${ids[0]}") { ${nested} embedding { status } }
          node(id: "${ids[0]}") { ... on Memory { ${nested} } }
          memories(where: { content: { startsWith: "${word}" }, supports: { some: { content: { contains: "note" } } } }) { ${nested} } }`,
      )
      expect(answer.getMemory).toMatchObject({ ...wanted, embedding: { status: 'READY' } })
      expect(answer.node).toEqual(wanted)
      expect(answer.memories).toEqual([wanted])
      const past = await ask(
        `{ getMemory(id: "${ids[0]}", asOf: "2999-01-01") { content owner connections { memory { content } } } }`,
      )
      expect(past.getMemory).toEqual({
        content: wanted.content,
        owner: of,
        connections: [{ memory: { content: `${word} note 2` } }],
      })
    }
  })

  test('gets both from searches and lists, each once, and draws both', async () => {
    const seen: string[] = []
    for (let after = ''; ; ) {
      const { listMemoriesConnection: page } = await ask(
        `{ listMemoriesConnection(first: 2${after}, orderBy: CREATED_AT, order: ASC) {
          edges { cursor node { content } } pageInfo { hasNextPage endCursor } } }`,
      )
      seen.push(...contents(page.edges.map(({ node }: Json) => node)))
      if (!page.pageInfo.hasNextPage) break
      after = `, after: "${page.pageInfo.endCursor}"`
    }
    expect(seen).toEqual(inTurn(1, 2, 3))
    const found: string[] = []
    for (let after = ''; ; ) {
      const { searchMemoriesConnection: page } = await ask(
        `{ searchMemoriesConnection(query: "note", searchType: KEYWORD, first: 1${after}) {
          edges { cursor score node { content } } pageInfo { hasNextPage } } }`,
      )
      found.push(...contents(page.edges.map(({ node }: Json) => node)))
      if (!page.pageInfo.hasNextPage) break
      after = `, after: "${page.edges.at(-1).cursor}"`
    }
    expect(found.toSorted()).toEqual(inTurn(1, 2, 3).toSorted())
    const { subgraph } = await ask(
      `{ subgraph(ids: ["${own[0]}", "${shared[0]}"], search: { query: "note 3", searchType: KEYWORD, limit: 2 }) {
        nodes { depth memory { content } } edges { sourceId targetId } truncated } }`,
    )
    const nodes: Json[] = subgraph.nodes
    expect(contents(nodes.map(({ memory }) => memory)).toSorted()).toEqual(inTurn(1, 2, 3).toSorted())
    expect(subgraph.edges).toHaveLength(2)
    expect(subgraph.truncated).toBe(false)
  })

  test('sees one part alone if the request names it', async () => {
    const query = '{ memories(sort: [{ createdAt: ASC }]) { content } }'
    const alone = [1, 2, 3]
    const { memories: inTenant } = await ask(query, { 'x-tenant-id': tenant })
    expect(contents(inTenant)).toEqual(alone.map(at => `shared note ${at}`))
    const { memories: inPrivate } = await ask(query, { 'x-tenant-id': privateTenant(tenant, 'anna') })
    expect(contents(inPrivate)).toEqual(alone.map(at => `private note ${at}`))
    const { errors } = await graphql(service, query, {
      key: owner.key,
      headers: { 'x-tenant-id': privateTenant(tenant, 'ben') },
    })
    expect(errors).toBeDefined()
  })

  test('shows two memories with one id as what they are', async () => {
    const { pieces } = await service.clientOf(tenant).exportBundle({})
    const bundle = await Array.fromAsync(pieces)
    const lines = bundle.join('').trim().split('\n')
    const copy = await keyOf(tenant, 'clara')
    await service.clientOf(privateTenant(tenant, 'clara')).importBundle({ lines })
    const asked = { key: copy.key }
    const { memories } = await askAs(service, '{ memories { id owner } }', asked)
    expect(memories).toHaveLength(6)
    const { listMemories } = await askAs(
      service,
      '{ listMemories { memories { id owner history { version } connections { memory { owner } } } } }',
      asked,
    )
    const of = Object.groupBy(listMemories.memories as Json[], ({ owner }) => String(owner))
    expect(of.clara?.map(({ id }) => id).toSorted()).toEqual(shared.toSorted())
    expect(of.null?.map(({ id }) => id).toSorted()).toEqual(shared.toSorted())
    for (const { owner: whose, connections } of listMemories.memories as Json[])
      for (const { memory } of connections) expect(memory.owner).toBe(whose)
    const { node } = await askAs(service, `{ node(id: "${shared[0]}") { ... on Memory { owner } } }`, asked)
    expect(node).toEqual({ owner: 'clara' })
  })

  test('creates, changes and forgets private memories, which nobody else sees', async () => {
    const create = (fields: string) =>
      ask(`mutation { createMemory(content: "kept in a drawer"${fields}) { memory { id owner } } }`)
    const { createMemory: made } = await create('')
    expect(made.memory).toEqual({ id: expect.any(String), owner: 'anna' })
    const { createMemory: open } = await create(', visibility: SHARED, onDuplicate: STORE')
    expect(open.memory.owner).toBeNull()
    const { id } = made.memory
    const { updateMemory } = await ask(
      `mutation { updateMemory(id: "${id}", importance: 1) { memory { importance owner } } }`,
    )
    expect(updateMemory.memory).toEqual({ importance: 1, owner: 'anna' })
    const team = (await service.clientOf(tenant).createKey({ scopes: ['write', 'delete'] })).key
    const others = await graphql(service, `mutation { deleteMemory(id: "${id}") { id } }`, { key: team })
    expect(others.errors[0]?.extensions.code).toBe('MEMORY_NOT_FOUND')
    const { deleteMemory } = await ask(`mutation { deleteMemory(id: "${id}") { id memory { state owner } } }`)
    expect(deleteMemory).toEqual({ id, memory: { state: 'ARCHIVED', owner: 'anna' } })
    await service.clientOf(tenant).deleteMemory({ id: open.memory.id })
  })

  test.each(Object.keys(ways))(
    'by %s follows the shared changes, or the private ones that it names',
    async way => {
      const subscribe = async (of?: string) => {
        const client = ways[way]?.(service, { key: owner.key, ...(of && { named: of }) })
        const answers = client?.iterate({ query: 'subscription { changes { memory { content owner } } }' })
        return { next: answers?.next(), end: () => client?.dispose() }
      }
      const [following, own_] = [await subscribe(), await subscribe(privateTenant(tenant, 'anna'))]
      const rounds = async (given: Awaited<ReturnType<typeof subscribe>>) => {
        let heard: Json
        void given.next?.then(answer => {
          heard = answer.value
        })
        await expect
          .poll(async () => {
            if (heard) return heard.data.changes.memory
            await owner.client.createMemory({
              content: 'to hear privately',
              policy: 'short_term',
              ttl_seconds: 0,
            })
            await owner.client.createMemory({
              content: 'to hear by all',
              policy: 'short_term',
              ttl_seconds: 0,
              visibility: 'shared',
            })
            return undefined
          })
          .toBeDefined()
        given.end()
        return heard.data.changes.memory
      }
      expect(await rounds(following)).toEqual({ content: 'to hear by all', owner: null })
      expect(await rounds(own_)).toEqual({ content: 'to hear privately', owner: 'anna' })
    },
  )
})
