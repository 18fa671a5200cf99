import { readdir, readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { type Input, type RouteName, routeNames } from '../../src/contract/index.ts'
import { warmUp } from '../../src/service/warm-up.ts'
import { keptSince } from '../../src/store/connections/earlier-retention.ts'
import { nextToAnalyse, queueAnalysis } from '../../src/store/graph/communities.ts'
import { nextTenant } from '../../src/store/lifecycle/schedule.ts'
import { NOW } from '../../src/store/neo4j/projections.ts'
import { bundleLines, connectionLine, exported, imported, memoryLine } from '../../tools/bundle-lines.ts'
import { type Asked, startModelEndpoint } from '../../tools/model-endpoint.ts'
import { fixture } from '../support/fixture.ts'
import { contextOf } from '../support/lifecycle.ts'
import { makeJobsDue } from '../support/queue.ts'
import { readToEnd } from '../support/routes.ts'
import { idOf, numbered, remember, rememberIds } from '../support/seed.ts'
import { freshTenant, someMemory, type TestService, withService } from '../support/service.ts'
import { listenThroughout, type Statement, unbound } from '../support/statements.ts'
import { createOneOfEach, type Probe, probes } from '../support/tenant-probes.ts'

/** Statements that look beyond one tenant, with the reason why they may. None gives a memory to a caller. */
const exceptions: Record<string, string> = {
  'WHERE m.tenant > $after RETURN m.tenant AS tenant':
    'The schedule goes from tenant to tenant; it reads their names alone.',
  'RETURN count(CASE WHEN m.': 'The operator sees how far an embedding space is filled, as a number.',
  '}[0] AS lastArchived': 'The operator lists the tenants, with numbers alone.',
  'RETURN count(*) AS cleared': 'The operator takes an embedding space away, for all tenants.',
  'RETURN count(*) AS refused': 'Whether the service is ready says how many texts were refused, as a number.',
  'UNWIND $tenants AS tenant':
    'The tenants are those of the caller: the shared memories and those of its owner.',
  'RETURN count(m) AS memories': 'How many candidates a search looks at goes by the number of all memories.',
}

const model = fixture(() => startModelEndpoint(answerOfModel))
const service = withService(() => ({
  settings: { SERVICE_MODEL: 'model-of-the-tests', SERVICE_MODEL_BASE_URL: model.url },
}))
let heard: Statement[]
beforeAll(async () => {
  heard = listenThroughout(service).heard
  await doEverything()
  await warmUp(service.app, AbortSignal.timeout(120_000))
}, 300_000)

test('no statement takes its times from the zone of the database', () => {
  const zoneless = /\bdatetime(?:\.\w+)?\(\)|\bdatetime\(\{epochMillis: [^,}]*\}\)/
  const times = heard.filter(({ text }) => text.includes("'Z'"))
  expect(times.length).toBeGreaterThan(20)
  expect(heard.map(({ text }) => text).filter(text => zoneless.test(text))).toEqual([])
})

