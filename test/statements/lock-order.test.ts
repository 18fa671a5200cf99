import { expect, test } from 'vitest'
import { planReplacements } from '../../src/service/lifecycle/supersessions.ts'
import { deleteOldRequests } from '../../src/store/access/idempotency.ts'
import { connectNeighbours } from '../../src/store/connections/discovery.ts'
import { queueRediscoveries } from '../../src/store/connections/rediscovery.ts'
import { storeVector } from '../../src/store/embeddings/vectors.ts'
import { saveStandings } from '../../src/store/graph/communities.ts'
import { saveRun } from '../../src/store/lifecycle/runs.ts'
import { textDigest } from '../../src/store/neo4j/tokens.ts'
import { type Asked, startModelEndpoint } from '../../tools/model-endpoint.ts'
import { fixture } from '../support/fixture.ts'
import { contextOf } from '../support/lifecycle.ts'
import { isFreeWhileWaiting, type Locking, memoryOf, nodesOf } from '../support/lock-order.ts'
import { idOf, rememberIds } from '../support/seed.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const model = fixture(() => startModelEndpoint(factOfEachTurn))
const service = withService(() => ({
  settings: { SERVICE_MODEL: 'model-of-the-tests', SERVICE_MODEL_BASE_URL: model.url },
}))

const NOTHING = { found: [], suspected: [], report: null, threshold: 1, byRule: false, measures: false }

/** Order: texts, memories by tenant and id, jobs by id, then runs and policies, the feed, the audit log. */
type Case = { first: Locking; later: Locking; request: () => Promise<unknown> }

const SAME = ['the cat sleeps on the sofa', 'The cat sleeps on the sofa!'] as const

/** Memories of a new tenant in the order of their ids. */
async function seeded(...contents: string[]) {
  const { tenant, client } = service.newTenant()
  const ids = await rememberIds(client, contents)
  expect(ids).toEqual(ids.toSorted())
  const [low, high, third] = ids as [string, string, string]
  return { tenant, client, ctx: contextOf(service, tenant), low, high, third }
}

const textOf = (tenant: string, content: string): Locking => [
  'MERGE (l:TextLock {key: $key}) DELETE l RETURN 1 AS locked',
  { key: `${tenant}:${textDigest(content)}` },
]

/** The nodes that come behind memories. */
const behind = (tenant: string) => nodesOf('MaintenanceRun|AuditLog|Policy', tenant)

/** The memory with the lower id is the younger one: an index by age finds the other one first. */
const swapAges = (tenant: string) =>
  service.cypher(
    'MATCH (m:Memory {tenant: $of}) WITH m ORDER BY m.id WITH collect(m) AS found UNWIND range(0, size(found) - 1) AS at WITH found[at] AS m, at SET m.createdAt = m.createdAt - duration({minutes: at})',
    { of: tenant },
  )

async function supersession() {
  const { tenant, client, ctx, low, high } = await seeded('Lives in Rome', 'Lives in Porto')
  const [plan] = await planReplacements(ctx, [
    { newer: { id: high, revision: 1 }, older: { id: low, revision: 1 }, reason: 'later', rule: 'test' },
  ])
  await saveRun(ctx, plan as NonNullable<typeof plan>)
  await client.putPolicy({ name: 'audited', health_decay: 1 })
  return { tenant, client, low, id: plan?.id as string }
}

/** Two near duplicates, of which the younger one supports a memory with a lower id. */
async function mergeable() {
  const { tenant, client, low, high, third } = await seeded('a truck engine', ...SAME)
  await service.drain(tenant)
  await client.createConnection({ source_id: third, target_id: low, relationship_type: 'supports' })
  await client.putPolicy({ name: 'audited', health_decay: 1 })
  const plan = await client.planMaintenance({ kind: 'merge' })
  expect(plan.changes.map(({ memory_id }) => memory_id)).toEqual([high, third])
  return { tenant, client, low, high, third, id: plan.plan_id as string }
}

async function told(...texts: string[]) {
  const { tenant, client } = service.newTenant()
  const time = (at: number) => new Date(Date.UTC(2026, 10, 20, 9, 0, at)).toISOString()
  const { turns } = await client.addTurns({
    session_id: 'chat',
    turns: texts.map((text, at) => ({ speaker: 'Ada', text, time: time(at) })),
  })
  const [low, high] = turns.map(idOf).toSorted() as [string, string]
  return { tenant, client, low, high }
}

