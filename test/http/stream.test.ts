import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sendStream } from '../../src/api/rest/stream.ts'

/** A server whose streams never end by themselves, except by the failure that a path asks for. */
let server: Server
let made = 0
let ended = false
beforeAll(async () => {
  const app = express()
  app.get('/:what', (req, res) =>
    sendStream({ mediaType: 'text/csv', fileName: 'a.csv', pieces: endless(req.params.what) }, req, res),
  )
  app.use(((error, _req, res, _next) => {
    if (res.headersSent) res.destroy()
    else res.status(500).send(error.message)
  }) satisfies express.ErrorRequestHandler)
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  made = 0
  ended = false
})

const piece = 'x'.repeat(100_000)

async function* endless(what: string) {
  try {
    for (;;) {
      if (what === 'fails-at-once' || (what === 'fails-later' && made === 3)) throw new Error('it failed')
      made++
      yield piece
    }
  } finally {
    ended = true
  }
}

test('a reader who is slow holds the making up, and one who goes ends it', async () => {
  const answer = await open('/endless')
  await once(answer, 'readable')
  answer.read(1000)
  answer.destroy()
  await expect.poll(() => ended).toBe(true)
  expect(made * piece.length).toBeLessThan(100_000_000)
})

test('a failure before the first piece has its status', async () => {
  const answer = await open('/fails-at-once')
  expect(answer.statusCode).toBe(500)
  answer.resume()
  expect(ended).toBe(true)
})

test('a failure on the way cuts the answer off, and a client notices', async () => {
  const answer = await open('/fails-later')
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
  answer.resume()
  await expect(once(answer, 'end')).rejects.toThrow('aborted')
})

test('HEAD makes one piece and sends none', async () => {
  const response = await fetch(`${address()}/endless`, { method: 'HEAD' })
  expect([response.headers.get('content-disposition'), await response.text()]).toEqual([
    'attachment; filename="a.csv"',
    '',
  ])
  expect([made, ended]).toEqual([1, true])
})

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

async function open(path: string): Promise<IncomingMessage> {
  const [answer] = await once(get(address() + path), 'response')
  return answer as IncomingMessage
}
