import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { type RouteName, routeNames, routes } from '../../src/contract/index.ts'
import { isRead } from '../../src/contract/route.ts'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { bundleLines, exported, imported, memoryLine } from '../../tools/bundle-lines.ts'
import { age, contextOf } from '../support/lifecycle.ts'
import { idOf, remember, rememberIds } from '../support/seed.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

type Stage = { client: Client; tenant: string; one: string; two: string; three: string }

/** A tenant with three memories that discovery does not connect, and the changes in the feed after that. */
async function stage() {
  const { tenant, client } = service.newTenant()
  const memories = await remember(client, [
    { content: 'a cat', policy: 'short_term' },
    { content: 'a truck', policy: 'short_term' },
    { content: 'a loaf of bread', policy: 'long_term' },
  ])
  const [one, two, three] = memories.map(idOf) as [string, string, string]
  const { next_cursor } = await client.listChanges({})
  const recorded = async () => {
    const { changes } = await client.listChanges({ cursor: next_cursor })
    return changes.map(({ kind, memory_id, version, connection, policy }) =>
      connection
        ? `${kind} ${connection.source_id === one ? 'one' : 'two'} ${connection.relationship_type} ${hundredths(connection.strength)} ${connection.origin}`
        : policy
          ? `${kind} ${policy}`
          : `${kind} ${{ [one]: 'one', [two]: 'two', [three]: 'three' }[memory_id as string] ?? 'new'} ${version}`,
    )
  }
  return { client, tenant, one, two, three, recorded }
}

const hundredths = (strength: number | null) => strength && Math.round(strength * 100) / 100

type Write = { does: (stage: Stage) => Promise<unknown>; records: string[] }
const connected = ({ client, one, two }: Stage) =>
  client.createConnection({ source_id: one, target_id: two, relationship_type: 'supports', strength: 0.5 })