/** Running jobs about memories that are not there, which discovery only ends. */
async function runningJobs(tenant: string, ids: readonly string[]) {
  await service.cypher(
    "UNWIND $ids AS id CREATE (:Job {id: id, tenant: $of, kind: 'discover', state: 'running', owner: 'me', attempt: 1, memoryId: id, revision: 1})",
    { of: tenant, ids },
  )
  return ids.map(id => ({
    ...{ id, kind: 'discover', tenant, memoryId: id, revision: 1, attempt: 1, owner: 'me', trace: null },
  }))
}

const job = (id: string): Locking => ['MATCH (j:Job {id: $id}) SET j.lock = true RETURN j.id', { id }]

const cases: Record<string, () => Promise<Case>> = {
  'a create that supersedes waits for its text before it locks the old memory': async () => {
    const { tenant, client, low } = await seeded('Lives in Rome')
    const content = 'Lives in Porto'
    return {
      first: textOf(tenant, content),
      later: memoryOf(tenant, low),
      request: () => client.createMemory(someMemory({ content, supersedes: [low], on_duplicate: 'return' })),
    }
  },
  'a batch locks the memories that stand for its own by their ids': async () => {
    const { tenant, client, low, high } = await seeded('Said first', 'Said second')
    const memories = ['Said second', 'Said first'].map(content =>
      someMemory({ content, on_duplicate: 'return' }),
    )
    return {
      first: memoryOf(tenant, low),
      later: memoryOf(tenant, high),
      request: () => client.createMemories({ memories }),
    }
  },
  'facts wait for their texts before they lock the turns that they are from': async () => {
    const { tenant, low } = await told('Ada drinks oat milk')
    return {
      first: textOf(tenant, 'Ada drinks oat milk, she said'),
      later: memoryOf(tenant, low),
      request: () => service.drainModel(tenant),
    }
  },
  'turns that are read again are locked by their ids': async () => {
    const { tenant, client, low, high } = await told('I drink tea', 'I drink milk')
    await service.drainModel(tenant)
    await swapAges(tenant)
    return {
      first: memoryOf(tenant, low),
      later: memoryOf(tenant, high),
      request: () => client.extractFacts({ session_id: 'chat', repeat: true }),
    }
  },
  'a plan that supersedes is applied behind the locks of its memories': async () => {
    const { tenant, client, low, id } = await supersession()
    return {
      first: memoryOf(tenant, low),
      later: behind(tenant),
      request: () => client.applyMaintenance({ id }),
    }
  },
  'the undo of a plan that supersedes waits for its memories first': async () => {
    const { tenant, client, low, id } = await supersession()
    await client.applyMaintenance({ id })
    return {
      first: memoryOf(tenant, low),
      later: behind(tenant),
      request: () => client.undoMaintenance({ id }),
    }
  },
  'the undo of an extraction waits for its memories first': async () => {
    const { tenant, client } = await told('Ada drinks oat milk')
    await service.drainModel(tenant)
    const { runs } = await client.listMaintenanceRuns({})
    const { changes } = await client.getMaintenanceRun({ id: runs[0]?.id as string })
    await client.putPolicy({ name: 'audited', health_decay: 1 })
    return {
      first: memoryOf(tenant, changes[0]?.memory_id as string),
      later: behind(tenant),
      request: () => client.undoMaintenance({ id: runs[0]?.id as string }),
    }
  },
  'the undo of a plan waits for its memories first': async () => {
    const { tenant, client, low } = await seeded('Forget this')
    const { plan_id } = await client.planMaintenance({ kind: 'forget', filters: { min_importance: 0 } })
    await client.applyMaintenance({ id: plan_id as string })
    return {
      first: memoryOf(tenant, low),
      later: behind(tenant),
      request: () => client.undoMaintenance({ id: plan_id as string }),
    }
  },
  'a merge locks the other ends of the connections that it copies with its memories': async () => {
    const { tenant, client, low, high, id } = await mergeable()
    return {
      first: memoryOf(tenant, low),
      later: memoryOf(tenant, high),
      request: () => client.applyMaintenance({ id }),
    }
  },
  'the undo of a merge does so too': async () => {
    const { tenant, client, low, high, id } = await mergeable()
    await client.applyMaintenance({ id })
    return {
      first: memoryOf(tenant, low),
      later: memoryOf(tenant, high),
      request: () => client.undoMaintenance({ id }),
    }
  },
  'a removal for good locks the jobs of the memory by their ids': async () => {
    const { tenant, client, low } = await seeded('Has two jobs')
    await service.drain(tenant)
    await service.cypher(
      "UNWIND ['b', 'a'] AS name CREATE (:Job {id: name + $id, tenant: $of, memoryId: $id, kind: 'discover', state: 'failed', attempt: 1})",
      { of: tenant, id: low },
    )
    return {
      first: job(`a${low}`),
      later: job(`b${low}`),
      request: () => client.deleteMemory({ id: low, hard: true }),
    }
  },
  'discoveries that end together lock their jobs by the ids': async () => {
    const tenant = freshTenant()
    const ctx = contextOf(service, tenant)
    const [low, high] = [`discover:a${tenant}`, `discover:b${tenant}`]
    const jobs = await runningJobs(tenant, [`discover:0${tenant}`, high, low])
    return {
      first: job(low),
      later: job(high),
      // The first is on its way when the two others come.
      request: () => Promise.all(jobs.map(each => connectNeighbours(ctx, each, NOTHING))),
    }
  },
  'vectors of several tenants are stored in the order of tenants and ids': async () => {
    const one = await seeded('Of one tenant')
    const two = await seeded('Of another tenant', 'On its way when the two others come')
    const [before, after] = [one, two].toSorted((a, b) => (a.tenant < b.tenant ? -1 : 1)) as [
      typeof one,
      typeof one,
    ]
    const rowOf = (id: string) => ({ id, revision: 1, vector: new Float32Array(1536), truncated: false })
    const store = ({ ctx }: typeof one, id: string) => storeVector(ctx, ctx.space, rowOf(id))
    // By the ids alone, the memory of the second tenant would come first.
    const lower = '00000000-0000-7000-8000-000000000000'
    await service.cypher('MATCH (m:Memory {tenant: $of, id: $id}) SET m.id = $lower', {
      ...{ of: after.tenant, id: after.low, lower },
    })
    return {
      first: memoryOf(before.tenant, before.low),
      later: memoryOf(after.tenant, lower),
      request: () => Promise.all([store(two, two.high), store(after, lower), store(before, before.low)]),
    }
  },
  'an analysis keeps what it has found in the order of the ids': async () => {
    const { tenant, ctx, low, high } = await seeded('In a community', 'In another')
    const rows = [high, low].map(id => ({ id, community: null, rank: 1, degree: 1 }))
    return {
      first: memoryOf(tenant, low),
      later: memoryOf(tenant, high),
      request: () => saveStandings(ctx, rows),
    }
  },
  'jobs that discover all memories again are queued in the order of their ids': async () => {
    const { tenant, ctx, low, high } = await seeded('Discovered again', 'Discovered again too')
    const window = () => queueRediscoveries(ctx, { createdAt: 0, id: '' }, 10)
    await window()
    await swapAges(tenant)
    return {
      first: job(`rediscover:${tenant}:${low}:1`),
      later: job(`rediscover:${tenant}:${high}:1`),
      request: window,
    }
  },
  'requests that are no longer kept are locked before what their answers tell of': async () => {
    const { tenant, ctx } = await seeded('Told of')
    await service.cypher(
      "CREATE (:IdempotentRequest {id: $of, tenant: $of, createdAt: datetime.realtime('Z') - duration({days: 9})})-[:ANSWERED]->(:AnsweredMemory {tenant: $of, memoryId: 'm'})",
      { of: tenant },
    )
    return {
      first: nodesOf('IdempotentRequest', tenant),
      later: nodesOf('AnsweredMemory', tenant),
      request: () => deleteOldRequests(ctx),
    }
  },
}

test.each(Object.entries(cases))('%s', async (_, prepare) => {
  const { request, ...locks } = await prepare()
  expect(await isFreeWhileWaiting(service, locks, request)).toBe(true)
})

function factOfEachTurn({ data }: Asked) {
  const facts = (data.turns ?? []).map(({ ref, text }: { ref: string; text: string }) => ({
    ...{ text: `${text}, she said`, turns: [ref], kind: 'preference', confidence: 0.9 },
    ...{ holds_from: null, holds_until: null, supersedes: [] },
  }))
  return { facts }
}
