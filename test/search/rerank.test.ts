import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { remember } from '../support/seed.ts'
import { freshTenant, problemOf, startService } from '../support/service.ts'

type Reply = { status: number; body: string } | 'never'
type Asked = { model: string; query: string; documents: string[] }

let server: Server
let service: Awaited<ReturnType<typeof startService>>
let plain: Awaited<ReturnType<typeof startService>>
let reply: (asked: Asked) => Reply
let asked: { body: Asked; key: string | undefined }[] = []

beforeAll(async () => {
  server = createServer(async (request: IncomingMessage, response) => {
    const body = JSON.parse(await text(request)) as Asked
    asked.push({ body, key: request.headers.authorization })
    const answer = reply(body)
    if (answer !== 'never') response.writeHead(answer.status).end(answer.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  service = await startService({
    settings: {
      SERVICE_RERANK_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rerank`,
      SERVICE_RERANK_MODEL: 'reader',
      SERVICE_RERANK_API_KEY: 'rerank-key',
      SERVICE_RERANK_TIMEOUT_MS: '4000',
    },
  })
  plain = await startService()
})

afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await plain[Symbol.asyncDispose]()
  server.closeAllConnections()
  server.close()
})

const byLength = ({ documents }: Asked): Reply => ({
  status: 200,
  body: JSON.stringify({
    results: documents.map((each, index) => ({ index, relevance_score: each.length })),
  }),
})

const contentOf = ({ memory }: { memory: { content: string } }) => memory.content

async function searchOf(contents: readonly string[]) {
  asked = []
  const client = service.clientOf(freshTenant())
  await remember(client, contents)
  return (fields: object = {}) =>
    client.searchMemories({ query: 'cat', search_type: 'keyword', rerank: true, explain: true, ...fields })
}

test('the model decides the order, and the scores stay', async () => {
  reply = byLength
  const search = await searchOf(['cat', 'cat and dog', 'cat and dog and mouse', 'bird'])
  const { results, degraded } = await search()
  expect(results.map(contentOf)).toEqual(['cat and dog and mouse', 'cat and dog', 'cat'])
  expect(results.map(({ explain }) => explain?.rerank)).toEqual([21, 11, 3])
  expect(results.at(-1)?.score).toBe(1)
  expect(degraded).toBe(false)
  expect(asked).toEqual([
    {
      key: 'Bearer rerank-key',
      body: { model: 'reader', query: 'cat', documents: expect.arrayContaining(['cat', 'cat and dog']) },
    },
  ])
  const one = await search({ limit: 1 })
  expect(one.results.map(contentOf)).toEqual(['cat and dog and mouse'])
  const again = await search({ rerank: false })
  expect(again.results[0]?.memory.content).toBe('cat')
})

test.each<[string, () => Reply]>([
  ['refuses', () => ({ status: 500, body: 'secret detail' })],
  ['answers something else', () => ({ status: 200, body: '{"results":[{"index":"a"}]}' })],
  ['does not answer in time', () => 'never'],
])('a model that %s leaves the order, and the answer says so', async (_, answer) => {
  reply = answer
  const search = await searchOf(['cat', 'cat and dog'])
  const found = await search()
  expect(found.degraded).toBe(true)
  expect(found.results.map(contentOf)).toEqual(['cat', 'cat and dog'])
  expect(JSON.stringify(found)).not.toContain('secret')
})

test('without a model a search that wants one is refused', async () => {
  const client = plain.clientOf(freshTenant())
  const call = client.searchMemories({ query: 'cat', search_type: 'keyword', rerank: true })
  expect(await problemOf(call)).toMatchObject({ status: 422, code: 'validation_failed' })
})
