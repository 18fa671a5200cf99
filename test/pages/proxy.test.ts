import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { fixture } from '../support/fixture.ts'
import { freePort, nginx, requestTls, startNginx } from '../support/nginx.ts'
import { giveKey, runOperation, withBrowser } from '../support/pages.ts'
import { rawRequest } from '../support/raw-request.ts'
import { remember } from '../support/seed.ts'
import { OPERATOR_KEY, someMemory, startService } from '../support/service.ts'

const openPage = withBrowser()

/** A service behind nginx with TLS, below the prefix `/memory/`. */
async function startBehindNginx(settings: Record<string, string> = {}) {
  await using starting = new AsyncDisposableStack()
  const port = await freePort()
  const service = starting.use(
    await startService({
      settings: {
        SERVICE_PUBLIC_URL: `https://localhost:${port}/memory/`,
        SERVICE_TRUSTED_PROXIES: '127.0.0.1',
        ...settings,
      },
    }),
  )
  const proxy = starting.use(await startNginx(port, service.url))
  const stack = starting.move()
  return { service, url: proxy.url, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const operator = { authorization: `Bearer ${OPERATOR_KEY}` }

test('a service whose proxy keeps the prefix in the path removes it', async () => {
  await using own = await startService({ settings: { SERVICE_PUBLIC_URL: 'http://127.0.0.1/memory' } })
  const ask = async (path: string) => (await rawRequest(own.url + path, { headers: operator })).status
  for (const path of ['/memory/api/v1/stats', '/memory/health', '/api/v1/stats'])
    expect(await ask(path)).toBe(200)
  for (const path of ['/memoryhealth', '/other/health', '/memory/memory/health'])
    expect(await ask(path)).toBe(404)
})

test('without a trusted proxy X-Forwarded-For says nothing', async () => {
  await using own = await startService({ settings: { SERVICE_RATE_LIMIT: '2' } })
  const ask = async (forged: string) =>
    (await fetch(`${own.baseUrl}/stats`, { headers: { 'x-forwarded-for': forged } })).status
  expect([await ask('10.0.0.1'), await ask('10.0.0.2'), await ask('10.0.0.3')]).toEqual([401, 401, 429])
})

test('a text that is no address does not count as one', async () => {
  await using own = await startService({
    settings: { SERVICE_RATE_LIMIT: '2', SERVICE_TRUSTED_PROXIES: '1' },
  })
  const ask = async (named: string) =>
    (await fetch(`${own.baseUrl}/stats`, { headers: { 'x-forwarded-for': named } })).status
  expect([await ask('unknown'), await ask('a'), await ask('1.2.3.4:80')]).toEqual([401, 401, 429])
  expect([await ask('9.9.9.9, 2001:db8::1'), await ask('2001:db8::2')]).toEqual([401, 401])
})

test.runIf(nginx)('behind nginx a limit by address counts the client, whatever it forges', async () => {
  await using limited = await startBehindNginx({ SERVICE_RATE_LIMIT: '3' })
  const ask = async (localAddress: string, forged?: string) => {
    const headers = { authorization: 'Bearer made-up', ...(forged ? { 'x-forwarded-for': forged } : {}) }
    return (await requestTls(`${limited.url}/api/v1/stats`, { localAddress, headers })).status
  }
  const statuses = []
  for (const forged of [undefined, '127.0.0.9', '10.0.0.1, 127.0.0.1', '127.0.0.3', undefined])
    statuses.push(await ask('127.0.0.2', forged))
  expect(statuses).toEqual([401, 401, 401, 429, 429])
  expect(await ask('127.0.0.3')).toBe(401)
})

test.runIf(nginx)('below a prefix every address leads to something', async () => {
  await using behind = await startBehindNginx({
    SERVICE_OIDC_ISSUER: 'http://127.0.0.1:1',
    SERVICE_OIDC_AUDIENCE: 'memory',
  })
  const { url, service } = behind
  const root = new URL(url).origin
  const headers = { ...operator, 'x-tenant-id': service.tenant, 'content-type': 'application/json' }
  const created = await requestTls(`${url}/api/v1/memories`, {
    method: 'POST',
    headers,
    body: JSON.stringify(someMemory()),
  })
  expect(created.headers.location).toMatch(/^\/memory\/api\/v1\/memories\//)
  expect((await requestTls(root + created.headers.location, { headers })).status).toBe(200)

  const redirected = async (path: string) => {
    const { status, headers: answered } = await requestTls(url + path, { headers: { accept: 'text/html' } })
    return [status, answered.location]
  }
  expect(await redirected('/')).toEqual([307, '/memory/console'])
  expect(await redirected('/explorer')).toEqual([308, '/memory/console/graph'])

  const description = JSON.parse((await requestTls(`${url}/openapi.json`)).text)
  expect(description.servers).toEqual([{ url: '/memory/api/v1' }])

  const challenge = await requestTls(`${url}/mcp`, { method: 'POST' })
  const [, metadata = ''] =
    /resource_metadata="([^"]+)"/.exec(String(challenge.headers['www-authenticate'])) ?? []
  for (const address of [metadata, `${root}/.well-known/oauth-protected-resource/memory/mcp`])
    expect(JSON.parse((await requestTls(address)).text)).toMatchObject({ resource: `${url}/mcp` })
})

describe.runIf(nginx)('Below a prefix, behind nginx,', () => {
  const behind = fixture(() => startBehindNginx())

  test('the audit log has the address of the client', async () => {
    const { client, tenant } = behind.service
    const created = await requestTls(`${behind.url}/api/v1/admin/keys`, {
      method: 'POST',
      localAddress: '127.0.0.7',
      headers: {
        ...operator,
        'x-tenant-id': tenant,
        'x-forwarded-for': '8.8.8.8',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: 'made through the proxy' }),
    })
    expect(created.status).toBe(201)
    const addresses = async () =>
      (await client.listAudit({ operation: 'createKey' })).entries.map(({ address }) => address)
    await expect.poll(addresses).toEqual(['127.0.0.7'])
  })

  test('websockets carry changes', async () => {
    const { url, service } = behind
    const { tenant, client } = service
    const socket = new WebSocket(`${url.replace('https', 'wss')}/graphql`, 'graphql-transport-ws', {
      rejectUnauthorized: false,
      origin: new URL(url).origin,
      headers: { ...operator, 'x-tenant-id': tenant },
    })
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'connection_init' }))
    await once(socket, 'message')
    const query = 'subscription { changes { kind } }'
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }))
    const messages: string[] = []
    socket.on('message', message => messages.push(String(message)))
    const heard = async () => {
      await client.createMemory(someMemory())
      return messages.join()
    }
    await expect.poll(heard).toContain('"type":"next"')
    socket.terminate()
  })

  test('server-sent events arrive as they are sent, and go on after a break', async () => {
    const { url, service } = behind
    const { tenant, client } = service
    const follow = async (more: Record<string, string> = {}) => {
      const headers = { ...operator, 'x-tenant-id': tenant, ...more }
      const request = get(`${url}/api/v1/events?matches=cat+kitten`, { headers, rejectUnauthorized: false })
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      return { response, said: () => text }
    }
    const first = await follow()
    expect(first.response.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    await expect.poll(first.said).toContain('id: ')
    const cursor = /^id: (\S+)$/m.exec(first.said())?.[1] as string
    const { id } = await client.createMemory(someMemory({ content: 'A cat and a kitten' }))
    await expect.poll(first.said).toContain(id)
    first.response.destroy()
    const again = await follow({ 'last-event-id': cursor })
    await expect.poll(again.said).toContain(id)
    again.response.destroy()
  })

  test('the console, GraphiQL and the reference work, and load nothing from elsewhere', async () => {
    const { url, service } = behind
    const { tenant, client } = service.newTenant()
    await remember(client, ['Sourdough rises slowly', 'The kitchen is cold'])
    const open = (path: string) => openPage({ url }, path, { ignoreHTTPSErrors: true })

    const console_ = await open('/console')
    await giveKey(console_.page, tenant)
    await console_.page.getByText('2 memories').first().waitFor()
    await console_.page.goto(`${url}/console/memories`)
    await console_.page.getByText('Sourdough rises slowly').first().waitFor()
    await client.createMemory(someMemory({ content: 'Written while the page is open' }))
    await console_.page.getByText('Written while the page is open').first().waitFor()

    const graphiql = await open('/graphiql')
    await giveKey(graphiql.page, tenant)
    await graphiql.page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await graphiql.page.locator('.graphiql-doc-explorer').getByText('Query', { exact: true }).waitFor()
    await runOperation(graphiql.page, 'Newest')
    await graphiql.page.locator('.result-window').getByText('"memories"').first().waitFor()

    const docs = await open('/docs')
    await docs.page.getByText('/memories/search', { exact: true }).first().waitFor()
    for (const { complaints, foreign } of [console_, graphiql, docs])
      expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
  })
})
