import { expect, test } from 'vitest'
import { exampleOf } from '../../src/contract/examples.ts'
import { groupOf, routeNames, routes } from '../../src/contract/index.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { withBrowser } from '../support/pages.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'

const openPage = withBrowser()
const service = withService()
const guarded = withService({
  settings: { NODE_ENV: 'production', SERVICE_SERVER_API_KEY: 'x'.repeat(32) },
})

const password = (key: string) => `Basic ${Buffer.from(`anyone:${key}`).toString('base64')}`

test('the reference answers without a key in development', async () => {
  for (const path of [
    '/docs',
    '/docs/',
    '/docs/page.js',
    '/docs/swagger-ui.css',
    '/docs/swagger-ui-bundle.js',
  ]) {
    const answer = await fetch(service.url + path)
    expect({ path, status: answer.status }).toEqual({ path, status: 200 })
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  }
  expect((await fetch(`${service.url}/docs/nothing`)).status).toBe(404)
  const written = await fetch(`${service.url}/docs`, { method: 'POST' })
  expect([written.status, written.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('a file of the reference comes whole whatever part is asked for, and not when another version is', async () => {
  const url = `${service.url}/docs/swagger-ui.css`
  const whole = await (await fetch(url)).text()
  for (const range of ['bytes=0-9', 'bytes=99999999-']) {
    const answer = await fetch(url, { headers: { range } })
    expect([answer.status, await answer.text()]).toEqual([200, whole])
  }
  const others: Record<string, string>[] = [
    { 'if-match': '"another"' },
    { 'if-unmodified-since': new Date(0).toUTCString() },
  ]
  for (const headers of others) await expectProblem(await fetch(url, { headers }), 'version_mismatch')
})

test('in production the reference is behind the key, and a browser is asked for it', async () => {
  for (const path of ['/docs', '/docs/page.js', '/docs/swagger-ui-bundle.js', '/docs/nothing']) {
    const answer = await fetch(guarded.url + path)
    expect({ path, status: answer.status }).toEqual({ path, status: 401 })
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+", charset="UTF-8", Bearer$/)
  }
  const headers: [Record<string, string>, number][] = [
    [{ authorization: `Bearer ${OPERATOR_KEY}` }, 200],
    [{ 'x-api-key': OPERATOR_KEY }, 200],
    [{ authorization: password(OPERATOR_KEY) }, 200],
    [{ authorization: password('of a proxy'), 'x-api-key': OPERATOR_KEY }, 200],
    [{ authorization: password('wrong') }, 401],
    [{ authorization: 'Basic !' }, 401],
  ]
  for (const [sent, status] of headers)
    expect((await fetch(`${guarded.url}/docs`, { headers: sent })).status).toBe(status)
})

test('the password of a browser opens the page and nothing else', async () => {
  const answer = await fetch(`${guarded.baseUrl}/memories`, {
    headers: { authorization: password(OPERATOR_KEY) },
  })
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
})

test('in production a browser with the key can read the page and make calls', async () => {
  const { page, complaints, foreign } = await openPage(guarded, '/docs', {
    colorScheme: 'dark',
    httpCredentials: { username: 'anyone', password: OPERATOR_KEY },
  })
  await page.waitForSelector('.opblock')
  await page.locator('.authorize').first().click()
  await page.getByLabel('auth-bearer-value').fill(OPERATOR_KEY)
  await page.getByLabel('Apply credentials').first().click()
  await page.locator('.btn-done').first().click()
  await page.locator('#operations-Graph-getStats').click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.getByRole('button', { name: 'Execute' }).click()
  await page.locator('.live-responses-table').getByText('embeddings_pending').first().waitFor()
  expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
})

/** A body, a query, and a name in the path. */
const tried = ['createMemory', 'listMemories', 'putPolicy'] as const

test('a browser shows every operation, and Try it out sends its example unchanged, and nothing to another host', async () => {
  const { key } = await service.client.createKey({ scopes: ['admin'] })
  const { page, complaints, foreign } = await openPage(service, '/docs')
  await page.waitForSelector('.opblock')
  expect(await page.locator('.opblock').count()).toBe(routeNames.length)
  await page.locator('#operations-Memories-searchMemories .opblock-summary').click()
  await page.getByText('Filters apply before ranking').first().waitFor()
  await page.locator('#operations-Memories-searchMemories .opblock-summary').click()
  await page.locator('.authorize').first().click()
  await page.getByLabel('auth-bearer-value').fill(key)
  await page.getByLabel('Apply credentials').first().click()
  await page.locator('.btn-done').first().click()
  for (const name of tried) {
    const { path } = routes[name]
    const block = page.locator(`#operations-${groupOf(name)}-${name}`)
    await block.locator('.opblock-summary').click()
    await block.getByRole('button', { name: 'Try it out' }).click()
    const coming = page.waitForResponse(each => each.url().startsWith(service.baseUrl))
    await block.getByRole('button', { name: 'Execute' }).click()
    const response = await coming
    const inPath = (exampleOf(name).input as { name?: string }).name ?? ''
    const url = new URL(response.url())
    expect(url.pathname).toBe(`/api/v1${path.replace('{name}', inPath)}`)
    const sent = (response.request().postDataJSON() as object | null) ?? Object.fromEntries(url.searchParams)
    const { name: _, ...fields } = exampleOf(name).input as Record<string, unknown>
    expect({ name, status: response.status(), sent }).toMatchObject({
      name,
      status: routes[name as 'createMemory'].status ?? 200,
      sent: name === 'listMemories' ? { limit: String(fields.limit) } : fields,
    })
    await block.locator('.opblock-summary').click()
  }
  expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
}, 240_000)
