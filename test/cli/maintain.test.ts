import { beforeAll, expect, test } from 'vitest'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { folderOf, mnemograph } from '../support/cli.ts'
import { age, contextOf, DAY } from '../support/lifecycle.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()
let id: string
beforeAll(async () => {
  ;({ id } = await service.client.createMemory(someMemory({ content: 'fading' })))
  await age(service, service.tenant, 13)
})

const run = (...words: string[]) => mnemograph(['maintain', ...words], { service })
const stateOf = async () => (await service.client.getMemory({ id, record_recall: false })).state

test('a plan is shown, applied, found among the runs, and undone', async () => {
  const planned = await run('plan')
  expect(planned).toMatchObject({ code: 0 })
  expect(planned.out).toMatch(
    /^MEMORY .*CHANGE +HEALTH +WHY\n[0-9a-f-]{36} +archive +100 → 0 +health fell to 0.*\n.*: 1 archive; of 1 memories\n$/,
  )
  const [, plan = ''] = /maintain apply (\S+)/.exec(planned.err) ?? []
  const applied = await run('apply', plan)
  expect(applied).toMatchObject({ code: 0, out: 'Applied 1 changes: 1 archive; of 1 memories\n' })
  expect(await stateOf()).toBe('archived')

  expect((await run('runs', '--state', 'applied')).out).toMatch(
    new RegExp(`^ID .*CHANGES\n${plan} +applied +asked .* 1 archive; of 1 memories\n$`),
  )
  const shown = await run('show', plan, '--json')
  expect(JSON.parse(shown.out)).toMatchObject({ state: 'applied', changes: [{ memory_id: id }] })
  expect(await run('undo', plan)).toMatchObject({ code: 0, out: 'Undid 1 changes\n', err: '' })
  expect(await stateOf()).toBe('active')
})

test('a what-if takes a time and policies from a file, and writes nothing', async () => {
  const folder = folderOf({
    'policies.json': JSON.stringify([{ name: 'short_term', health_decay: 0.1, archive_at_health: 0 }]),
    'broken.json': '[',
    'wrong.json': '[{"name": "short_term", "health_decay": -1}]',
  })
  const at = new Date(Date.now() + 30 * DAY).toISOString()
  const harsh = await run('plan', '--at', at)
  expect(harsh.out).toContain('1 archive')
  expect(harsh.err).toBe('This is a what-if: nothing was written.\n')
  const tried = await run('plan', '--at', at, '--policies', `${folder}/policies.json`, '--json')
  expect(JSON.parse(tried.out)).toMatchObject({ plan_id: null, summary: { archive: 0 } })
  expect(await run('plan', '--policies', `${folder}/broken.json`)).toMatchObject({ code: 65 })
  const refused = await run('plan', '--policies', `${folder}/wrong.json`)
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringContaining('`policies[0].health_decay` must be'),
  })
})

test('what the brake held is listed as waiting, and an apply carries it out', async () => {
  const { tenant, client } = service.newTenant()
  await client.createMemories({ memories: Array.from({ length: 21 }, () => someMemory()) })
  await runScheduledMaintenance(contextOf(service, tenant), Date.now() + 3650 * DAY)
  const its = (...words: string[]) => mnemograph(['maintain', ...words], { service: { ...service, tenant } })
  const { out, err } = await its('runs', '--state', 'waiting')
  expect(err).toContain('holds up maintenance')
  const [, plan = ''] = /\n(\S+) +waiting +scheduled/.exec(out) ?? []
  expect((await its('show', plan, '--limit', '2')).err).toBe('19 more; --limit or --json shows them.\n')
  expect(await its('plan', '--limit', 'two')).toMatchObject({ code: 64, out: '' })
  expect((await its('runs')).out).not.toContain('planned')
  expect((await its('apply', plan)).out).toContain('Applied 21 changes: 21 archive')
})

test('what is not an action of it is answered with those that are', async () => {
  expect(await run('plans')).toMatchObject({
    code: 64,
    err: "Unknown command 'plans'\n(Did you mean plan?)\nUsage: mnemograph maintain plan|apply|undo|runs|show\n",
  })
  expect(await run('apply')).toMatchObject({
    code: 64,
    err: 'Name one plan by its id\nUsage: mnemograph maintain apply PLAN\n',
  })
})