/** Every operation that changes memories, connections or policies, with all its changes in the feed. */
const writes: Partial<Record<RouteName, Write[]>> = {
  createMemory: [{ does: ({ client }) => client.createMemory(someMemory()), records: ['created new 1'] }],
  createMemories: [
    { does: ({ client }) => remember(client, ['x', 'y']), records: ['created new 1', 'created new 1'] },
  ],
  addTurns: [
    {
      does: async ({ client }) => {
        const said = {
          session_id: 'chat',
          turns: [{ speaker: 'Ada', text: 'x', time: '2026-01-01T00:00:00Z' }],
        }
        await client.addTurns(said)
        await client.addTurns(said)
      },
      records: ['created new 1'],
    },
  ],
  updateMemory: [
    { does: ({ client, one }) => client.updateMemory({ id: one, tags: ['x'] }), records: ['updated one 2'] },
    {
      does: ({ client, one }) => client.updateMemory({ id: one, content: 'a dog', ttl_seconds: 90 }),
      records: ['updated one 2'],
    },
    {
      does: ({ client, one }) =>
        client.updateMemory({ id: one, importance: 1 }, { headers: { 'if-match': '"7"' } }).catch(() => {}),
      records: [],
    },
  ],
  deleteMemory: [
    { does: ({ client, one }) => client.deleteMemory({ id: one }), records: ['archived one 2'] },
    {
      does: async ({ client, one }) => {
        await client.deleteMemory({ id: one })
        await client.deleteMemory({ id: one })
      },
      records: ['archived one 2'],
    },
    {
      does: async stage => {
        await connected(stage)
        await stage.client.deleteMemory({ id: stage.one, hard: true })
      },
      records: ['connected one supports 0.5 asserted', 'removed one null'],
    },
  ],
  restoreMemory: [
    {
      does: async ({ client, one }) => {
        await client.deleteMemory({ id: one })
        await client.restoreMemory({ id: one })
        await client.restoreMemory({ id: one })
      },
      records: ['archived one 2', 'restored one 3'],
    },
  ],
  createConnection: [
    {
      does: async stage => {
        await connected(stage)
        await connected(stage)
        const { client, one, two } = stage
        const ends = { source_id: one, target_id: two, relationship_type: 'supports' } as const
        await client.createConnection(ends)
        await client.createConnection({ ...ends, strength: 0.25 })
      },
      records: ['connected one supports 0.5 asserted', 'connected one supports 0.25 asserted'],
    },
  ],
  createConnections: [
    {
      does: async ({ client, one, two }) => {
        const there = {
          source_id: one,
          target_id: two,
          relationship_type: 'supports',
          strength: 0.5,
        } as const
        const back = { ...there, source_id: two, target_id: one }
        await client.createConnections({ connections: [there, back] })
        await client.createConnections({ connections: [there, { ...back, strength: 0.25 }] })
      },
      records: [
        'connected one supports 0.5 asserted',
        'connected two supports 0.5 asserted',
        'connected two supports 0.25 asserted',
      ],
    },
  ],
  deleteConnection: [
    {
      does: async stage => {
        await connected(stage)
        const { client, one, two } = stage
        const remove = () => client.deleteConnection({ source_id: one, target_id: two })
        await Promise.allSettled([remove(), remove(), remove()])
      },
      records: ['connected one supports 0.5 asserted', 'disconnected one supports 0.5 asserted'],
    },
  ],
  resolveConflict: [
    {
      does: async ({ client, one, two }) => {
        await client.createConnection({ source_id: one, target_id: two, relationship_type: 'contradicts' })
        await client.resolveConflict({ keep_id: two, archive_id: one })
      },
      records: ['connected one contradicts null asserted', 'archived one 2'],
    },
  ],
  reviewConflict: [
    {
      does: async ({ client, tenant }) => {
        const [older, newer] = [
          (await client.createMemory(someMemory({ content: 'The office is in Ghent' }))).id,
          (await client.createMemory(someMemory({ content: 'The office is in Porto' }))).id,
        ]
        await service.drain(tenant)
        await client.reviewConflict({ source_id: newer, target_id: older, outcome: 'confirmed' })
      },
      records: [
        'created new 1',
        'created new 1',
        'connected two related_to 0.85 discovered',
        'connected two contradicts null asserted',
      ],
    },
  ],
  revertMemory: [
    {
      does: async ({ client, one }) => {
        await client.updateMemory({ id: one, tags: ['x'] })
        await client.revertMemory({ id: one, version: 1 })
      },
      records: ['updated one 2', 'updated one 3'],
    },
  ],
  eraseMemories: [
    {
      does: ({ client }) => client.eraseMemories({ filters: { policy: 'long_term' } }),
      records: ['removed three null'],
    },
  ],
  putPolicy: [
    {
      does: async ({ client }) => {
        await client.putPolicy({ name: 'mine', health_decay: 1 })
        await client.putPolicy({ name: 'mine', health_decay: 1 })
        await client.putPolicy({ name: 'mine', health_decay: 2 })
      },
      records: ['policy_put mine', 'policy_put mine'],
    },
  ],
  deletePolicy: [
    {
      does: async ({ client }) => {
        await client.putPolicy({ name: 'pinned', health_decay: 1 })
        await client.deletePolicy({ name: 'pinned' })
        await client.deletePolicy({ name: 'pinned' }).catch(() => {})
      },
      records: ['policy_put pinned', 'policy_deleted pinned'],
    },
  ],
  importBundle: [
    { does: ({ client }) => imported(client, bundleLines([memoryLine()])), records: ['created new 1'] },
    {
      does: async stage => {
        await connected(stage)
        const lines = await exported(stage.client)
        await stage.client.deleteMemory({ id: stage.one, hard: true })
        await imported(stage.client, lines)
        await imported(stage.client, lines)
      },
      records: [
        'connected one supports 0.5 asserted',
        'removed one null',
        'created one 1',
        'connected one supports 0.5 asserted',
      ],
    },
  ],
  applyMaintenance: [
    {
      does: async stage => applied(await lived(stage)),
      records: ['archived one 2', 'promoted two 2'],
    },
    {
      does: async stage => {
        await removedOne(stage)
        await stage.client.deleteMemory({ id: stage.one, hard: true })
      },
      records: ['archived one 2', 'removed one null'],
    },
  ],
  undoMaintenance: [
    {
      does: async stage => stage.client.undoMaintenance({ id: await applied(await lived(stage)) }),
      records: ['archived one 2', 'promoted two 2', 'restored one 3', 'updated two 3'],
    },
    {
      does: async stage => stage.client.undoMaintenance({ id: await removedOne(stage) }),
      records: ['archived one 2', 'removed one null', 'restored one 3'],
    },
  ],
}

