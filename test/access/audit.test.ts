import { expect, test } from 'vitest'
import { type AuditEntry, auditLine } from '../../src/contract/audit.ts'
import { chain } from '../../src/platform/digest.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { readToEnd } from '../support/routes.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()
const NOTHING = '01a20fd7-9383-7200-98b6-dec6ba2db832'

const entriesOf = async (tenant: string) => (await service.clientOf(tenant).listAudit()).entries

test('each audited call is recorded once, with who made it and how it ended', async () => {
  const tenant = freshTenant()
  const operator = service.clientOf(tenant)
  const key = await operator.createKey({ name: 'the nightly job', scopes: ['admin'] })
  const client = service.clientOf(tenant, key.key)
  await client.putPolicy({ name: 'notes', health_decay: 2 })
  const memory = await client.createMemory(someMemory({ policy: 'notes' }))
  expect(await problemOf(client.deletePolicy({ name: 'notes' }))).toMatchObject({ code: 'policy_in_use' })
  await client.deleteMemory({ id: memory.id, hard: true })
  await client.deletePolicy({ name: 'notes' })
  await readToEnd(await client.exportBundle({}))
  const receipt = await client.eraseMemories({ all: true })
  expect(await problemOf(client.deleteKey({ id: NOTHING }))).toMatchObject({ code: 'key_not_found' })
  await operator.deleteKey({ id: key.id })

  const entries = (await entriesOf(tenant)).toReversed()
  expect(entries.map(({ number }) => number)).toEqual(entries.map((_, index) => index + 1))
  expect(entries.map(({ operation, target, outcome }) => [operation, target, outcome])).toEqual([
    ['createKey', key.id, 'ok'],
    ['putPolicy', 'notes', 'ok'],
    ['deletePolicy', null, 'policy_in_use'],
    ['deleteMemory', memory.id, 'ok'],
    ['deletePolicy', 'notes', 'ok'],
    ['exportBundle', null, 'ok'],
    ['eraseMemories', receipt.id, 'ok'],
    ['deleteKey', null, 'key_not_found'],
    ['deleteKey', key.id, 'ok'],
  ])
  expect(entries[0]).toMatchObject({
    key_id: 'operator',
    key_name: null,
    address: expect.stringMatching(/127/),
  })
  expect(entries[1]).toMatchObject({ key_id: key.id, key_name: 'the nightly job' })
})

test('plans that are applied and undone are recorded; an archived memory and a dry run are not', async () => {
  const { tenant, client } = service.newTenant()
  const memory = await client.createMemory(someMemory({ source: 'crm:1' }))
  const { plan_id } = await client.planMaintenance({ kind: 'forget', filters: { source: 'crm:1' } })
  const id = plan_id as string
  await client.applyMaintenance({ id })
  expect(await problemOf(client.applyMaintenance({ id }))).toMatchObject({ code: 'plan_not_open' })
  await client.undoMaintenance({ id })
  await client.deleteMemory({ id: memory.id })
  await client.eraseMemories({ all: true, dry_run: true })
  expect((await entriesOf(tenant)).map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
    'undoMaintenance ok',
    'applyMaintenance plan_not_open',
    'applyMaintenance ok',
  ])
})

test('a refused key is recorded in its tenant, once a minute', async () => {
  const tenant = freshTenant()
  const { id, key } = await service.clientOf(tenant).createKey({})
  const wrong = service.clientOf(tenant, `${key.slice(0, -1)}${key.endsWith('A') ? 'E' : 'A'}`)
  for (let call = 0; call < 3; call++)
    expect(await problemOf(wrong.getStats())).toMatchObject({ status: 401 })
  await expect
    .poll(async () => (await entriesOf(tenant))[0])
    .toMatchObject({
      operation: 'authenticate',
      key_id: id,
      outcome: 'unauthorized',
      request_id: null,
    })
  expect((await entriesOf(tenant)).filter(({ operation }) => operation === 'authenticate')).toHaveLength(1)
})

test('writers at the same time leave one chain without gaps, and a changed entry is found', async () => {
  const { tenant, client } = service.newTenant()
  await Promise.all(
    Array.from({ length: 12 }, (_, n) => client.putPolicy({ name: `p${n}`, health_decay: n })),
  )
  const entries = await entriesOf(tenant)
  expect(entries.map(({ number }) => number)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  expect(entries.every(isWhole)).toBe(true)
  for (const [at, { previous }] of entries.slice(0, -1).entries())
    expect(previous).toBe(entries[at + 1]?.digest)

  const run = () => runInProcess(['audit', 'verify'], { service, tenant })
  expect(await run()).toMatchObject({ code: 0, err: 'All 12 entries are as they were written.\n' })
  await service.cypher('MATCH (a:AuditEntry {tenant: $tenant, number: 5}) SET a.outcome = "forbidden"', {
    tenant,
  })
  expect(await run()).toMatchObject({ code: 1, err: 'Entry 5 was changed.\n' })
  await service.cypher('MATCH (a:AuditEntry {tenant: $tenant, number: 5}) DELETE a', { tenant })
  expect(await run()).toMatchObject({ code: 1, err: 'The entry before 6 is missing.\n' })
})

const isWhole = ({ previous, digest, ...entry }: AuditEntry) => chain(previous, auditLine(entry)) === digest

test('filters and pages narrow the log', async () => {
  const { tenant, client } = service.newTenant()
  for (const name of ['one', 'two', 'three']) await client.putPolicy({ name, health_decay: 1 })
  await client.deletePolicy({ name: 'two' })
  const page = await client.listAudit({ operation: 'putPolicy', limit: 2 })
  expect(page.entries.map(({ target }) => target)).toEqual(['three', 'two'])
  const rest = await client.listAudit({
    operation: 'putPolicy',
    limit: 2,
    before: page.next_before as number,
  })
  expect(rest).toMatchObject({ entries: [{ target: 'one' }], next_before: null })
  expect((await client.listAudit({ since: '2999-01-01T00:00:00Z' })).entries).toEqual([])
  expect(
    (await client.listAudit({ key_id: 'operator', outcome: 'ok', until: '2999-01-01T00:00:00Z' })).entries,
  ).toHaveLength(4)
  expect(
    (await runInProcess(['audit', 'list', '--operation', 'deletePolicy'], { service, tenant })).out,
  ).toMatch(/^NO .*TARGET\n4 .* operator .*deletePolicy +ok +two\n$/)
})
