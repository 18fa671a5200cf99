import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderOf, startMnemograph } from '../support/cli.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { emptyDatabase } from '../support/own-database.ts'
import { OPERATOR_KEY, someMemory, withService } from '../support/service.ts'

describe('A backup of all tenants', () => {
  const service = withService(async () => ({ database: await emptyDatabase() }))

  const backup = (...words: string[]) =>
    runInProcess(['backup', ...words, '--url', service.url, '--api-key', OPERATOR_KEY])
  const verify = (folder: string) => runInProcess(['backup', 'verify', folder])

  const listOf = (folder: string) =>
    JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8')) as {
      complete: boolean
      tenants: { tenant: string; file: string }[]
    }

  async function fill(tenant: string, count: number) {
    const client = service.clientOf(tenant)
    const memories = Array.from({ length: count }, (_, at) => someMemory({ content: `${tenant} ${at}` }))
    const { memories: created } = await client.createMemories({ memories })
    const [first, second] = created.map(({ id }) => id) as [string, string]
    await client.createConnection({ source_id: first, target_id: second, relationship_type: 'supports' })
    await client.putPolicy({ name: 'notes', health_decay: 1 })
    await service.drain(tenant)
  }

  const tenants = ['acme', 'acme~anna', 'globex']
  const file = (folder: string, at: number) => join(folder, listOf(folder).tenants[at]?.file as string)

  test('is restored into an empty service, and shows that it is equal', async () => {
    for (const tenant of tenants) await fill(tenant, 30)
    const { key } = await service.clientOf('acme').createKey({ name: 'the agent' })
    const annas = await service.clientOf('acme').createKey({ owner: 'anna' })
    await service.clientOf('globex').createWebhook({ url: 'https://hooks.invalid/' })
    const folder = join(folderOf({}), 'backups', 'today')
    expect(await backup('create', folder)).toMatchObject({
      code: 0,
      err: expect.stringMatching(
        /today has 3 tenants: 3 policies, 90 memories, 90 vectors, 0 versions, \d+ connections/,
      ),
    })
    expect(await verify(folder)).toMatchObject({ code: 0, err: 'The backup is whole: 3 tenants.\n' })
    for (const tenant of tenants.toReversed()) await service.client.eraseTenant({ tenant })
    expect((await service.client.listTenants()).tenants).toEqual([])
    expect(await backup('restore', folder)).toMatchObject({
      code: 0,
      err: expect.stringContaining('All 3 tenants are equal to the backup.'),
    })
    expect((await service.clientOf('acme').listJobs({})).paused_until).toBeNull()
    expect((await service.clientOf('', key).getStats()).memories.total).toBe(30)
    const memories = (await service.clientOf('', annas.key).listMemories({ limit: 200 })).memories
    expect(memories.filter(({ owner }) => owner === 'anna')).toHaveLength(30)
    expect(memories).toHaveLength(60)
    const [webhook] = (await service.clientOf('globex').listWebhooks({})).webhooks
    expect(webhook).toMatchObject({ url: 'https://hooks.invalid/', waiting: 0 })
    await service.webhooks.runOnceOf('globex')
    expect(
      (await service.clientOf('globex').listDeliveries({ id: webhook?.id as string })).deliveries,
    ).toEqual([])
    const { tenants: found } = await service.client.listTenants()
    expect(found.map(({ tenant, memories }) => [tenant, memories.active])).toEqual(
      tenants.map(tenant => [tenant, 30]),
    )
  })

  test('restores one tenant, says where it is not equal, and lets the backup win when told to', async () => {
    const folder = join(folderOf({}), 'one')
    await backup('create', folder, '--tenant', 'acme')
    const { id } = await service.clientOf('acme').createMemory(someMemory({ content: 'later' }))
    expect(await backup('restore', folder, '--tenant', 'acme', '--json')).toMatchObject({
      code: 65,
      out: expect.stringContaining('"equal":false,"differs":["memories"]'),
    })
    expect(await backup('restore', folder, '--replace')).toMatchObject({ code: 0 })
    await expect(service.clientOf('acme').getMemory({ id })).rejects.toMatchObject({ status: 404 })
    expect(await backup('restore', folder, '--tenant', 'globex')).toMatchObject({
      code: 64,
      err: expect.stringContaining('has no tenant “globex”'),
    })
  })

  test('goes on where it was after kill -9', async () => {
    const folder = join(folderOf({}), 'killed')
    const words = ['backup', 'create', folder, '--url', service.url]
    const child = startMnemograph(words)
    const closed = once(child, 'close')
    const list = join(folder, 'backup.json')
    await expect.poll(() => existsSync(list) && listOf(folder).tenants.length > 0, { interval: 2 }).toBe(true)
    child.kill('SIGKILL')
    await closed
    // What a kill in the middle of the last tenant leaves.
    const { tenants: kept, ...rest } = listOf(folder)
    writeFileSync(list, JSON.stringify({ ...rest, complete: false, tenants: kept.slice(0, 1) }))
    expect(await verify(folder)).toMatchObject({ code: 64, err: expect.stringContaining('is not complete') })
    expect(await backup('create', folder)).toMatchObject({ code: 0 })
    expect(listOf(folder)).toMatchObject({ complete: true, tenants: tenants.map(tenant => ({ tenant })) })
    expect(readdirSync(folder).filter(name => /partial|\.new|\.of/.test(name))).toEqual([])
    expect(await verify(folder)).toMatchObject({ code: 0 })
    expect(await backup('create', folder)).toMatchObject({
      code: 64,
      err: expect.stringContaining('has a complete backup: name a new folder'),
    })
  })

  test('has a tenant that has only a policy and a webhook', async () => {
    const client = service.clientOf('initech')
    await client.putPolicy({ name: 'weekly', health_decay: 14 })
    await client.createWebhook({ url: 'https://receiver.example/changes' })
    const folder = join(folderOf({}), 'without-memories')
    expect(await backup('create', folder)).toMatchObject({ code: 0 })
    expect(listOf(folder).tenants.map(({ tenant }: { tenant: string }) => tenant)).toContain('initech')
    await service.client.eraseTenant({ tenant: 'initech' })
    expect(await backup('restore', folder, '--tenant', 'initech')).toMatchObject({ code: 0 })
    expect((await client.listPolicies({})).policies.map(({ name }) => name)).toContain('weekly')
    expect((await client.listWebhooks({})).webhooks).toHaveLength(1)
    await service.client.eraseTenant({ tenant: 'initech' })
  })

  test('leaves no job waiting for long when a restore is killed', async () => {
    const folder = join(folderOf({}), 'killed-restore')
    await backup('create', folder, '--tenant', 'acme')
    const child = startMnemograph(['backup', 'restore', folder, '--url', service.url])
    const closed = once(child, 'close')
    const client = service.clientOf('acme')
    const pausedUntil = async () => (await client.listJobs({ limit: 1 })).paused_until
    await expect.poll(pausedUntil, { interval: 2 }).not.toBeNull()
    child.kill('SIGKILL')
    await closed
    expect(Date.parse((await pausedUntil()) as string) - Date.now()).toBeLessThanOrEqual(120_000)
    expect(await backup('restore', folder)).toMatchObject({ code: 0 })
    expect(await pausedUntil()).toBeNull()
  })

  test('refuses a folder with other files, a damaged bundle and a bundle of another backup', async () => {
    const other = folderOf({ 'notes.txt': 'mine' })
    expect(await backup('create', other)).toMatchObject({
      code: 64,
      err: expect.stringContaining('is not empty'),
    })
    expect(await verify(other)).toMatchObject({ code: 66 })
    expect(await verify(folderOf({ 'backup.json': '{' }))).toMatchObject({ code: 64 })
    const folder = join(folderOf({}), 'damaged')
    await backup('create', folder)
    const whole = readFileSync(file(folder, 0), 'utf8')
    writeFileSync(file(folder, 0), whole.replace('acme 7"', 'acme 8"'))
    expect(await backup('restore', folder)).toMatchObject({
      code: 65,
      err: expect.stringMatching(/Line \d+ has another digest for memories/),
    })
    writeFileSync(file(folder, 0), readFileSync(file(folder, 1)))
    expect(await verify(folder)).toMatchObject({
      code: 65,
      err: expect.stringContaining('has other digests than backup.json says'),
    })
  })
})