test('no statement groups its rows by a clock, which may move on between two of them', () => {
  const grouping = /\bDISTINCT\b|\b(?:collect|count|sum|avg|min|max)\(/
  const [ofAll, byTheClock] = ['WITH m, collect(r)[0] AS r', `, ${NOW} AS now`]
  const isFaulty = (clause: string) => {
    const columns = clause.split(/,(?![^([{]*[)\]}])/)
    return (
      grouping.test(clause) && columns.some(column => column.includes('realtime') && !grouping.test(column))
    )
  }
  expect([ofAll, ofAll + byTheClock].map(isFaulty)).toEqual([false, true])
  const clauses = heard.flatMap(({ text }) =>
    text.split(/\b(?=(?:WITH|RETURN|MATCH|WHERE|UNWIND|CREATE|MERGE|SET|DELETE|CALL)\b)/),
  )
  expect(clauses.filter(clause => /^(?:WITH|RETURN) /.test(clause) && isFaulty(clause))).toEqual([])
})

test('every statement that touches a memory names the tenant', () => {
  const texts = [...new Set(heard.map(({ text }) => text))]
  expect(texts.length).toBeGreaterThan(80)
  const faulty = texts
    .filter(text => !Object.keys(exceptions).some(fragment => text.includes(fragment)))
    .flatMap(text => unbound(text).map(name => `${name} in ${text}`))
  expect(faulty).toEqual([])
})

test('every hint asks for a look-up: without SEEK Neo4j may scan the index, which holds all tenants', () => {
  const scans = /USING INDEX (?!SEEK )/
  const texts = heard.map(({ text }) => text)
  expect(texts.filter(text => text.includes('USING INDEX SEEK ')).length).toBeGreaterThan(20)
  expect(texts.filter(text => scans.test(text))).toEqual([])
})

test('memories are looked up by the index of ids, whatever the planner knows of their number', () => {
  const texts = [...new Set(heard.map(({ text }) => text))]
  const faulty = texts.filter(text =>
    [...text.matchAll(/(?<!(?:MERGE|CREATE) )\((\w+):Memory \{[^}]*\bid: /g)].some(
      ([, name]) => !text.includes(`USING INDEX SEEK ${name}:Memory(tenant, id)`),
    ),
  )
  expect(texts.filter(text => text.includes('USING INDEX SEEK')).length).toBeGreaterThan(15)
  expect(faulty).toEqual([])
})

test('no statement reads all nodes of a label, or all connections, whatever else the database holds', async () => {
  const texts = new Map(heard.map(({ text, parameters }) => [text, parameters]))
  const scans: string[] = []
  for (const [text, parameters] of texts) {
    if (!/\bMATCH\b/.test(text) || text.includes(OF_ERASURE)) continue
    const plan = await service.plan(text, parameters)
    const large = plan.filter(
      name =>
        /LabelScan|AllNodesScan|RelationshipTypeScan|AllRelationshipsScan/.test(name) && !FEW.test(name),
    )
    scans.push(...large.map(name => `${name} in ${text}`))
  }
  expect(scans).toEqual([])
}, 300_000)

test('what was heard is all that the store has to say of memories', async () => {
  const spoken = heard.map(({ text }) => plain(text))
  const folder = new URL('../../src/store/', import.meta.url)
  const lines: string[] = []
  const files = await readdir(folder, { recursive: true })
  for (const name of files.filter(each => each.endsWith('.ts') && !OF_ALL_TENANTS.includes(each)))
    lines.push(...(await readFile(new URL(name, folder), 'utf8')).split('\n').filter(isAboutMemories))
  expect(lines.length).toBeGreaterThan(30)
  const silent = lines.filter(line => !spoken.some(text => text.includes(significantPart(line))))
  expect(silent).toEqual([])
})

test('a statement that does not name the tenant is noticed', () => {
  expect(unbound('MATCH (m:Memory {id: $id}) RETURN m')).toEqual(['m'])
  expect(unbound('MATCH (m:Memory {id: $id})-->(n:Memory) WHERE m.tenant = $tenant RETURN n')).toEqual(['n'])
  expect(unbound('MATCH (m:Memory) WHERE m.tenant = $tenantOfAnother RETURN m')).toEqual(['m'])
  expect(unbound("CALL db.index.fulltext.queryNodes('i', $q) YIELD node AS m RETURN m")).toEqual(['m'])
  expect(unbound('MATCH ()-[r:RELATED_TO]->() RETURN count(r)')).toEqual(['r'])
  expect(unbound('MATCH (m:Memory {id: $id, tenant: $tenant}) RETURN m')).toEqual([])
})

/** Labels that have few nodes in any database, and those of a day or a week, which only the erasure of a tenant reads. */
const FEW = /:(Setting|EmbeddingSpace|Migration|Quota|Suspect|IdempotentRequest)$/

/** The erasure of a tenant withdraws it from the keys of others. */
const OF_ERASURE = 'IN k.otherTenants'

/** The metrics and the check of the graph look at all tenants for the operator, and return nothing of a memory but ids. */
const OF_ALL_TENANTS = ['figures.ts', 'neo4j/integrity.ts']

const isAboutMemories = (line: string) =>
  /\b(MATCH|MERGE|CREATE) .*:Memory\b/.test(line) && !line.includes('VECTOR INDEX')

/** The longest part of a source line that names the label and is the same in every statement made from it. */
const significantPart = (line: string) =>
  plain(
    line
      .split(/\$\{[^}]*\}|`|'/)
      .filter(part => part.includes(':Memory'))
      .toSorted((a, b) => b.length - a.length)[0] ?? line,
  )

const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** Every operation with names that stand for something, as a tenant and as the operator, and all queued work. */
async function doEverything() {
  const { tenant, client } = service.newTenant()
  const names = await createOneOfEach(client, tenant)
  const mine = { ...names, ...(await createOneOfEach(client, tenant)) }
  await service.drain(tenant)
  await walkFar(client, names.memory)
  const { active } = await client.listEmbeddingSpaces()
  for (const name of routeNames)
    for (const { input, headers = {} } of probes[name](names, mine) as Probe<RouteName>[])
      await (client[name] as (input: unknown, options: object) => Promise<unknown>)(input, { headers })
        .then(readToEnd)
        .catch(() => {})
  await doLists(tenant)
  await beAnOwner(freshTenant())
  await doLateWork()
  await carryOver()
  await maintain()
  await client.compareEmbeddingSpaces({ id: active }).catch(() => {})
  await keepGood()
  await divide()
  await service.app.recalls.flush(service.app)
  await askModel()
}

/** A key of an owner reads the shared and the private memories together. */
async function beAnOwner(tenant: string) {
  const { key } = await service.clientOf(tenant).createKey({ owner: 'anna' })
  const anna = service.clientOf('', key)
  const { id } = await anna.createMemory(someMemory({ tags: ['tea'] }))
  await anna.getMemory({ id })
  await anna.listTags()
  await anna.groupMemories({ by: 'relationship_type' })
  await service.client.eraseTenant({ tenant })
}

/** Communities, and a context that is filled with what is central to one. */
async function divide() {
  const { tenant, client } = service.newTenant()
  const [one, ...others] = await rememberIds(client, ['cat', 'cats', 'kitten'])
  await client.createConnections({
    connections: others.map(target_id => ({ source_id: one as string, target_id })),
  })
  await client.listChanges({ from: 'oldest' })
  const caller = { app: service.app, signal: AbortSignal.timeout(60_000) }
  await nextToAnalyse(caller, '')
  await queueAnalysis(caller, tenant)
  await service.drain(tenant)
  await client.listCommunities({})
  await client.composeContext({ query: 'cat', communities: true, min_relevance: 0 })
}

/** What keeps memories good: no duplicates, what replaces others, conflicts, merges. */
async function keepGood() {
  const { tenant, client } = service.newTenant()
  const [one, two, other] = (await remember(client, ['cat', { content: 'cat!', tags: ['x'] }, 'truck'])).map(
    idOf,
  ) as [string, string, string]
  await service.drain(tenant)
  for (const [source_id, target_id] of [
    [two, other],
    [other, two],
  ] as const)
    await client.createConnection({ source_id, target_id, relationship_type: 'contradicts' })
  await client.planMaintenance({ kind: 'forget', filters: { tags: ['x'] } })
  const { plan_id } = await client.planMaintenance({ kind: 'merge' })
  await client.applyMaintenance({ id: plan_id as string })
  await client.undoMaintenance({ id: plan_id as string })
  await client.searchMemories({ query: 'cat truck', search_type: 'hybrid', limit: 1 })
  await client.searchMemories({ query: 'cat truck since last week', search_type: 'hybrid', around: 1 })
  await client.listConflicts()
  const [early, late] = await rememberIds(client, [
    'The bus to the old town leaves at 9',
    'The bus to the old town leaves at 10',
  ])
  await service.drain(tenant)
  await client.reviewConflict({ source_id: late, target_id: early, outcome: 'rejected' })
  await client.resolveConflict({ keep_id: two, archive_id: other })
  const more = { ...someMemory({ content: 'cat' }), on_duplicate: 'return' as const }
  await client.createMemory(more)
  await client.createMemories({ memories: [more, someMemory({ content: 'dog', supersedes: [one] })] })
  await client.createMemory(someMemory({ content: 'waits' }), { wait: 1 })
  await client.eraseMemories({ all: true })
}

/** A walk among so many paths that it goes from memory to memory. */
async function walkFar(client: TestService['client'], start: string) {
  const ids = [start, ...(await rememberIds(client, numbered(6, 'crowd')))]
  const pairs = ids.flatMap((source_id, at) => ids.slice(at + 1).map(target_id => ({ source_id, target_id })))
  await client.createConnections({ connections: pairs })
  const { related } = await client.relatedMemories({ id: start, depth: 5, direction: 'both' })
  expect(related.length).toBeGreaterThanOrEqual(6)
}

async function doLists(tenant: string) {
  const { listMemories } = service.clientOf(tenant)
  const orderings = ['created_at', 'updated_at', 'importance', 'health', 'last_recalled_at'] as const
  const walks: Input<'listMemories'>[] = [
    { tags: ['x'] },
    { min_importance: 0.1, created_after: '2020-01-01T00:00:00Z' },
    ...orderings.flatMap(order_by => (['asc', 'desc'] as const).map(order => ({ order_by, order }))),
  ]
  for (const walk of walks) {
    const { next_cursor } = await listMemories({ ...walk, limit: 1 })
    if (next_cursor) await listMemories({ ...walk, limit: 1, cursor: next_cursor })
  }
}

/** Vectors that are made later, and a job that is tried again. */
async function doLateWork() {
  service.embeddings.fail(['down', 'down'])
  await remember(service.client, [{ content: 'cat', tags: ['x'] }, 'kitten'])
  await service.drain()
  await makeJobsDue(service)
  await service.worker.revive()
  await service.drain()
  await service.queueFills()
  await nextTenant({ app: service.app, signal: AbortSignal.timeout(60_000) }, '')
}

/** A fact that replaces what is known, and a memory that replaces another one. */
const answerOfModel = ({ name, data }: Asked) =>
  name === 'extract'
    ? {
        facts: [
          {
            ...{
              text: 'a fact',
              turns: ['t1'],
              kind: 'fact',
              confidence: 1,
              holds_from: null,
              holds_until: null,
            },
            supersedes: data.known.map(({ ref }: { ref: string }) => ref),
          },
        ],
      }
    : {
        pairs: data.others.map(({ ref }: { ref: string }) => ({
          ...{ ref, relationship: 'supports', direction: 'memory_to_other', finding: 'memory_updates_other' },
          ...{ reason: 'newer', confidence: 1, holds_from: null },
        })),
      }

/** Facts of turns and what the model says of memories, taken over and taken back. */
async function askModel() {
  const { tenant, client } = service.newTenant()
  await remember(client, ['the cat sleeps', 'the cat sleeps here'])
  await service.drain(tenant)
  await client.addTurns({ session_id: 'chat', turns: [{ speaker: 'Ada', text: 'the cat sleeps' }] })
  await service.drain(tenant)
  await service.drainModel(tenant)
  const { runs } = await client.listMaintenanceRuns({})
  const proposed = runs.find(({ kind }) => kind === 'supersede')
  await client.applyMaintenance({ id: proposed?.id as string })
  await client.undoMaintenance({ id: proposed?.id as string })
  await client.undoMaintenance({ id: runs.find(({ kind }) => kind === 'extract')?.id as string })
  await client.getStats({})
}

/** A bundle that replaces what a tenant has. */
async function carryOver() {
  const client = service.clientOf(freshTenant())
  await client.putPolicy({ name: 'own', health_decay: 1 })
  await remember(client, ['cat'])
  const [first, second] = [memoryLine(), memoryLine()]
  const lines = bundleLines([first, second, connectionLine(first.id, second.id)])
  await imported(client, lines, { mode: 'replace' })
  const rejected = { section: 'rejections', source_id: first.id, target_id: second.id } as const
  await imported(client, bundleLines([rejected]), { dry_run: true })
  const { recorded_at: _, ...line } = connectionLine(first.id, second.id)
  const earlier = {
    ...line,
    section: 'earlier_connections',
    at: line.created_at,
    until: line.created_at,
  } as const
  await imported(client, bundleLines([earlier]), { dry_run: true })
  await imported(client, bundleLines([earlier]))
  await imported(client, bundleLines([{ ...rejected, relationship_type: 'contradicts' }]))
  await exported(client)
}

/** A run that archives and removes, and its undoing. */
async function maintain() {
  const { id } = await service.client.createMemory(someMemory({ content: 'long gone' }))
  await service.client.deleteMemory({ id })
  await service.cypher(
    `MATCH (m:Memory {tenant: $tenant}) WITH m, datetime('2020-01-01T00:00:00Z') AS then
     SET m.createdAt = then, m.updatedAt = then, m.archivedAt = CASE m.state WHEN 'archived' THEN then END`,
    { tenant: service.tenant },
  )
  const { plan_id } = await service.client.planMaintenance({})
  const { run_id } = await service.client.applyMaintenance({ id: plan_id as string })
  await service.client.undoMaintenance({ id: run_id })
  await keptSince(contextOf(service, service.tenant), [])
}