/** One memory at its end, and one that has earned another policy. */
async function lived(stage: Stage) {
  const { tenant, one, two } = stage
  await service.cypher(
    `MATCH (m:Memory {tenant: $tenant}) SET m.health = CASE m.id WHEN $one THEN 0.0 ELSE 100.0 END,
      m.recallCount = CASE m.id WHEN $two THEN 3 ELSE 0 END
    WITH m WHERE m.id = $two
    UNWIND range(1, 3) AS at
    CREATE (:Recall {id: m.id + ':test' + at, tenant: m.tenant, memoryId: m.id, at: datetime.realtime('Z')})`,
    { tenant, one, two },
  )
  return stage
}

async function applied({ client }: Stage) {
  const { plan_id } = await client.planMaintenance({})
  return (await client.applyMaintenance({ id: plan_id as string })).run_id
}

async function removedOne(stage: Stage) {
  const { client, one, tenant } = stage
  await client.deleteMemory({ id: one })
  await service.cypher(`MATCH (m:Memory {id: $one}) SET m.archivedAt = m.archivedAt - duration({days: 40})`, {
    one,
    tenant,
  })
  return applied(stage)
}

const cases = Object.entries(writes).flatMap(([name, each]) =>
  each.map((write, at) => [name, at, write] as const),
)

test.each(cases)('%s (%i) leaves exactly its changes', async (_name, _at, { does, records }) => {
  const { recorded, ...each } = await stage()
  await does(each)
  expect((await recorded()).toSorted()).toEqual(records.toSorted())
  expect(await recorded()).toHaveLength(records.length)
})

/** They change neither memories nor connections nor policies: keys, queues, spaces, plans. */
const untold: RouteName[] = [
  'planMaintenance',
  'createKey',
  'createWebhook',
  'deleteWebhook',
  'redeliver',
  'rotateKey',
  'deleteKey',
  'putQuota',
  'importRecords',
  'eraseTenant',
  'retryJob',
  'retryJobs',
  'extractFacts',
  'pauseQueue',
  'resumeQueue',
  'rediscoverMemories',
  'compareEmbeddingSpaces',
  'switchEmbeddingSpace',
  'deleteEmbeddingSpace',
]

test('every operation that writes has its row, or is known to add nothing to the feed', () => {
  const writing = routeNames.filter(name => !isRead(routes[name]))
  expect([...Object.keys(writes), ...untold].toSorted()).toEqual(writing.toSorted())
})

test('an update and a revert name the fields that they changed, and no others', async () => {
  const { client, one } = await stage()
  const { importance, tags } = await client.getMemory({ id: one })
  await client.updateMemory({ id: one, importance, tags, content: 'a kitten', metadata: { page: 1 } })
  await client.updateMemory({ id: one, ttl_seconds: 60, source: 'diary' })
  await client.revertMemory({ id: one, version: 1 })
  const { changes } = await client.listChanges({ memory_id: one })
  expect(changes.map(({ kind, fields }) => [kind, fields?.toSorted()])).toEqual([
    ['created', undefined],
    ['updated', ['content', 'metadata']],
    ['updated', ['source', 'ttl_seconds']],
    ['updated', ['content', 'metadata', 'source', 'ttl_seconds']],
  ])
})

test('reading, recalls and ageing leave no changes', async () => {
  const { client, tenant, one, recorded } = await stage()
  await client.getMemory({ id: one })
  await client.searchMemories({ query: 'cat', search_type: 'hybrid' })
  await client.relatedMemories({ id: one })
  await age(service, tenant, 2)
  await runScheduledMaintenance(contextOf(service, tenant))
  expect((await client.getMemory({ id: one, record_recall: false })).health).toBeLessThan(100)
  expect(await recorded()).toEqual([])
})

test('discovery records the connections that it creates, reweights and removes', async () => {
  const { client, tenant, one, recorded } = await stage()
  const [twin] = await rememberIds(client, ['a cat'])
  await service.drain(tenant)
  expect((await recorded()).filter(each => !each.startsWith('created'))).toEqual([
    'connected two related_to 1 discovered',
  ])
  await client.updateMemory({ id: one, content: 'a truck' })
  await service.drain(tenant)
  const { changes } = await client.listChanges({ memory_id: twin })
  expect(changes.map(({ kind }) => kind)).toEqual(['created', 'connected', 'disconnected'])
  expect(changes[2]?.connection).toMatchObject({ source_id: twin, target_id: one, origin: 'discovered' })
  await client.rediscoverMemories()
  await service.drain(tenant)
  expect((await client.listChanges({ memory_id: twin })).changes).toHaveLength(3)
})
