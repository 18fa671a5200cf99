import { expect, test } from 'vitest'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { readLifecycles } from '../../src/store/lifecycle/due.ts'
import { scopeToken } from '../../src/store/neo4j/tokens.ts'
import { exportText } from '../support/graph-export.ts'
import { graphql } from '../support/graphql.ts'
import { age, contextOf, dumpOf } from '../support/lifecycle.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

/** A memory between two others that maintenance has archived, and then removed. */
async function removedOne() {
  const { tenant, client } = service.newTenant()
  const [gone, left, right] = (
    await client.createMemories({
      memories: [
        someMemory({ content: 'Quincunx orchard in the rain' }),
        someMemory({ content: 'Quincunx orchard in the sun', policy: 'pinned' }),
        someMemory({ content: 'Quincunx orchard in the snow', policy: 'pinned' }),
      ],
    })
  ).memories.map(({ id }) => id) as [string, string, string]
  await client.createConnection({ source_id: left, target_id: gone, relationship_type: 'part_of' })
  await client.createConnection({
    source_id: gone,
    target_id: right,
    relationship_type: 'supports',
    strength: 0.9,
  })
  await service.drain(tenant)
  await age(service, tenant, 13)
  await runScheduledMaintenance(contextOf(service, tenant))
  await age(service, tenant, 31)
  const before = await dumpOf(service, tenant, { versions: false })
  await runScheduledMaintenance(contextOf(service, tenant))
  const runs = (await client.listMaintenanceRuns()).runs
  expect(runs.map(({ summary }) => [summary.archive, summary.remove])).toEqual([
    [0, 1],
    [1, 0],
  ])
  return { tenant, client, gone, left, right, before, runId: runs[0]?.id as string }
}

test('a removed memory is nowhere any more', async () => {
  const { tenant, client, gone, left, right } = await removedOne()
  for (const call of [
    () => client.getMemory({ id: gone }),
    () => client.updateMemory({ id: gone, importance: 1 }),
    () => client.restoreMemory({ id: gone }),
    () => client.deleteMemory({ id: gone }),
    () => client.relatedMemories({ id: gone }),
    () => client.findPath({ source_id: left, target_id: gone }),
    () => client.createConnection({ source_id: left, target_id: gone, relationship_type: 'supports' }),
    () => client.deleteConnection({ source_id: left, target_id: gone }),
  ])
    expect(await problemOf(call())).toMatchObject({ status: 404 })
  const found = await Promise.all(
    (['semantic', 'keyword', 'hybrid'] as const).map(search_type =>
      client.searchMemories({ query: 'Quincunx orchard in the rain', search_type }),
    ),
  )
  const listed = await client.listMemories({ include_archived: true })
  const related = await client.relatedMemories({
    id: left,
    depth: 5,
    direction: 'both',
    include_archived: true,
  })
  const { paths } = await client.findPath({
    source_id: left,
    target_id: right,
    relationship_types: ['part_of', 'supports'],
  })
  const connections = await client.listConnections()
  const ofOne = await client.listConnections({ source_id: left, relationship_type: 'part_of' })
  const stats = await client.getStats()
  expect(JSON.stringify([found, listed, related, paths, connections, ofOne])).not.toContain(gone)
  expect([paths, ofOne.total]).toEqual([[], 0])
  expect(listed.memories).toHaveLength(2)
  expect(stats.memories).toMatchObject({ total: 2, by_policy: { pinned: 2 } })
  expect(stats.connections.total).toBe(connections.total)
  expect(connections.total).toBe(1)
  const near = await client.createMemory(someMemory({ content: 'Quincunx orchard in the rain' }))
  await service.drain(tenant)
  const discovered = await client.listConnections({ source_id: near.id })
  expect(discovered.connections.map(({ connection }) => connection.target_id).sort()).toEqual(
    [left, right].sort(),
  )
})

test('a walk, an export and a nested read meet a removed memory nowhere', async () => {
  const { tenant, client, gone, left } = await removedOne()
  const nested = `query ($id: ID!) { memories(where: { id: { eq: $id } }) { id
    parts { id content parts { id content } } partOf { id content supports { id content } }
    partOfConnection { edges { node { id content } } } } }`
  const shown = [
    await graphql(service, nested, { tenant, variables: { id: left } }),
    await graphql(service, nested.replace('query', 'query @includeArchived'), {
      tenant,
      variables: { id: left },
    }),
    await client.composeContext({ query: 'Quincunx orchard' }),
    await client.listConflicts({}),
    await client.listCommunities({}),
    await client.getInsights({}),
    await client.listChanges({ limit: 500 }),
    ...(await Promise.all(
      (['graphml', 'gexf', 'ndjson', 'cypher'] as const).map(format => exportText(client, { format })),
    )),
  ]
  for (const each of shown) expect(JSON.stringify(each)).not.toContain('orchard in the rain')
  expect(await problemOf(client.getMemoryHistory({ id: gone }))).toMatchObject({ status: 404 })
})

