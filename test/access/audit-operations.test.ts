import { expect, test } from 'vitest'
import { auditedOperations } from '../../src/contract/audit.ts'
import { type RouteName, routes } from '../../src/contract/index.ts'
import { isRead } from '../../src/contract/route.ts'
import { rememberIds } from '../support/seed.ts'
import { problemOf, withService } from '../support/service.ts'

const service = withService()

const OF_A_MEMORY = 'a write of one memory: its history and the feed say who and when'
const OF_A_CONNECTION = 'a write of a connection: the feed says when'

/** What changes something and is not in the audit log, with the reason. */
const exempt: Partial<Record<RouteName, string>> = {
  createMemory: OF_A_MEMORY,
  createMemories: OF_A_MEMORY,
  addTurns: OF_A_MEMORY,
  extractFacts: 'its job records a run',
  updateMemory: OF_A_MEMORY,
  restoreMemory: OF_A_MEMORY,
  revertMemory: OF_A_MEMORY,
  createConnection: OF_A_CONNECTION,
  createConnections: OF_A_CONNECTION,
  deleteConnection: OF_A_CONNECTION,
  reviewConflict: OF_A_CONNECTION,
  planMaintenance: 'changes no memory: the call that applies the plan is recorded',
  compareEmbeddingSpaces: 'only reads',
}

test('every operation that changes something is in the audit log, or is exempt for a reason', () => {
  const changing = (Object.keys(routes) as RouteName[]).filter(name => !isRead(routes[name]))
  const audited: readonly string[] = auditedOperations
  expect(changing.filter(name => !audited.includes(name) && !exempt[name])).toEqual([])
  expect(Object.keys(exempt).filter(name => audited.includes(name))).toEqual([])
  expect(audited.filter(name => !(name in routes))).toEqual([])
})

test('pauses, retries and resolved conflicts say who did them; what had no effect says so', async () => {
  const { tenant, client } = service.newTenant()
  const [a, b] = await rememberIds(client, ['Porto is in Portugal', 'Porto is in Spain'])
  await client.createConnection({ source_id: b, target_id: a, relationship_type: 'contradicts' })
  await client.pauseQueue({ until: new Date(Date.now() + 60_000).toISOString() })
  await client.resumeQueue({})
  await client.rediscoverMemories({})
  await service.cypher(`MATCH (j:Job {tenant: $tenant, memoryId: $a}) SET j.state = 'failed'`, { tenant, a })
  const [failed] = (await client.listJobs({ state: 'failed' })).jobs
  await client.retryJob({ id: failed?.id as string })
  expect(await problemOf(client.retryJob({ id: failed?.id as string }))).toMatchObject({
    code: 'job_not_failed',
  })
  await client.retryJobs({ kind: 'discover' })
  await client.resolveConflict({ keep_id: a, archive_id: b })
  expect(await problemOf(client.resolveConflict({ keep_id: a, archive_id: b }))).toMatchObject({
    code: 'memory_archived',
  })
  const webhook = await client.createWebhook({ url: 'https://hooks.invalid/' })
  await client.redeliver({ id: webhook.id })

  const entries = (await client.listAudit({})).entries.toReversed()
  expect(entries.map(({ operation, target, outcome }) => [operation, target, outcome])).toEqual([
    ['pauseQueue', tenant, 'ok'],
    ['resumeQueue', tenant, 'ok'],
    ['rediscoverMemories', `rediscover_all:${tenant}`, 'ok'],
    ['retryJob', failed?.id, 'ok'],
    ['retryJob', null, 'job_not_failed'],
    ['retryJobs', 'discover', 'ok'],
    ['resolveConflict', b, 'ok'],
    ['resolveConflict', null, 'memory_archived'],
    ['createWebhook', webhook.id, 'ok'],
    ['redeliver', webhook.id, 'ok'],
  ])
  expect(entries.every(({ key_id }) => key_id === 'operator')).toBe(true)
})

test('a made-up key is recorded in the log of the tenant that an operator has by default, once a minute', async () => {
  const before = (await refusals()).length
  const stranger = service.clientOf(service.tenant, 'mnk_made-up')
  for (let call = 0; call < 3; call++)
    expect(await problemOf(stranger.getStats())).toMatchObject({ status: 401 })
  await expect.poll(async () => (await refusals()).length).toBe(before + 1)
  expect((await refusals())[0]).toMatchObject({
    key_id: null,
    address: expect.stringMatching(/127/),
    outcome: 'unauthorized',
  })
})

const refusals = async () =>
  (await service.clientOf('default').listAudit({ operation: 'authenticate', limit: 500 })).entries
