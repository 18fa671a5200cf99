import { expect, test } from 'vitest'
import { graphql } from '../support/graphql.ts'
import { idOf, remember, rememberIds } from '../support/seed.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

async function ask(tenant: string, query: string, variables: Record<string, unknown> = {}) {
  const { data, errors } = await graphql(service, query, { variables, tenant })
  expect(errors).toEqual([])
  return data
}

const contents = (rows: { content: string }[]) => rows.map(({ content }) => content).toSorted()

test('the graph is filtered by metadata, also among related memories and in variables', async () => {
  const { tenant, client } = service.newTenant()
  const [one, , three] = await remember(client, [
    { content: 'one', metadata: { user: 'ada', line: 1 } },
    { content: 'two', metadata: { user: 'ada', line: '1' } },
    { content: 'three', metadata: { metadata: 'ada' } },
  ])
  await client.createConnection({
    source_id: three?.id as string,
    target_id: one?.id as string,
    relationship_type: 'supports',
  })
  const data = await ask(
    tenant,
    `query ($where: MemoryWhere, $meta: JSON) {
      both: memories(where: { metadata: { user: "ada" } }) { content }
      one: memories(where: { metadata: { user: "ada", line: 1 } }) { content }
      not: memories(where: { NOT: { metadata: { user: "ada" } } }) { content }
      or: memories(where: { OR: [{ metadata: { line: "1" } }, { metadata: { metadata: "ada" } }] }) { content }
      and: memories(where: { metadata: { user: "ada" }, AND: [{ content: { eq: "two" } }] }) { content }
      whole: memories(where: $where) { content }
      value: memories(where: { metadata: $meta }) { content }
      related: memories(where: { supports: { some: { metadata: { line: 1 } } } }) { content }
      below: memories(where: { content: { eq: "three" } }) { supports(where: { metadata: $meta }) { content } }
      again: memories(where: { content: { eq: "three" } }) { supports(where: { metadata: { user: "ada" } }) { content } }
    }`,
    { where: { metadata: { line: 1 }, tags: { eq: [] } }, meta: { metadata: 'ada' } },
  )
  expect(contents(data.both)).toEqual(['one', 'two'])
  expect(contents(data.one)).toEqual(['one'])
  expect(contents(data.not)).toEqual(['three'])
  expect(contents(data.or)).toEqual(['three', 'two'])
  expect(contents(data.and)).toEqual(['two'])
  expect(contents(data.whole)).toEqual(['one'])
  expect(contents(data.value)).toEqual(['three'])
  expect(contents(data.related)).toEqual(['three'])
  expect(data.below[0].supports).toEqual([])
  expect(contents(data.again[0].supports)).toEqual(['one'])
  const { count, empty } = await ask(
    tenant,
    `{ count: memoriesConnection(where: { metadata: { user: "ada" } }) { totalCount }
      empty: memories(where: { metadata: {} }) { content } }`,
  )
  expect(count.totalCount).toBe(2)
  expect(empty).toHaveLength(3)
})

test('a filter of metadata without a value, or that is none, is refused', async () => {
  for (const where of [
    '{ metadata: null }',
    '{ metadata: [1] }',
    '{ metadata: { a: { b: 1 } } }',
    '{ NOT: { metadata: null } }',
  ]) {
    const { errors } = await graphql(service, `{ memories(where: ${where}) { id } }`)
    expect(errors[0]?.extensions.code, where).toBe('VALIDATION_FAILED')
  }
  for (const variables of [{ meta: null }, { meta: 1 }]) {
    const { errors } = await graphql(
      service,
      'query ($meta: JSON) { memories(where: { supports: { some: { metadata: $meta } } }) { id } }',
      { variables },
    )
    expect(errors[0]?.extensions.code).toBe('VALIDATION_FAILED')
  }
})

test('what was superseded shows for a time at which it held, and nothing else that is archived', async () => {
  const { tenant, client } = service.newTenant()
  const [old, gone] = (await remember(client, ['The kitten lives in Rome', 'The kitten is small'])).map(
    idOf,
  ) as [string, string]
  await client.createConnection({ source_id: old, target_id: gone, relationship_type: 'supports' })
  const at = new Date().toISOString()
  await client.deleteMemory({ id: gone })
  await client.createMemory(someMemory({ content: 'The kitten lives in Porto', supersedes: [old] }))
  const query = `query ($at: String!) {
    searchMemories(query: "kitten lives", searchType: KEYWORD, validAt: $at) {
      results { memory { id content state supports { content } } }
    }
    getMemory(id: "${old}", recordRecall: false) { id }
  }`
  const past = await ask(tenant, query, { at })
  expect(past.searchMemories.results.map(({ memory }: { memory: unknown }) => memory)).toContainEqual({
    id: old,
    content: 'The kitten lives in Rome',
    state: 'ARCHIVED',
    supports: [],
  })
  for (const { memory } of past.searchMemories.results) expect(memory).not.toBeNull()
  expect(past.getMemory).toBeNull()
  const present = await ask(tenant, query, { at: 'now' })
  expect(contents(present.searchMemories.results.map(({ memory }: { memory: unknown }) => memory))).toEqual([
    'The kitten lives in Porto',
  ])
})

test('a mutation answers the whole memory that it changed, and a version that is over stops it', async () => {
  const { tenant, client } = service.newTenant()
  const [one, two] = await rememberIds(client, ['The door is red', 'The door is blue'])
  const fields = 'id content state version'
  const removed = await ask(
    tenant,
    `mutation { deleteMemory(id: "${one}", ifVersion: 1) { state memory { ${fields} } } }`,
  )
  expect(removed.deleteMemory).toEqual({
    state: 'ARCHIVED',
    memory: { id: one, content: 'The door is red', state: 'ARCHIVED', version: 2 },
  })
  const stale = `mutation { restoreMemory(id: "${one}", ifVersion: 1) { memory { ${fields} } } }`
  const refused = await graphql(service, stale, { tenant })
  expect(refused.errors[0]).toMatchObject({
    path: ['restoreMemory'],
    extensions: { code: 'VERSION_MISMATCH' },
  })
  const restored = await ask(tenant, stale.replace('ifVersion: 1', 'ifVersion: 2'))
  expect(restored.restoreMemory.memory).toMatchObject({ state: 'ACTIVE', version: 3 })
  await client.createConnection({ source_id: one, target_id: two, relationship_type: 'contradicts' })
  const resolve = (version: number) =>
    `mutation { resolveConflict(keepId: "${one}", archiveId: "${two}", ifVersion: ${version}) { kept { ${fields} } archived { ${fields} } } }`
  const late = await graphql(service, resolve(7), { tenant })
  expect(late.errors[0]?.extensions.code).toBe('VERSION_MISMATCH')
  const resolved = await ask(tenant, resolve(1))
  expect(resolved.resolveConflict).toMatchObject({
    kept: { id: one, state: 'ACTIVE' },
    archived: { id: two, state: 'ARCHIVED', version: 2 },
  })
  const wrong = await graphql(
    service,
    `mutation { updateMemory(id: "${one}", importance: 7) { memory { id } } }`,
    { tenant },
  )
  expect(wrong.errors[0]).toMatchObject({
    path: ['updateMemory'],
    extensions: { code: 'VALIDATION_FAILED', errors: [{ pointer: '/importance' }] },
  })
})