test('the size of a run counts the connections of a memory, and neither suspected conflicts nor stored responses', async () => {
  const { tenant, client } = service.newTenant()
  const keyed = { headers: { 'idempotency-key': 'sized' } }
  const { id } = await client.createMemory(someMemory({ content: 'the door is open' }), keyed)
  const other = await client.createMemory(someMemory({ content: 'the door is closed' }))
  await service.cypher(
    `MATCH (a:Memory {tenant: $tenant, id: $id}), (b:Memory {tenant: $tenant, id: $other})
    CREATE (a)-[:MAY_CONTRADICT {pair: $id, ofTenant: $tenant, status: 'suggested'}]->(b)`,
    { tenant, id, other: other.id },
  )
  const sizes = async () =>
    (await readLifecycles(contextOf(service, tenant), [id])).map(({ connections }) => connections)
  expect(await sizes()).toEqual([0])
  await client.createConnection({ source_id: id, target_id: other.id })
  expect(await sizes()).toEqual([1])
})

test('a hard delete by a caller ends a removed memory for good, undo or not', async () => {
  const { client, gone, runId, tenant } = await removedOne()
  expect(await client.deleteMemory({ id: gone, hard: true })).toMatchObject({ state: 'deleted', hard: true })
  expect(await problemOf(client.deleteMemory({ id: gone, hard: true }))).toMatchObject({ status: 404 })
  expect(await dumpOf(service, tenant)).not.toContain('orchard in the rain')
  expect(await client.undoMaintenance({ id: runId })).toMatchObject({ undone: 0, skipped: [gone] })
  expect(await problemOf(client.getMemory({ id: gone }))).toMatchObject({ status: 404 })
})

test('another tenant can neither end nor bring back a removed memory', async () => {
  const { tenant, gone, runId, client, before } = await removedOne()
  const otherTenant = service.clientOf(freshTenant())
  expect(await problemOf(otherTenant.deleteMemory({ id: gone, hard: true }))).toMatchObject({ status: 404 })
  expect(await problemOf(otherTenant.undoMaintenance({ id: runId }))).toMatchObject({ status: 404 })
  await client.undoMaintenance({ id: runId })
  expect(await dumpOf(service, tenant, { versions: false })).toBe(before)
})

test('connections made and memories removed in the meantime are respected by an undo', async () => {
  const { client, gone, left, right, runId } = await removedOne()
  await client.createConnection({ source_id: left, target_id: right, relationship_type: 'caused_by' })
  await client.deleteMemory({ id: right, hard: true })
  expect(await client.undoMaintenance({ id: runId })).toMatchObject({ undone: 1, skipped: [] })
  const { connections, total } = await client.listConnections()
  const ends = connections.map(({ source_id, connection }) => [
    source_id,
    connection.target_id,
    connection.relationship_type,
  ])
  expect(total).toBe(ends.length)
  expect(ends).toContainEqual([left, gone, 'part_of'])
  expect(JSON.stringify(ends)).not.toContain(right)
})

test('an id that was given again in the meantime keeps its new owner', async () => {
  const { tenant, client, gone, runId } = await removedOne()
  await service.cypher(
    `MATCH (r:RemovedMemory {id: $gone}) CREATE (m:Memory) SET m = properties(r), m.content = 'The new owner'
    REMOVE m.removedBy, m.removedAt, m.lastRun`,
    { gone },
  )
  expect(await client.undoMaintenance({ id: runId })).toMatchObject({ undone: 0, skipped: [gone] })
  expect(await client.getMemory({ id: gone, record_recall: false })).toMatchObject({
    content: 'The new owner',
  })
  await runScheduledMaintenance(contextOf(service, tenant))
  expect(await problemOf(client.getMemory({ id: gone }))).toMatchObject({ status: 404 })
  expect((await client.listMaintenanceRuns()).runs[0]).toMatchObject({ summary: { remove: 1 } })
  await client.deleteMemory({ id: gone, hard: true })
  expect(await dumpOf(service, tenant)).not.toContain(gone)
})

test('an id that another tenant was given in the meantime comes back with an undo, and both tenants are maintained', async () => {
  const { tenant, client, gone, runId, before } = await removedOne()
  const other = freshTenant()
  await service.cypher(
    `MATCH (r:RemovedMemory {id: $gone}) CREATE (m:Memory) SET m = properties(r), m.tenant = $other, m.scope = $scope
    REMOVE m.removedBy, m.removedAt, m.lastRun`,
    { gone, other, scope: scopeToken(other, 'archived') },
  )
  expect(await client.undoMaintenance({ id: runId })).toMatchObject({ undone: 1, skipped: [] })
  expect(await dumpOf(service, tenant, { versions: false })).toBe(before)
  await runScheduledMaintenance(contextOf(service, other))
  expect((await service.clientOf(other).listMaintenanceRuns()).runs[0]).toMatchObject({
    summary: { remove: 1 },
  })
  expect(
    await service.cypher('MATCH (r:RemovedMemory {id: $gone}) RETURN r.tenant AS tenant', {
      gone,
    }),
  ).toEqual([{ tenant: other }])
})

