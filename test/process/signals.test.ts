import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Response } from 'express'
import { expect, test } from 'vitest'
import { requestSignal, untilGone } from '../../src/api/signals.ts'
import type { App } from '../../src/context.ts'

const app = { config: { requestTimeoutMs: 60_000 } } as App

test('an operation that starts after its caller has left ends at once, unless it changes something', async () => {
  const closed = Promise.withResolvers<Response>()
  await using server = createServer((_req, res) => res.once('close', () => closed.resolve(res as Response)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const leaving = new AbortController()
  server.once('request', () => leaving.abort())
  const { port } = server.address() as AddressInfo
  await expect(fetch(`http://127.0.0.1:${port}`, { signal: leaving.signal })).rejects.toThrow('abort')
  const res = await closed.promise
  expect(untilGone(res).aborted).toBe(true)
  expect(requestSignal(app, res, true).aborted).toBe(true)
  expect(requestSignal(app, res, false).aborted).toBe(false)
})
