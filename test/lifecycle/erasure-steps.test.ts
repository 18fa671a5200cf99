import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { idOf, rememberIds } from '../support/seed.ts'
import { problemOf, someMemory, withService } from '../support/service.ts'
import { beforeFirst, holdBack, listenTo, type Statement } from '../support/statements.ts'

const service = withService()

const texts = (count: number) => Array.from({ length: count }, (_, at) => `memory ${at}`)

async function filled(count: number) {
  const { tenant, client } = service.newTenant()
  const ids = await rememberIds(client, texts(count))
  return { tenant, client, ids }
}

const digestOf = (ids: readonly string[]) =>
  createHash('sha256').update(ids.toSorted().join('\n')).digest('hex')

const receiptsOf = async (tenant: string) =>
  (
    await service.cypher<{ id: string }>('MATCH (e:Erasure {tenant: $tenant}) RETURN e.id AS id', { tenant })
  ).map(idOf)

/** A step that the process does not survive. */
const stopAt = (fragment: string) =>
  beforeFirst(service, fragment, () => Promise.reject(new Error('the process was killed')))

/** As if the time had passed after which another process takes the job. */
const makeDue = (tenant: string) =>
  service.cypher(
    "MATCH (j:Job {tenant: $tenant, kind: 'erase'}) SET j.state = 'queued', j.runAt = datetime()",
    {
      tenant,
    },
  )

test('an erasure that is stopped has a receipt that is running, is resumed, and is of all that was removed', async () => {
  const { tenant, client, ids } = await filled(1_200)
  stopAt('RETURN EXISTS {\n      UNWIND $ids')
  expect(await problemOf(client.eraseMemories({ filters: { policy: 'short_term' } }))).toMatchObject({
    status: 500,
  })
  const [id = ''] = await receiptsOf(tenant)
  const running = await client.getErasure({ id })
  expect(running).toMatchObject({ id, state: 'running', complete: false, verified: false, digest: null })
  expect(running.counts.memories).toBe(1_200)
  const { entries } = await client.listAudit({ operation: 'eraseMemories' })
  expect(entries.map(({ target }) => target)).toEqual([id])
  await makeDue(tenant)
  await service.drain(tenant)
  expect(await client.getErasure({ id })).toMatchObject({
    state: 'complete',
    complete: true,
    verified: true,
    counts: { memories: 1_200 },
    digest: digestOf(ids),
  })
  expect(await left(tenant)).toEqual(['AuditEntry', 'AuditLog', 'Change', 'Erasure'])
})

test('the same request resumes an erasure that runs, under the same receipt', async () => {
  const { tenant, client, ids } = await filled(1_100)
  stopAt('RETURN EXISTS {\n      UNWIND $ids')
  await client.eraseMemories({ filters: { policy: 'short_term' } }).catch(() => {})
  const again = await client.eraseMemories({ filters: { policy: 'short_term' } })
  expect(again).toMatchObject({ state: 'complete', counts: { memories: 1_100 }, digest: digestOf(ids) })
  expect(await receiptsOf(tenant)).toEqual([again.id])
})

test('no step reads again what the steps before it have passed', async () => {
  const { tenant, client } = await filled(1_600)
  const heard = listenTo(service)
  await client.eraseMemories({ filters: { policy: 'short_term' } })
  const walks = heard.filter(
    ({ text, parameters }) => text.includes('m.id > $after') && parameters.tenant === tenant,
  )
  const afters = walks.map(({ parameters }) => String(parameters.after))
  expect(new Set(afters.slice(0, 4)).size).toBe(4)
  expect(afters.slice(0, 4)).toEqual(afters.slice(0, 4).toSorted())
  for (const { text, parameters } of [walks[0], walks.at(-1)] as Statement[])
    expect((await service.plan(text, parameters)).join()).not.toContain('Sort')
})

