import { beforeAll, expect, test } from 'vitest'
import type { Memory } from '../../src/contract/memory.ts'
import { folderOf, mnemograph, mnemographProcess } from '../support/cli.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()
let cat: Memory
let dog: Memory
beforeAll(async () => {
  cat = await service.client.createMemory(someMemory({ content: 'A cat\nsleeps', tags: ['pet'] }))
  dog = await service.client.createMemory(someMemory({ content: 'A dog barks' }))
  await service.client.createConnection({ source_id: cat.id, target_id: dog.id, strength: 0.5 })
})

const run = (...words: string[]) => mnemograph(words, { service })

test('search prints the best first, with score, tags and id', async () => {
  const { code, out } = await mnemographProcess(['search', 'sleeps', '--type', 'keyword'], { service })
  expect(code).toBe(0)
  expect(out).toContain(
    ` 1.000  A cat\n        sleeps\n        ${cat.id} ${cat.created_at.slice(0, 10)} #pet\n`,
  )
  const { out: json } = await run('search', 'sleeps', '--type', 'keyword', '--json')
  expect(JSON.parse(json).results[0].memory.id).toBe(cat.id)
})

test('get shows a memory and records no recall unless asked to', async () => {
  const { out } = await run('get', cat.id)
  expect(out).toMatch(/^id +[0-9a-f-]{36}\nstate +active, version 1\n/)
  expect(out).toContain('\n\nA cat\nsleeps\n')
  const { out: json } = await run('get', cat.id, '--json', '--recall')
  expect(JSON.parse(json)).toMatchObject({ id: cat.id, recall_count: 1 })
})

test('related walks both ways and names the connection', async () => {
  const { out } = await run('related', dog.id)
  expect(out).toContain(' 0.500  A cat\n        ← related_to 0.500, asserted, 1 away\n')
  const { out: json } = await run('related', dog.id, '--direction', 'out', '--json')
  expect(JSON.parse(json)).toMatchObject({ memory_id: dog.id, related: [] })
})

test('a key is made, listed, used and revoked', async () => {
  const made = await run('keys', 'create', '--name', 'reader', '--scopes', 'read')
  const key = made.out.trim()
  expect(key).toMatch(/^mnk_/)
  const { out: list } = await run('keys', 'list')
  expect(list).toMatch(/^ID .* NAME\n[0-9a-f-]{36} +read +.* reader\n$/)

  const withKey = ['search', 'cat', '--type', 'keyword', '--url', service.url, '--api-key', key]
  expect(await mnemograph(withKey)).toMatchObject({ code: 0 })
  const refused = await mnemograph(['jobs', 'list', '--url', service.url, '--api-key', key])
  expect(refused).toMatchObject({ code: 77, out: '' })
  expect(refused.err).toContain('Use a key with that scope')

  const [id = ''] = list.split('\n')[1]?.split(' ') ?? []
  expect(await run('keys', 'revoke', id)).toMatchObject({ code: 0, err: `Revoked ${id}.\n` })
  expect(await mnemograph(withKey)).toMatchObject({ code: 77 })
})

test('a key is rotated, and a tenant gets a quota', async () => {
  const made = await run('keys', 'create', '--rate-limit', '900', '--other-tenants', 'sales', '--json')
  const old = JSON.parse(made.out) as { id: string }
  const rotated = await run('keys', 'rotate', old.id, '--overlap', '60')
  expect(rotated).toMatchObject({ code: 0, err: 'The new key; it is shown this once:\n' })
  const stats = ['stats', '--url', service.url, '--api-key', rotated.out.trim()]
  expect(await mnemograph(stats)).toMatchObject({ code: 0 })
  expect(await run('keys', 'rotate', dog.id)).toMatchObject({ code: 1 })

  const set = await run('tenants', 'quota', service.tenant, '--memories', '900')
  expect(set.err).toContain('may store 900 memories')
  const { out } = await run('tenants', 'list', '--after', service.tenant.slice(0, -1), '-n', '1')
  expect(out.split('\n')[1]).toMatch(/ 900 /)
  expect(await run('tenants', 'quota')).toMatchObject({ code: 64 })
})

test('jobs are listed, and only a failed one can be tried again', async () => {
  const { out, err } = await run('jobs', 'list', '--state', 'queued')
  expect(out).toContain(`discover:${service.tenant}:${cat.id}:1`)
  expect(err).toBe('In all: 2 queued.\n')
  const retried = await run('jobs', 'retry', `discover:${service.tenant}:${cat.id}:1`)
  expect(retried.code).toBe(1)
  expect(await run('jobs', 'list', '--memory', dog.id, '--kind', 'maintain')).toMatchObject({
    code: 0,
    err: 'No jobs.\n',
  })
})

