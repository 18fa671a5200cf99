import { expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { contextOf } from '../support/lifecycle.ts'
import { idOf, numbered, remember, rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'
import { startReceiver } from './receiver.ts'

const service = withService({ settings: { SERVICE_WEBHOOK_NETWORKS: '127.0.0.0/8' } })

/** A tenant with a webhook to a receiver of its own. */
async function stage(options: Omit<Input<'createWebhook'>, 'url'> = {}) {
  const receiver = await startReceiver()
  const { tenant, client } = service.newTenant()
  const webhook = await client.createWebhook({ url: receiver.url, ...options })
  receiver.trust(webhook.secret)
  return {
    receiver,
    tenant,
    client,
    id: webhook.id,
    async deliver() {
      while ((await service.webhooks.runOnceOf(tenant)) > 0);
    },
    stateOf: async () => (await client.listWebhooks()).webhooks[0],
    /** As if so many seconds had passed for what waits. */
    async pass(seconds: number) {
      await service.cypher(
        `MATCH (d:Delivery) WHERE d.waitsFor = $id AND d.number IS NOT NULL
        SET d.dueAt = d.dueAt - duration({seconds: $seconds}), d.queuedAt = d.queuedAt - duration({seconds: $seconds})`,
        { id: webhook.id, seconds },
      )
      await service.cypher(
        `MATCH (w:Webhook {id: $id}) SET w.nextAt = w.nextAt - duration({seconds: $seconds}), w.pausedUntil = w.pausedUntil - duration({seconds: $seconds}),
          w.leaseUntil = w.leaseUntil - duration({seconds: $seconds})`,
        { id: webhook.id, seconds },
      )
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

test('every change from then on arrives once, signed, in order and without content', async () => {
  const tenant = freshTenant()
  await remember(service.clientOf(tenant), ['before'])
  await using here = await stage()
  const { client, receiver } = here
  const { id } = await client.createMemory(someMemory({ content: 'secret content' }))
  await client.updateMemory({ id, tags: ['x'] })
  await client.putPolicy({ name: 'mine', health_decay: 1 })
  await client.deleteMemory({ id })
  await here.deliver()
  expect(receiver.kinds().toSorted()).toEqual(['archived', 'created', 'policy_put', 'updated'])
  const ofMemory = receiver.received.filter(({ message }) => message.data.memory_id === id)
  expect(ofMemory.map(({ message }) => message.data.version)).toEqual([1, 2, 3])
  expect(ofMemory[0]?.message).toMatchObject({ tenant: here.tenant, webhook_id: here.id })
  expect(JSON.stringify(receiver.received)).not.toContain('secret content')
  const { changes } = await client.listChanges({})
  expect(receiver.received.map(({ message }) => message.data.cursor).toSorted()).toEqual(
    changes.map(({ cursor }) => cursor).toSorted(),
  )
  await here.deliver()
  expect(receiver.received).toHaveLength(4)
  expect(await here.stateOf()).toMatchObject({
    waiting: 0,
    last_error: null,
    delivered_at: expect.any(String),
  })
})

test('only changes of the wanted kinds and memories arrive, and removals always', async () => {
  await using here = await stage({ kinds: ['created', 'connected', 'removed'], filters: { tags: ['mine'] } })
  const { client, receiver } = here
  const [one, two, three] = await remember(client, [
    { content: 'a cat', tags: ['mine'] },
    { content: 'a truck' },
    { content: 'a loaf' },
  ])
  await client.createConnection({ source_id: two?.id as string, target_id: one?.id as string })
  await client.createConnection({ source_id: two?.id as string, target_id: three?.id as string })
  await client.deleteMemory({ id: three?.id as string, hard: true })
  await here.deliver()
  expect(
    receiver.received
      .map(({ message: { data } }) => [data.kind, data.memory_id ?? data.connection?.target_id])
      .toSorted(),
  ).toEqual([
    ['connected', one?.id],
    ['created', one?.id],
    ['removed', three?.id],
  ])
})

test('a change that the receiver refuses is tried again, and holds up only what follows of the same memory', async () => {
  await using here = await stage()
  const { client, receiver } = here
  const [one = '', two = ''] = await rememberIds(client, ['a cat', 'a truck'])
  receiver.answerWith((response, { message }) =>
    response.writeHead(message.data.memory_id === one ? 500 : 200).end(),
  )
  await client.updateMemory({ id: one, tags: ['x'] })
  await client.updateMemory({ id: two, tags: ['x'] })
  await here.deliver()
  const versionsOf = (id: string) =>
    receiver.received.flatMap(({ message: { data } }) => (data.memory_id === id ? (data.version ?? []) : []))
  expect([versionsOf(one), versionsOf(two)]).toEqual([[1], [1, 2]])
  const { deliveries } = await client.listDeliveries({ id: here.id, state: 'waiting' })
  expect(deliveries.map(({ attempts, last_error }) => [attempts, last_error])).toEqual([
    [0, null],
    [1, 'the receiver answered with status 500'],
  ])
  receiver.answerWith(200)
  await here.pass(10)
  await here.deliver()
  expect(versionsOf(one)).toEqual([1, 1, 2])
  const first = receiver.received.filter(({ message: { data } }) => data.memory_id === one)
  expect(first[1]?.id).toBe(first[0]?.id)
})

test('hundreds of deliveries that wait hold up no other memory, and the webhook rests until one is due', async () => {
  await using here = await stage()
  const { client, receiver } = here
  const [one = '', two = ''] = await rememberIds(client, ['a cat', 'a truck'])
  await here.deliver()
  receiver.answerWith((response, { message }) =>
    response.writeHead(message.data.memory_id === one ? 500 : 200).end(),
  )
  await client.updateMemory({ id: one, tags: ['x'] })
  await here.deliver()
  // As if the memory had changed hundreds of times in the meantime.
  await service.cypher(
    `MATCH (d:Delivery) WHERE d.waitsFor = $id AND d.number IS NOT NULL
    UNWIND range(1, 600) AS at
    CREATE (other:Delivery) SET other = d{.*, id: randomUUID(), attempts: 0}`,
    { id: here.id },
  )
  await client.updateMemory({ id: two, tags: ['x'] })
  await here.deliver()
  const versions = receiver.received.flatMap(({ message: { data } }) =>
    data.memory_id === two ? (data.version ?? []) : [],
  )
  expect(versions).toEqual([1, 2])
  expect(await here.stateOf()).toMatchObject({ waiting: 601 })
  expect(await service.webhooks.runOnceOf(here.tenant)).toBe(0)
})

test('a receiver that is down gets a rest, and then everything in order', async () => {
  await using here = await stage()
  const { client, receiver } = here
  await receiver.stop()
  const memories = await remember(client, ['1', '2', '3', '4', '5', '6', '7', '8', '9'])
  const [id = ''] = memories.map(idOf)
  await client.updateMemory({ id, tags: ['x'] })
  await here.deliver()
  const paused = await here.stateOf()
  expect(paused).toMatchObject({ waiting: 10, last_error: 'the request failed: ECONNREFUSED' })
  expect(Date.parse(paused?.paused_until as string)).toBeGreaterThan(Date.now())
  const attempts = async () =>
    (await client.listDeliveries({ id: here.id })).deliveries.reduce((sum, each) => sum + each.attempts, 0)
  const before = await attempts()
  await here.pass(31)
  await here.deliver()
  expect(await attempts()).toBe(before + 1)
  await receiver.start()
  await here.pass(90)
  await here.deliver()
  expect(receiver.received).toHaveLength(10)
  expect(
    receiver.received.flatMap(({ message: { data } }) => (data.memory_id === id ? (data.version ?? []) : [])),
  ).toEqual([1, 2])
  expect(await here.stateOf()).toMatchObject({ waiting: 0, paused_until: null, last_error: null })
})

test('a redirect is a failure and is not followed', async () => {
  await using here = await stage()
  await using other = await startReceiver()
  here.receiver.answerWith(response => response.writeHead(307, { location: other.url }).end())
  await remember(here.client, ['a cat'])
  await here.deliver()
  expect(other.received).toEqual([])
  expect((await here.stateOf())?.last_error).toBe('the receiver answered with status 307')
})

test('a delivery that is not accepted within a day has failed, and can be sent again', async () => {
  await using here = await stage()
  const { client, receiver } = here
  receiver.answerWith(503)
  await remember(client, ['a cat', 'a truck'])
  await here.deliver()
  await here.pass(86_401)
  await here.deliver()
  const { deliveries } = await client.listDeliveries({ id: here.id, state: 'failed' })
  expect(deliveries).toHaveLength(2)
  expect(deliveries[0]).toMatchObject({ attempts: 2, due_at: null, settled_at: expect.any(String) })
  receiver.answerWith(200)
  expect(await client.redeliver({ id: here.id, delivery_id: deliveries[0]?.id })).toEqual({ queued: 1 })
  expect(await client.redeliver({ id: here.id })).toEqual({ queued: 1 })
  receiver.received.length = 0
  await here.deliver()
  expect(receiver.received.map(({ id }) => id).toSorted()).toEqual(deliveries.map(({ id }) => id).toSorted())
  expect(await problemOf(client.redeliver({ id: here.id, delivery_id: here.id }))).toMatchObject({
    code: 'delivery_not_found',
  })
})

test('two workers at once send everything once', async () => {
  await using here = await stage()
  await remember(here.client, numbered(120, 'memory'))
  await Promise.all([1, 2, 3].map(() => here.deliver()))
  await here.deliver()
  expect(here.receiver.received).toHaveLength(120)
  expect(new Set(here.receiver.received.map(({ id }) => id)).size).toBe(120)
})

test('what a worker leaves behind is taken up when its lease ends', async () => {
  await using here = await stage()
  await remember(here.client, ['a cat'])
  await service.cypher(
    `MATCH (w:Webhook {id: $id}) SET w.owner = 'dead', w.leaseUntil = datetime.realtime('Z') + duration({seconds: 60})`,
    { id: here.id },
  )
  await here.deliver()
  expect(here.receiver.received).toEqual([])
  await here.pass(61)
  await here.deliver()
  expect(here.receiver.kinds()).toEqual(['created'])
})

test('a paused queue sends nothing until it is resumed', async () => {
  await using here = await stage()
  await remember(here.client, ['a cat'])
  await here.client.pauseQueue({ until: new Date(Date.now() + 60_000).toISOString() })
  await here.deliver()
  expect(here.receiver.received).toEqual([])
  await here.client.resumeQueue({})
  await here.deliver()
  expect(here.receiver.kinds()).toEqual(['created'])
})

test('deliveries are listed page by page, and end with their webhook or their tenant', async () => {
  await using here = await stage()
  const { client, id } = here
  await remember(client, ['1', '2', '3'])
  await here.deliver()
  const first = await client.listDeliveries({ id, limit: 2 })
  const second = await client.listDeliveries({ id, limit: 2, before: first.next_before as string })
  expect(second.next_before).toBeNull()
  const ids = [...first.deliveries, ...second.deliveries].map(delivery => delivery.id)
  expect(ids.toSorted()).toEqual(here.receiver.received.map(received => received.id).toSorted())
  const count = 'MATCH (d:Delivery) WHERE d.tenant = $of AND d.queuedAt IS NOT NULL RETURN count(*) AS n'
  expect(await client.deleteWebhook({ id })).toEqual({ id, deleted: true })
  expect(await service.cypher(count, { of: here.tenant })).toEqual([{ n: 0 }])
  expect((await client.listAudit({})).entries.map(({ operation }) => operation)).toEqual([
    'deleteWebhook',
    'createWebhook',
  ])
  here.receiver.trust((await client.createWebhook({ url: here.receiver.url })).secret)
  await remember(client, ['4'])
  await here.deliver()
  await service.client.eraseTenant({ tenant: here.tenant })
  expect(await service.cypher(count, { of: here.tenant })).toEqual([{ n: 0 }])
  expect((await client.listWebhooks()).webhooks).toEqual([])
})

test('a tenant has at most 20 webhooks, also when many are made at once', async () => {
  const client = service.clientOf(freshTenant())
  const outcomes = await Promise.all(
    Array.from({ length: 24 }, () =>
      client.createWebhook({ url: 'https://hooks.invalid/' }).then(
        () => 'made',
        error => error.problem?.code,
      ),
    ),
  )
  expect(outcomes.toSorted()).toEqual([...Array(20).fill('made'), ...Array(4).fill('too_many_webhooks')])
})

test('deliveries are kept as long as changes: those that ended, or whose webhook is gone, go with maintenance', async () => {
  await using here = await stage()
  await remember(here.client, ['1', '2'])
  await here.deliver()
  here.receiver.answerWith(500)
  await remember(here.client, ['3'])
  await here.deliver()
  const week = 604_800
  await service.cypher(
    `MATCH (d:Delivery) WHERE d.tenant = $of AND d.queuedAt IS NOT NULL
    SET d.queuedAt = d.queuedAt - duration({seconds: $week}) - duration({minutes: 1})`,
    { of: here.tenant, week },
  )
  const left = async () =>
    service.cypher(
      'MATCH (d:Delivery) WHERE d.tenant = $of AND d.queuedAt IS NOT NULL RETURN d.state AS state',
      { of: here.tenant },
    )
  await runScheduledMaintenance(contextOf(service, here.tenant))
  expect(await left()).toEqual([{ state: 'waiting' }])
  await service.cypher('MATCH (w:Webhook {id: $id}) DELETE w', { id: here.id })
  await runScheduledMaintenance(contextOf(service, here.tenant))
  expect(await left()).toEqual([])
})