test('after the time for an undo nothing is left of a removed memory, nor of the changes of its run', async () => {
  const { tenant, client, gone, runId } = await removedOne()
  const context = contextOf(service, tenant)
  const older = (days: number) =>
    service.cypher(
      `MATCH (n:RemovedMemory|MaintenanceRun) WHERE n.tenant = $tenant
      SET n.removedAt = n.removedAt - duration({days: toInteger($days)}),
        n.createdAt = n.createdAt - duration({days: toInteger($days)}),
        n.appliedAt = n.appliedAt - duration({days: toInteger($days)})`,
      { tenant, days },
    )
  await older(7)
  await runScheduledMaintenance(context)
  expect(await dumpOf(service, tenant)).toContain(gone)
  await older(1)
  await runScheduledMaintenance(context)
  expect(await dumpOf(service, tenant, { everything: true })).not.toContain(gone)
  expect(await client.getMaintenanceRun({ id: runId })).toMatchObject({ state: 'applied', changes: [] })
  await older(90)
  await runScheduledMaintenance(context)
  expect((await client.listMaintenanceRuns()).runs).toEqual([])
})

test('memories with very many connections are removed in a run each, and purged with all of these', async () => {
  const { tenant, client } = service.newTenant()
  const { memories } = await client.createMemories({
    memories: [someMemory(), someMemory(), someMemory({ policy: 'pinned' })],
  })
  const [one, two, pinned] = memories.map(({ id }) => id) as [string, string, string]
  await service.drain(tenant)
  await service.cypher(
    `MATCH (m:Memory {id: $pinned}) UNWIND [$one, $two] AS id MATCH (n:Memory {id: id}) UNWIND range(1, 6000) AS at
    CREATE (n)-[:PART_OF {key: id + ':' + at, tenant: $tenant, origin: 'asserted', createdAt: datetime()}]->(m)`,
    { tenant, one, two, pinned },
  )
  await Promise.all([one, two].map(id => client.deleteMemory({ id })))
  await age(service, tenant, 31)
  await runScheduledMaintenance(contextOf(service, tenant))
  const { runs } = await client.listMaintenanceRuns()
  expect(runs.map(({ summary }) => summary.remove)).toEqual([1, 1])
  await service.cypher(
    'MATCH (m:RemovedMemory) WHERE m.tenant = $tenant SET m.removedAt = m.removedAt - duration({days: 8})',
    { tenant },
  )
  await runScheduledMaintenance(contextOf(service, tenant))
  const left = await service.cypher<{ id: string; degree: number }>(
    'MATCH (m {tenant: $tenant}) WHERE m:Memory OR m:RemovedMemory RETURN m.id AS id, COUNT { (m)--() } AS degree',
    { tenant },
  )
  expect(left).toEqual([{ id: pinned, degree: 0 }])
})

test('a restore that meets the removal of its memory is either kept or refused, never lost', async () => {
  const { tenant, client } = service.newTenant()
  const { memories } = await client.createMemories({
    memories: Array.from({ length: 12 }, (_, index) => someMemory({ content: `Number ${index}` })),
  })
  await Promise.all(memories.map(({ id }) => client.deleteMemory({ id })))
  await age(service, tenant, 31)
  const { plan_id } = await client.planMaintenance()
  const [applied, ...restored] = await Promise.allSettled([
    client.applyMaintenance({ id: plan_id as string }),
    ...memories.map(({ id }) => client.restoreMemory({ id })),
  ])
  const kept = memories.filter((_, index) => restored[index]?.status === 'fulfilled')
  // What still fits is removed.
  expect(applied?.status).toBe(kept.length < memories.length ? 'fulfilled' : 'rejected')
  for (const { id } of kept)
    expect(await client.getMemory({ id, record_recall: false })).toMatchObject({ state: 'active' })
})

test('recalls that are over go in one run, however many they are', async () => {
  const tenant = freshTenant()
  const { id } = await service.clientOf(tenant).createMemory(someMemory({ policy: 'pinned' }))
  await service.cypher(
    `UNWIND range(1, 5001) AS at
     CREATE (:Recall {id: $id + ':' + toString(toInteger(at)), tenant: $tenant, memoryId: $id, foldedBy: 'run',
       at: datetime.realtime('Z') - duration({days: 9})})`,
    { id, tenant },
  )
  await runScheduledMaintenance(contextOf(service, tenant))
  expect(await service.cypher('MATCH (r:Recall {tenant: $tenant}) RETURN r.id', { tenant })).toEqual([])
})
