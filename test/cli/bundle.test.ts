import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { bundleLines, connectionLine, memoryLine, sumsOf } from '../../tools/bundle-lines.ts'
import { startChildService } from '../support/child-service.ts'
import { folderOf, mnemograph, startMnemograph } from '../support/cli.ts'
import { endpointSettings, freshTenant, OPERATOR_KEY, someMemory, withService } from '../support/service.ts'

const service = withService()
let file: string
beforeAll(async () => {
  file = join(folderOf({}), 'all.ndjson')
  const memories = Array.from({ length: 260 }, (_, at) => someMemory({ content: `memory ${at}` }))
  await service.client.createMemories({ memories })
  await service.drain()
})

test('an export is written and checked', async () => {
  const { code, err } = await mnemograph(['export', file], { service })
  expect([code, err]).toEqual([0, expect.stringContaining('Exported 0 policies, 260 memories, 260 vectors')])
  expect(await mnemograph(['verify', file])).toMatchObject({ code: 0, err: expect.stringContaining('whole') })
})

test('a damaged bundle is refused by its line before anything is sent', async () => {
  const damaged = join(folderOf({}), 'damaged.ndjson')
  writeFileSync(damaged, readFileSync(file, 'utf8').replace('memory 7"', 'memory 8"'))
  const { code, err } = await mnemograph(['import', damaged], { service })
  expect([code, err]).toEqual([65, expect.stringMatching(/Line \d+ has another digest for memories/)])
  writeFileSync(damaged, `${readFileSync(file, 'utf8').split('\n').slice(0, 40).join('\n')}\n`)
  expect(await mnemograph(['verify', damaged])).toMatchObject({
    code: 65,
    err: expect.stringContaining('the bundle ends before its manifest'),
  })
  expect(await mnemograph(['verify', `${damaged}.gone`])).toMatchObject({ code: 66 })
})

test('Ctrl-C ends the check of a bundle that comes through a pipe, while nothing comes too', async () => {
  const pipe = join(folderOf({}), 'pipe')
  execFileSync('mkfifo', [pipe])
  const child = startMnemograph(['verify', pipe])
  const lines = bundleLines(Array.from({ length: 2_000 }, () => memoryLine())).slice(0, -1)
  const coming = createWriteStream(pipe).on('error', () => {})
  // More than a pipe holds: when all of it is taken, the command is reading.
  await new Promise(taken => coming.write(`${lines.join('\n')}\n`, taken))
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([130, null])
  coming.destroy()
})

test('an import goes on where it was after kill -9 of the command and of the service', {
  timeout: 240_000,
}, async () => {
  const archived = { state: 'archived', archived_at: '2026-01-01T00:00:00.000Z' } as const
  const memories = Array.from({ length: 2_500 }, (_, at) =>
    memoryLine({ content: `archived ${at}`, ...archived }),
  )
  const connections = memories.slice(1).map(({ id }, at) => connectionLine(id, memories[at]?.id as string))
  const lines = bundleLines([...memories, ...connections])
  const folder = folderOf({})
  const bundle = join(folder, 'killed.ndjson')
  writeFileSync(bundle, `${lines.join('\n')}\n`)
  const { uri, username, password } = inject('neo4j')
  const settings = {
    NEO4J_URI: uri,
    NEO4J_USERNAME: username,
    NEO4J_PASSWORD: password,
    SERVICE_ROLE: 'api',
    SERVICE_PORT: '0',
    ...endpointSettings(service.embeddings.url),
  }
  const tenant = freshTenant()
  await using first = await startChildService(settings)
  const port = new URL(first.url).port
  const words = ['import', bundle, '--url', first.url, '--tenant', tenant]
  using child = startMnemograph(words)
  await expect.poll(() => existsSync(`${bundle}.progress`), { timeout: 60_000, interval: 5 }).toBe(true)
  child.kill('SIGKILL')
  await first.kill()

  await using _second = await startChildService({ ...settings, SERVICE_PORT: port })
  const { code, err, out } = await mnemograph(words)
  expect([code, err]).toEqual([0, expect.stringMatching(/Resuming after line \d{4} of 5001/)])
  expect(out).toContain('memories: ')
  const client = createClient({ baseUrl: `${first.url}/api/v1`, apiKey: OPERATOR_KEY, tenant })
  const stats = await client.getStats()
  expect([stats.memories.total, stats.connections.total]).toEqual([2_500, 2_499])
  const back = join(folder, 'back.ndjson')
  await mnemograph(['export', back, '--url', first.url, '--tenant', tenant])
  expect(sumsOf(readFileSync(back, 'utf8').trimEnd().split('\n')).memories.count).toBe(2_500)
  expect(existsSync(`${bundle}.progress`)).toBe(false)
})
