import { expect, test } from 'vitest'
import { bundleLines } from '../../tools/bundle-lines.ts'
import { ask, graphql, type Json } from '../support/graphql.ts'
import { declared } from '../support/graphql-contract.ts'
import { idOf, remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()
const done = new Set<string>()

test('every operation answers as it should, one after another', async () => {
  await askForMemories()
  await askAsOperator()
  expect([...done].toSorted()).toEqual([...declared].toSorted())
})

async function askForMemories() {
  const created = await run(
    'createMemory',
    '(content: "cat one", tags: ["a"])',
    '{ memory { id content policy ttlSeconds tags state version embedding { status } } }',
  )
  expect(created.memory).toMatchObject({
    content: 'cat one',
    policy: 'long_term',
    ttlSeconds: 0,
    tags: ['a'],
    state: 'ACTIVE',
    version: 1,
    embedding: { status: 'READY' },
  })
  const one = created.memory.id
  const { memories } = await run(
    'createMemories',
    '(memories: [{ content: "cat two" }, { content: "truck", policy: "short_term" }])',
    '{ memories { id policy } }',
  )
  expect(memories.map(({ policy }: Json) => policy)).toEqual(['long_term', 'short_term'])
  const [two, three] = memories.map(idOf)
  expect(
    (
      await run(
        'updateMemory',
        `(id: "${one}", content: "cat one again", ifVersion: 1)`,
        '{ memory { content version } }',
      )
    ).memory,
  ).toEqual({ content: 'cat one again', version: 2 })
  const { connection } = await run(
    'createConnection',
    `(sourceId: "${one}", targetId: "${two}", relationshipType: CAUSED_BY, strength: 0.5)`,
    '{ connection { relationshipType strength origin source { content } target { id } } }',
  )
  expect(connection).toEqual({
    relationshipType: 'CAUSED_BY',
    strength: 0.5,
    origin: 'ASSERTED',
    source: { content: 'cat one again' },
    target: { id: two },
  })
  const { connections } = await run(
    'createConnections',
    `(connections: [{ sourceId: "${one}", targetId: "${two}", relationshipType: CAUSED_BY }])`,
    '{ connections { relationshipType strength origin source { content } target { id } } }',
  )
  expect(connections).toEqual([connection])
  expect((await run('getMemory', `(id: "${one}")`, '{ recallCount }')).recallCount).toBe(1)
  expect(
    (
      await run('listMemories', '(orderBy: CREATED_AT, order: ASC)', '{ memories { id } hasMore limit }')
    ).memories
      .map(idOf)
      .toSorted(),
  ).toEqual([one, two, three].toSorted())
  expect(
    (await run('searchMemories', '(query: "cat", searchType: HYBRID)', '{ searchType results { score } }'))
      .searchType,
  ).toBe('HYBRID')
  const context = '{ text sources { number role memory { id } } leftOut }'
  expect((await run('composeContext', '(query: "cat", maxTokens: 500)', context)).sources[0]).toMatchObject({
    number: 1,
    role: 'HIT',
  })
  expect((await run('relatedMemories', `(id: "${one}")`, '{ related { memory { id } } }')).related).toEqual([
    { memory: { id: two } },
  ])
  expect(
    (
      await run(
        'findPath',
        `(sourceId: "${one}", targetId: "${two}")`,
        '{ paths { length memories { id } connections { sourceId } } }',
      )
    ).paths,
  ).toEqual([{ length: 1, memories: [{ id: one }, { id: two }], connections: [{ sourceId: one }] }])
  expect(
    (await run('listConnections', '(origin: ASSERTED)', '{ total connections { targetId } }')).connections,
  ).toEqual([{ targetId: two }])
  expect((await run('listCommunities', '', '{ communities { id } }')).communities).toEqual([])
  const counted = await run('listInsightMemories', '(figure: UNCONNECTED)', '{ memories { memory { id } } }')
  expect(counted.memories).toHaveLength(1)
  expect(
    await run(
      'runCypher',
      '(query: "MATCH (m) RETURN count(m) > 0 AS some")',
      '{ columns rows truncated plan { operator } }',
    ),
  ).toEqual({ columns: ['some'], rows: [{ some: true }], truncated: false, plan: null })
  const insights = await run(
    'getInsights',
    '(days: 1)',
    '{ days { created } importance unconnected conflicts mostConnected { connections memory { id } } }',
  )
  expect(insights).toEqual({
    days: [{ created: 3 }],
    importance: [0, 0, 0, 0, 0, 3, 0, 0, 0, 0],
    unconnected: 1,
    conflicts: 0,
    mostConnected: [one, two].toSorted().map(id => ({ connections: 1, memory: { id } })),
  })
  expect(
    (
      await run(
        'getStats',
        '',
        '{ memories { byPolicy { name count } } connections { byOrigin { asserted } } }',
      )
    ).memories.byPolicy,
  ).toEqual([
    { name: 'long_term', count: 2 },
    { name: 'short_term', count: 1 },
  ])
  const result = await run(
    'listChanges',
    '(kinds: [CONNECTED, ARCHIVED], from: OLDEST)',
    '{ changes { kind memory { id } connection { relationshipType source { id } target { content } } } hasMore }',
  )
  expect(result).toEqual({
    changes: [
      {
        kind: 'CONNECTED',
        memory: null,
        connection: { relationshipType: 'CAUSED_BY', source: { id: one }, target: { content: 'cat two' } },
      },
    ],
    hasMore: false,
  })
  expect((await run('listConflicts', '', '{ conflicts { source { id } } hasMore }')).hasMore).toBe(false)
  expect(
    await refusal(
      `mutation { reviewConflict(sourceId: "${one}", targetId: "${two}", outcome: REJECTED) { status } }`,
      'reviewConflict',
    ),
  ).toBe('CONNECTION_NOT_FOUND')
  expect(
    await refusal(
      `mutation { resolveConflict(keepId: "${one}", archiveId: "${two}") { keptId } }`,
      'resolveConflict',
    ),
  ).toBe('CONNECTION_NOT_FOUND')
  const { versions } = await run(
    'getMemoryHistory',
    `(id: "${one}")`,
    '{ versions { version changed memory { content } } }',
  )
  expect(versions).toMatchObject([{ version: 2, changed: ['content'] }, { memory: { content: 'cat one' } }])
  expect(
    (await run('revertMemory', `(id: "${two}", version: 1, ifVersion: 1)`, '{ memory { version } }')).memory,
  ).toEqual({ version: 2 })
  expect((await run('listTags', '(prefix: "a")', '{ values { value count } }')).values).toEqual([
    { value: 'a', count: 1 },
  ])
  expect((await run('groupMemories', '(by: TAG)', '{ groups { value count } truncated }')).groups).toEqual([
    { value: 'a', count: 1 },
  ])
  for (const name of ['listSources', 'listSessions', 'listKinds'])
    expect((await run(name, '', '{ values { value } }')).values).toEqual([])
  expect(
    (await run('deleteConnection', `(sourceId: "${one}", targetId: "${two}")`, '{ deleted }')).deleted,
  ).toBe(1)
  expect(await run('deleteMemory', `(id: "${three}")`, '{ state hard }')).toEqual({
    state: 'ARCHIVED',
    hard: false,
  })
  expect((await run('restoreMemory', `(id: "${three}")`, '{ memory { state } }')).memory).toEqual({
    state: 'ACTIVE',
  })
  expect(
    await run(
      'addTurns',
      '(sessionId: "chat", turns: [{ speaker: "Ada", text: "Hello", time: "2026-01-01T00:00:00Z" }])',
      '{ stored turns { id stored sensitive } }',
    ),
  ).toEqual({ stored: 1, turns: [{ id: expect.any(String), stored: true, sensitive: [] }] })
  expect(await refusal('mutation { extractFacts(sessionId: "chat") { jobId turns } }', 'extractFacts')).toBe(
    'MODEL_NOT_SET',
  )
}

/** Of three memories, one of which has been restored. */
async function askAsOperator() {
  expect(
    (await run('putPolicy', '(name: "mine", healthDecay: 3)', '{ policy { name healthDecay builtIn } }'))
      .policy,
  ).toEqual({ name: 'mine', healthDecay: 3, builtIn: false })
  expect(
    (await run('listPolicies', '', '{ policies { name } }')).policies.map(({ name }: Json) => name),
  ).toContain('mine')
  const what = await run(
    'planMaintenance',
    '(policies: [{ name: "short_term", healthDecay: 50 }], at: "2999-01-01T00:00:00Z")',
    '{ planId changes { change memory { content } before { state } } summary { memories } }',
  )
  expect(what).toMatchObject({ planId: null, summary: { memories: 4 } })
  expect(what.changes.length).toBeGreaterThan(0)
  expect(await run('deletePolicy', '(name: "mine")', '{ name deleted }')).toEqual({
    name: 'mine',
    deleted: true,
  })
  const { planId } = await run('planMaintenance', '', '{ planId }')
  const { runId } = await run('applyMaintenance', `(id: "${planId}")`, '{ runId applied }')
  expect((await run('listMaintenanceRuns', '(limit: 1)', '{ runs { id state } }')).runs).toEqual([
    { id: runId, state: 'APPLIED' },
  ])
  expect(
    (await run('getMaintenanceRun', `(id: "${runId}")`, '{ id state origin changes { memoryId } }')).origin,
  ).toBe('ASKED')
  expect(await run('undoMaintenance', `(id: "${runId}")`, '{ runId skipped }')).toMatchObject({ runId })
  const erasure = await run(
    'eraseMemories',
    '(filters: { tags: ["nobody has it"] })',
    '{ erasureReceipt { id verified } }',
  )
  expect(erasure.erasureReceipt.verified).toBe(true)
  expect(
    await run('getErasure', `(id: "${erasure.erasureReceipt.id}")`, '{ counts { memories } complete }'),
  ).toEqual({ counts: { memories: 0 }, complete: true })
  expect(await run('getAccess', '', '{ keyId operator scopes }')).toEqual({
    keyId: 'operator',
    operator: true,
    scopes: ['read', 'write', 'delete', 'admin', 'cypher'],
  })
  const key = await run('createKey', '(scopes: [READ], name: "reader")', '{ id key scopes }')
  expect(key.scopes).toEqual(['READ'])
  expect((await run('listKeys', '', '{ keys { name } }')).keys).toEqual([{ name: 'reader' }])
  expect(await ask(service, '{ memories { id } }', { key: key.key })).toMatchObject({
    memories: [{}, {}, {}, {}],
  })
  const rotated = await run('rotateKey', `(id: "${key.id}", overlapSeconds: 60)`, '{ id key scopes }')
  expect(rotated.scopes).toEqual(['READ'])
  await run('deleteKey', `(id: "${rotated.id}")`, '{ deleted }')
  await run('deleteKey', `(id: "${key.id}")`, '{ deleted }')
  expect((await run('listAudit', '(limit: 1)', '{ entries { operation target } }')).entries).toEqual([
    { operation: 'deleteKey', target: key.id },
  ])
  const webhook = await run(
    'createWebhook',
    '(url: "https://hooks.invalid/", filters: { tags: ["x"] })',
    '{ id }',
  )
  expect((await run('listWebhooks', '', '{ webhooks { id filters waiting } }')).webhooks).toEqual([
    { id: webhook.id, filters: { tags: ['x'], tags_match: 'all', valid_at: 'any' }, waiting: 0 },
  ])
  const empty = await run(
    'listDeliveries',
    `(id: "${webhook.id}", state: FAILED)`,
    '{ deliveries { state } }',
  )
  expect(empty).toEqual({ deliveries: [] })
  expect(await run('redeliver', `(id: "${webhook.id}")`, '{ queued }')).toEqual({ queued: 0 })
  expect(await run('deleteWebhook', `(id: "${webhook.id}")`, '{ deleted }')).toEqual({ deleted: true })
  const former = freshTenant()
  await service.clientOf(former).createKey({})
  const { tenants } = await run(
    'listTenants',
    `(after: "${former.slice(0, -1)}", limit: 1)`,
    '{ tenants { tenant keys quota { memories characters } } }',
  )
  expect(tenants).toEqual([{ tenant: former, keys: 1, quota: null }])
  const asked = `(tenant: "${former}", memories: 5)`
  expect(await run('putQuota', asked, '{ quota { memories characters } }')).toEqual({
    quota: { memories: 5, characters: null },
  })
  const records = await run('exportRecords', `(tenant: "${former}")`, '{ keys { hash } quota { memories } }')
  expect(records).toEqual({ keys: [{ hash: expect.any(String) }], quota: { memories: 5 } })
  expect(await run('importRecords', `(tenant: "${former}")`, '{ keys webhooks entries }')).toEqual({
    keys: 0,
    webhooks: 0,
    entries: 0,
  })
  expect(await run('eraseTenant', `(tenant: "${former}")`, '{ erasureReceipt { complete } }')).toEqual({
    erasureReceipt: { complete: true },
  })
  expect((await graphql(service, '{ memories { id } }', { key: key.key }).catch(error => error)).status).toBe(
    401,
  )
  expect(
    (
      await run(
        'listJobs',
        '(state: QUEUED)',
        '{ jobs { id kind memory { content } } counts { name count } }',
      )
    ).counts.length,
  ).toBeGreaterThan(0)
  expect(await refusal('mutation { retryJob(id: "nothing") { job { id } } }', 'retryJob')).toBe(
    'JOB_NOT_FOUND',
  )
  expect((await run('retryJobs', '', '{ retried }')).retried).toBe(0)
  expect(
    (
      await run(
        'pauseQueue',
        `(until: "${new Date(Date.now() + 60_000).toISOString()}")`,
        '{ queuePause { pausedUntil } }',
      )
    ).queuePause.pausedUntil,
  ).not.toBeNull()
  expect((await run('resumeQueue', '', '{ queuePause { pausedUntil } }')).queuePause.pausedUntil).toBeNull()
  expect((await run('rediscoverMemories', '', '{ memories threshold }')).threshold).toBe(0.7)
  expect(
    (await run('listEmbeddingSpaces', '', '{ active spaces { dimensions } }')).spaces.length,
  ).toBeGreaterThan(0)
  for (const name of ['compareEmbeddingSpaces', 'switchEmbeddingSpace', 'deleteEmbeddingSpace'])
    expect(await refusal(`mutation { ${name}(id: "0123456789ab") { __typename } }`, name)).toBe(
      'SPACE_NOT_FOUND',
    )
  const lines = JSON.stringify(bundleLines([]))
  expect(
    await run('importBundle', `(lines: ${lines}, dryRun: true)`, '{ done totals { memories { created } } }'),
  ).toEqual({ done: true, totals: { memories: { created: 0 } } })
}

test('a key is refused what its scopes do not allow, by the name of what it lacks', async () => {
  const { key } = await service.client.createKey({ scopes: ['read'] })
  const { errors, data } = await graphql(
    service,
    'mutation { createMemory(content: "x") { memory { id } } }',
    { key },
  )
  expect(data).toBeNull()
  expect(errors).toMatchObject([
    { message: expect.stringContaining('scope write'), extensions: { code: 'FORBIDDEN', status: 403 } },
  ])
  const plan = await graphql(service, 'mutation { planMaintenance { planId } }', { key })
  expect(plan.errors[0]?.extensions.code).toBe('FORBIDDEN')
  expect((await graphql(service, '{ memories { id } }', { key })).errors).toEqual([])
})

test('an error names its code, the fields at fault and the request, and nothing of the inside', async () => {
  const { errors, headers } = await graphql(
    service,
    'mutation { createMemory(content: " ", ttlSeconds: -1, importance: 2) { memory { id } } }',
  )
  expect(errors).toHaveLength(1)
  expect(errors[0]?.path).toEqual(['createMemory'])
  expect(errors[0]?.extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    requestId: headers.get('x-request-id'),
  })
  expect(errors[0]?.extensions.errors?.map(({ pointer }) => pointer)).toEqual([
    '/content',
    '/ttlSeconds',
    '/importance',
  ])
  const mine = await graphql(service, '{ memorys { id } }', { headers: { 'x-request-id': 'mine-1' } })
  expect(mine.status).toBe(400)
  expect(mine.errors[0]?.extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED', requestId: 'mine-1' })
  expect(await refusal('{ listMemories(state: ARCHIVED) { limit } }')).toBe('VALIDATION_FAILED')
  expect(await refusal('{ listMemories(cursor: "junk") { limit } }')).toBe('INVALID_CURSOR')
  expect(
    await refusal(
      'mutation { updateMemory(id: "01a1fbec-13af-77b7-9738-3cc833677ea3", importance: 1) { memory { id } } }',
    ),
  ).toBe('MEMORY_NOT_FOUND')
})

test.each([
  ['an argument', 'query ($x: ID = "x") { getMemory(id: $x) { id } }'],
  [
    'a directive on the query',
    'query ($x: Boolean = true) @includeArchived(if: $x) { getStats { queue { depth } } }',
  ],
  ['a directive on a field', 'query ($x: Boolean = true) { getStats @include(if: $x) { queue { depth } } }'],
])('null in %s that needs a value is a mistake of the caller', async (_name, query) => {
  const { status, errors } = await graphql(service, query, { variables: { x: null } })
  expect(errors).toMatchObject([
    { message: expect.stringContaining('null'), extensions: { code: 'BAD_USER_INPUT' } },
  ])
  expect(status).toBeLessThan(500)
})

test('a variable of a caller may have any name', async () => {
  const [memory] = await remember(service.client, ['named'])
  const { id } = memory as { id: string }
  const query =
    'query ($argument_0: Boolean!, $id: ID!) { getMemory(id: $id) { id content @skip(if: $argument_0) } }'
  const { data, errors } = await graphql(service, query, { variables: { argument_0: true, id } })
  expect(errors).toEqual([])
  expect(data).toEqual({ getMemory: { id } })
})

test('an archived memory is recalled by a fetch that shows it, and by no other', async () => {
  const [memory] = await remember(service.client, ['put away'])
  const { id } = memory as { id: string }
  await service.client.deleteMemory({ id })
  expect((await ask(service, `{ getMemory(id: "${id}") { id } }`)).getMemory).toBeNull()
  const shown = `query ($record: Boolean!) @includeArchived { getMemory(id: "${id}", recordRecall: $record) { recallCount } }`
  const looked = await ask(service, shown, { variables: { record: false } })
  expect(looked.getMemory).toEqual({ recallCount: 0 })
  const recalled = await ask(service, shown, { variables: { record: true } })
  expect(recalled.getMemory).toEqual({ recallCount: 1 })
})

test('an expired memory is shown by no fetch, and recalled by none', async () => {
  const [memory] = await remember(service.client, [{ content: 'run out', ttl_seconds: 3600 }])
  const { id } = memory as { id: string }
  await service.cypher(
    'MATCH (m:Memory {id: $id}) SET m.liveUntil = 0, m.expiresAt = datetime({epochMillis: 0})',
    { id },
  )
  for (const asking of ['', 'query @includeArchived '])
    expect((await ask(service, `${asking}{ getMemory(id: "${id}") { id } }`)).getMemory).toBeNull()
  expect((await service.client.getMemory({ id, record_recall: false })).recall_count).toBe(0)
})

test('a time between two milliseconds bounds the same as in REST, in operations and in filters', async () => {
  const [memory] = await remember(service.client, ['at a time'])
  const { id, created_at } = memory as { id: string; created_at: string }
  for (const digits of ['', '0', '5', '0000000001', '0000000000']) {
    const time = created_at.replace('Z', `${digits}Z`)
    const { memories } = await service.client.listMemories({ created_before: time, limit: 200 })
    const found = memories.some(each => each.id === id)
    const answer = await ask(
      service,
      `{ listMemories(createdBefore: "${time}", limit: 200) { memories { id } }
      memories(where: { id: { eq: "${id}" }, createdAt: { lt: "${time}" } }) { id } }`,
    )
    expect([digits, answer.listMemories.memories.map(idOf).includes(id)]).toEqual([digits, found])
    expect([digits, answer.memories.length === 1]).toEqual([digits, found])
  }
})

test('a subgraph says that beginnings were left out, and that connections were', async () => {
  const memories = await remember(service.client, ['lone one', 'lone two', 'lone three', 'lone four'])
  const ids = memories.map(idOf)
  const drawn = async (of: readonly (string | undefined)[], limit: number) => {
    const query = `{ subgraph(ids: ${JSON.stringify(of)}, limit: ${limit}) { nodes { id } edges { strength } truncated } }`
    const { nodes, edges, truncated } = (await ask(service, query)).subgraph
    return { nodes: nodes.length, edges: edges.map(({ strength }: Json) => strength), truncated }
  }
  expect(await drawn(ids.slice(0, 3), 1)).toEqual({ nodes: 1, edges: [], truncated: true })
  expect(await drawn(ids.slice(0, 3), 3)).toEqual({ nodes: 3, edges: [], truncated: false })
  await service.cypher(
    `UNWIND range(1, 61) AS at MATCH (a:Memory {tenant: $tenant, id: $a}), (b:Memory {tenant: $tenant, id: $b})
    CREATE (a)-[:SUPPORTS {key: 'k' + at, tenant: $tenant, strength: at / 100.0, origin: 'asserted', createdAt: datetime.truncate('millisecond', datetime.realtime('Z'))}]->(b)`,
    { a: ids[2], b: ids[3], tenant: service.tenant },
  )
  const { edges, truncated } = await drawn(ids.slice(2), 2)
  expect([edges.length, edges.at(-1), truncated]).toEqual([60, 0.02, true])
})

test('hits keep their order and scores, whether or not the id is asked for', async () => {
  // What other tests store at any time changes how rare a word is, and so a score.
  const { tenant, client } = service.newTenant()
  await remember(client, ['bread', 'bread oven', 'bread oven dough', 'bread oven dough flour'])
  const { results } = await client.searchMemories({
    query: 'oven dough',
    search_type: 'hybrid',
    limit: 3,
  })
  const found = await ask(
    service,
    '{ searchMemories(query: "oven dough", searchType: HYBRID, limit: 3) { results { score memory { content } } } }',
    { tenant },
  )
  expect(found.searchMemories.results).toEqual(
    results.map(({ score, memory }) => ({ score, memory: { content: memory.content } })),
  )
})

test('a memory named twice in one query is answered with all that was asked', async () => {
  await remember(service.client, ['bread oven'])
  const answer = await ask(
    service,
    `{ searchMemories(query: "oven", searchType: KEYWORD, limit: 1) {
    results { memory { content } ...R } results { m: memory { id } } }
  } fragment R on SearchResult { memory { importance } }`,
  )
  expect(answer.searchMemories.results).toEqual([
    { memory: { content: expect.any(String), importance: 0.5 }, m: { id: expect.any(String) } },
  ])
})

test('each step of one request reads what the step before wrote', async () => {
  const [memory] = await remember(service.client, ['first'])
  const change = (content: string) =>
    `updateMemory(id: "${memory?.id}", content: "${content}") { memory { content } }`
  expect(await ask(service, `mutation { a: ${change('second')} b: ${change('third')} }`)).toEqual({
    a: { memory: { content: 'second' } },
    b: { memory: { content: 'third' } },
  })
})

test('a batch of 500 is answered in its order', async () => {
  const memories = Array.from({ length: 500 }, (_, at) => ({ content: `number ${at}` }))
  const answer = await ask(
    service,
    'mutation ($memories: [NewMemory!]!) { createMemories(memories: $memories) { memories { content } } }',
    { variables: { memories } },
  )
  expect(answer.createMemories.memories).toEqual(memories)
})

async function run(name: string, args: string, selection: string): Promise<Json> {
  done.add(name)
  const kind = /^(get|list|group|search|compose|related|find|run|exportRecords)/.test(name)
    ? 'query'
    : 'mutation'
  return (await ask(service, `${kind} { ${name}${args} ${selection} }`))[name]
}

async function refusal(query: string, name?: string): Promise<string | undefined> {
  if (name) done.add(name)
  return (await graphql(service, query)).errors[0]?.extensions.code
}
