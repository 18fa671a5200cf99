import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { sumsOf } from '../../tools/bundle-lines.ts'
import { folderOf, mnemograph, startMnemograph } from '../support/cli.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()
beforeAll(async () => {
  const memories = Array.from({ length: 260 }, (_, at) => someMemory({ content: `memory ${at}` }))
  await service.client.createMemories({ memories })
})

test('an export that was interrupted goes on where it was, and leaves nothing but the whole file', async () => {
  const here = ['--tenant', service.tenant]
  const { err, kept, text, left } = await exportTwice(here, here)
  expect(err).not.toContain('starting again')
  expect(text.startsWith(kept)).toBe(true)
  expect(sumsOf(text.trimEnd().split('\n')).memories.count).toBe(260)
  expect(left).toEqual(['all.ndjson'])
})

test('an interrupted export is not resumed for another tenant, or without vectors', async () => {
  const here = ['--tenant', service.tenant]
  const tenant = freshTenant()
  await service.clientOf(tenant).createMemory(someMemory())
  await service.drain(tenant)
  for (const [other, memories, vectors] of [
    [['--tenant', tenant], 1, 1],
    [[...here, '--no-vectors'], 260, 0],
  ] as const) {
    const { err, text, left } = await exportTwice(here, other)
    expect(err).toContain('all.ndjson.partial is of another export: starting again')
    expect(err).toContain(`${memories} memories, ${vectors} vectors`)
    expect(text.match(/"section":"bundle"/g)).toHaveLength(1)
    expect(left).toEqual(['all.ndjson'])
  }
})

test('an export starts again when the service does not take its last checkpoint any more', async () => {
  const tenant = freshTenant()
  await service.clientOf(tenant).createMemory(someMemory())
  await service.drain(tenant)
  const [first, second] = await Promise.all(
    [service.tenant, tenant].map(async each => (await service.clientOf(each).createKey()).key),
  )
  const { err, left } = await exportTwice(['--api-key', first as string], ['--api-key', second as string])
  expect(err).toContain('The service does not know where the last run was: starting again')
  expect(err).toContain('1 memories, 1 vectors')
  expect(left).toEqual(['all.ndjson'])
})

const CHECKPOINT = /^.*?"section":"checkpoint"[^\n]*\n/s

/** Interrupts an export behind its first checkpoint, then makes another into the same file, to its end. */
async function exportTwice(first: readonly string[], second: readonly string[]) {
  const file = join(folderOf({}), 'all.ndjson')
  await using proxy = await startStallingProxy(service.url)
  const words = ['export', file, '--url', proxy.url]
  const child = startMnemograph([...words, ...first])
  const ended = once(child, 'close')
  const kept = () =>
    existsSync(`${file}.partial`) ? CHECKPOINT.exec(readFileSync(`${file}.partial`, 'utf8'))?.[0] : undefined
  await expect.poll(kept).toBeDefined()
  child.kill('SIGINT')
  expect(await ended).toEqual([130, null])
  const before = kept() as string
  const { code, err } = await mnemograph([...words, ...second])
  expect([code, err]).toEqual([0, expect.stringContaining('Exported')])
  return { err, kept: before, text: readFileSync(file, 'utf8'), left: readdirSync(dirname(file)) }
}

/** A way to the service on which the first answer with a checkpoint goes no further than a little behind it. */
async function startStallingProxy(target: string) {
  let stalls = true
  const server = createServer(async ({ url, headers }, res) => {
    const { authorization = '', 'x-tenant-id': tenant } = headers
    const answer = await fetch(target + url, {
      headers: { authorization, ...(tenant ? { 'x-tenant-id': String(tenant) } : {}) },
    })
    const whole = await answer.text()
    res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    const [beginning] = (stalls && CHECKPOINT.exec(whole)) || []
    if (beginning === undefined) return void res.end(whole)
    stalls = false
    res.write(whole.slice(0, beginning.length + 20))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => void server.close().closeAllConnections(),
  }
}