test('nothing can be written in a tenant that is being erased, and everything afterwards', async () => {
  const { tenant, client } = await filled(3)
  const { held, release } = holdBack(service, 'CREATE (:ErasedMemories')
  const erasing = client.eraseMemories({ all: true })
  await expect.poll(() => held.length).toBe(1)
  for (const write of [
    () => client.createMemory(someMemory()),
    () => client.createMemory(someMemory(), { headers: { 'idempotency-key': 'closed' } }),
    () => client.createMemories({ memories: [someMemory()] }),
    () => client.addTurns({ session_id: 's', turns: [{ speaker: 'Anna', text: 'Hello' }] }),
    () => service.clientOf(`${tenant}~anna`).createMemory(someMemory()),
    () => client.planMaintenance({}),
    () => client.putPolicy({ name: 'notes', health_decay: 1 }),
    () => client.createWebhook({ url: 'https://hooks.invalid/' }),
    () => client.createKey({}),
    () => client.rediscoverMemories({}),
  ])
    expect(await problemOf(write())).toMatchObject({ status: 409, code: 'tenant_closed' })
  release()
  expect(await erasing).toMatchObject({ verified: true, counts: { memories: 3 } })
  expect(await left(tenant)).toEqual(['AuditEntry', 'AuditLog', 'Change', 'Erasure', 'Feed'])
  expect(await client.createMemory(someMemory())).toMatchObject({ version: 1 })
})

test('an erasure of all waits for writes that began before it', async () => {
  const { tenant, client } = await filled(1)
  const session = service.app.neo4j.driver.session()
  const writing = session.beginTransaction()
  await writing.run(
    `MATCH (m:Memory {tenant: $tenant}) WITH m {.*, id: randomUUID()} AS late LIMIT 1
    CREATE (m:Memory) SET m = late`,
    { tenant },
  )
  const closing = service.cypher
  const erasing = client.eraseMemories({ all: true })
  await expect
    .poll(async () => (await closing('MATCH (c:ClosedTenant {tenant: $tenant}) RETURN c', { tenant })).length)
    .toBe(1)
  await writing.commit()
  await session.close()
  expect(await erasing).toMatchObject({ verified: true, counts: { memories: 2 } })
})

test('a removed tenant stays closed until the operator makes a key for it', async () => {
  const { tenant, client } = await filled(2)
  await service.clientOf(`${tenant}~anna`).createMemory(someMemory({ content: 'private to anna' }))
  const receipt = await service.client.eraseTenant({ tenant })
  expect(receipt).toMatchObject({ state: 'complete', verified: true, counts: { memories: 3 } })
  for (const each of [client, service.clientOf(`${tenant}~anna`)])
    expect(await problemOf(each.createMemory(someMemory()))).toMatchObject({ code: 'tenant_closed' })
  const { key } = await client.createKey({})
  expect(await service.clientOf(tenant, key).createMemory(someMemory())).toMatchObject({ version: 1 })
})

test('the receipt of a removed tenant is of the private memories of its owners too', async () => {
  const { tenant, client, ids } = await filled(2)
  const own = await service
    .clientOf(`${tenant}~anna`)
    .createMemory(someMemory({ content: 'private to anna' }))
  const receipt = await service.client.eraseTenant({ tenant })
  expect(receipt).toMatchObject({ counts: { memories: 3 }, digest: digestOf([...ids, own.id]) })
  expect(await client.getErasure({ id: receipt.id as string })).toEqual(receipt)
})

test('a removal of a tenant that was stopped is resumed', async () => {
  const { tenant, client } = await filled(600)
  await service.clientOf(`${tenant}~anna`).createMemory(someMemory())
  await client.createKey({})
  stopAt('CYPHER 25 MATCH (x:Policy)')
  await service.client.eraseTenant({ tenant }).catch(() => {})
  const [id = ''] = await receiptsOf(tenant)
  expect(await client.getErasure({ id })).toMatchObject({ state: 'running', counts: { memories: 601 } })
  expect(await problemOf(client.createKey({}))).toMatchObject({ code: 'tenant_closed' })
  await makeDue(tenant)
  await service.drain(tenant)
  expect(await client.getErasure({ id })).toMatchObject({ state: 'complete', verified: true })
  expect(await left(tenant)).toEqual(['AuditEntry', 'AuditLog', 'ClosedTenant', 'Erasure', 'Feed'])
})

const left = async (tenant: string) => {
  const rows = await service.cypher<{ label: string }>(
    `MATCH (n) WHERE coalesce(n.tenant, n.unnumbered, '') STARTS WITH $tenant
    UNWIND labels(n) AS label RETURN DISTINCT label ORDER BY label`,
    { tenant },
  )
  return rows.map(({ label }) => label)
}