test('all failed jobs are queued again, or those of a kind', async () => {
  const fail = "MATCH (j:Job) WHERE j.tenant = $tenant SET j.state = 'failed'"
  await service.cypher(fail, { tenant: service.tenant })
  expect((await run('jobs', 'retry', '--failed', '--kind', 'fill')).err).toBe('Queued 0 jobs again.\n')
  expect((await run('jobs', 'retry', '--failed')).err).toBe('Queued 2 jobs again.\n')
  expect(await run('jobs', 'retry')).toMatchObject({ code: 64 })
})

test('the queue is paused until a time, says so, and is resumed', async () => {
  const until = new Date(Date.now() + 3_600_000).toISOString()
  expect(await run('jobs', 'pause')).toMatchObject({ code: 64 })
  expect((await run('jobs', 'pause', '--until', until)).err).toContain(`The queue is paused until ${until}`)
  expect((await run('jobs', 'list')).err).toContain(`The queue is paused until ${until}`)
  expect(await run('jobs', 'resume')).toMatchObject({ code: 0, err: 'The queue is running.\n' })
  expect((await run('jobs', 'pause', '--until', '2001-01-01T00:00:00Z')).err).toContain(
    '\n  `until` must be in the future.\n',
  )
})

test('without a command there is help, and with a wrong one too', async () => {
  expect(await mnemograph([])).toMatchObject({ code: 0, out: expect.stringContaining('  ingest ') })
  expect(await mnemograph(['ingest', '--help'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/--prune +Archive/),
  })
  expect(await mnemographProcess(['injest'])).toMatchObject({ code: 64, out: '' })
  expect(await mnemograph(['search'])).toMatchObject({ code: 64 })
  expect(await mnemograph(['get', 'a', '--colour'])).toMatchObject({
    code: 64,
    err: "Unknown option '--colour'\nUsage: mnemograph show ID\n",
  })
})

test('what goes wrong is said with its remedy, and each kind has its exit code', async () => {
  const folder = folderOf({ 'a.md': 'Text' })
  const cases: [string[], number, string][] = [
    [['ingest', folder, '--url', service.url, '--api-key', 'wrong'], 77, 'Set SERVICE_MCP_API_KEY'],
    [['ingest', folder, '--url', 'http://127.0.0.1:9/'], 69, 'Start it with `npm start`'],
    [['ingest', folder, '--url', 'nowhere'], 64, 'is not an http address'],
    [['ingest', folder, '--url', `${service.url}/docs/x`], 76, 'Is --url right?'],
    [['ingest', `${folder}/missing`], 64, 'There is no '],
    [['ingest', folderOf({ 'a.png': '' })], 66, 'no Markdown or text files'],
  ]
  for (const [words, code, said] of cases) {
    const result = await mnemograph(words)
    expect({ words, code: result.code }).toEqual({ words, code })
    expect(result.err).toContain(said)
  }
})

test('a rule of the service is reported with its field, and an unreadable file does not stop the others', async () => {
  const folder = folderOf({ 'a.md': 'Text', 'b.txt': 'binary\0' })
  const refused = await run('ingest', folder, '--policy', 'eternal')
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('\n  `memories[0].policy` must be one of: short_term, long_term, pinned.\n')
  const partly = await run('ingest', folder)
  expect(partly.code).toBe(65)
  expect(partly.err).toContain('b.txt was left out: it is not a text.')
  expect(partly.err).toContain('Loaded 1 files: 1 memories new')
})

test('without a key the command says where one is looked for', async () => {
  const { code, err } = await mnemograph(['search', 'x'], {
    env: { SERVICE_MCP_API_KEY: '', SERVICE_PORT: '9' },
  })
  expect(code).toBe(77)
  expect(err).toContain('set SERVICE_MCP_API_KEY, or give --api-key')
})

test('a webhook is added, its deliveries are seen and sent again, and it is removed', async () => {
  const hook = ['webhooks', 'add', 'https://hooks.invalid/', '--kinds', 'created', '--tags', 'hooked']
  expect((await run(...hook)).out).toMatch(/^whsec_/)
  await service.client.createMemories({ memories: [someMemory({ tags: ['hooked'] }), someMemory()] })
  await service.webhooks.runOnceOf(service.tenant)
  const { out: list } = await run('webhooks', 'list')
  expect(list).toMatch(/^ID .* ADDRESS\n[0-9a-f-]{36} +1 .*the host has no public address/)
  const [id = ''] = list.split('\n')[1]?.split(' ') ?? []
  const { out: waiting } = await run('webhooks', 'deliveries', id, '--state', 'waiting')
  expect(waiting).toMatch(/^ID .*\n[0-9a-f-]{36} +created +waiting +1 /)
  const [delivery = ''] = waiting.split('\n')[1]?.split(' ') ?? []
  expect((await run('webhooks', 'redeliver', id, '--delivery', delivery)).err).toBe('Queued again: 1.\n')
  expect((await run('webhooks', 'redeliver', id)).err).toBe('Queued again: 0.\n')
  expect((await run('webhooks', 'remove', id)).err).toBe(`Removed ${id}.\n`)
})
