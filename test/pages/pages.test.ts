import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { giveKey, type PageOptions, runOperation, withBrowser } from '../support/pages.ts'
import { remember } from '../support/seed.ts'
import { OPERATOR_KEY, type TestService, withService } from '../support/service.ts'

const openPage = withBrowser()
const service = withService()
const production = withService({
  settings: { NODE_ENV: 'production', SERVICE_SERVER_API_KEY: 'x'.repeat(32) },
})
beforeAll(async () => {
  await remember(service.client, ['Sourdough rises slowly', 'The kitchen is cold'])
  await openConsole({}, 150_000)
}, 240_000)

test('a browser that opens the bare address is redirected to a page, a program is not', async () => {
  const lead = async ({ url }: TestService, accept: string) => {
    const { status, headers } = await fetch(`${url}/`, { headers: { accept }, redirect: 'manual' })
    return [status, headers.get('location')]
  }
  const browsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  expect(await lead(service, browsers)).toEqual([307, '/console'])
  expect(await lead(production, browsers)).toEqual([307, '/docs'])
  for (const accept of ['*/*', 'application/json', 'text/plain'])
    expect(await lead(service, accept)).toEqual([404, null])
})

test('the pages are files of this machine that may ask nobody else', async () => {
  for (const path of [
    '/console',
    '/console/',
    '/console/main.js',
    '/console/layout.js',
    '/console/graph',
    '/console/t/any/memories',
    '/console/samples.ndjson',
    '/graphiql',
    '/graphiql/editor.worker.js',
  ]) {
    const answer = await fetch(service.url + path)
    expect({ path, status: answer.status }).toEqual({ path, status: 200 })
    const policy = answer.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("connect-src 'self'")
  }
  for (const path of ['/graphiql/nothing', '/graphiql/../../../package.json', '/graphiql/%2e%2e/made-from'])
    expect((await fetch(service.url + path)).status).toBe(404)
  const written = await fetch(`${service.url}/console`, { method: 'POST' })
  expect([written.status, written.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('a page comes whole whatever part is asked for, and not when another version is', async () => {
  for (const path of ['/console', '/console/main.js']) {
    const ask = (headers: Record<string, string>) => fetch(service.url + path, { headers })
    const whole = await (await ask({})).text()
    const answer = await ask({ range: 'bytes=99999999-' })
    expect([answer.status, await answer.text()]).toEqual([200, whole])
    await expectProblem(await ask({ 'if-match': '"another"' }), 'version_mismatch')
  }
})

test('in production the pages are off unless switched on', async () => {
  for (const path of ['/console', '/console/main.js', '/explorer', '/graphiql'])
    expect((await fetch(production.url + path)).status).toBe(404)
  const required = { SERVICE_SERVER_API_KEY: 'x'.repeat(32), NEO4J_URI: 'bolt://127.0.0.1:1' }
  const inProduction = { ...required, NODE_ENV: 'production' }
  expect(readConfig(inProduction).pages).toBe(false)
  expect(readConfig({ ...inProduction, SERVICE_PAGES: 'on' }).pages).toBe(true)
  expect(readConfig({ ...required, SERVICE_PAGES: 'off' }).pages).toBe(false)
})

test('the first view is below 450 kB compressed, and nothing in it moves when its data arrive', async () => {
  const { page } = await openConsole()
  const { names, shift } = await page.evaluate<{ names: string[]; shift: number }>(`new Promise(resolve => {
    new PerformanceObserver(list => resolve({
      names: performance.getEntriesByType('resource').map(({ name }) => name),
      shift: list.getEntries().reduce((sum, { value }) => sum + value, 0),
    })).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve({
      names: performance.getEntriesByType('resource').map(({ name }) => name), shift: 0 }), 500)
  })`)
  const files = [`${service.url}/console`, ...new Set(names.filter(name => /\.(js|css)$/.test(name)))]
  const sizes = await Promise.all(
    files.map(async file => gzipSync(Buffer.from(await (await fetch(file)).arrayBuffer())).length),
  )
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(450_000)
  expect(shift).toBeLessThan(0.05)
})

test('light and dark follow the system, and can be switched', async () => {
  const { page } = await openConsole({ colorScheme: 'dark' })
  const brightness = () =>
    page.evaluate<number>('Number(/[0-9]+/.exec(getComputedStyle(document.body).backgroundColor)[0])')
  expect(await brightness()).toBeLessThan(60)
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('menuitemradio', { name: 'Light' }).click()
  expect(await brightness()).toBeGreaterThan(200)
  await page.reload()
  expect(await brightness()).toBeGreaterThan(200)
})

test('the key is kept in the session alone, and a wrong one is asked for again', async () => {
  const { page } = await openPage(service, '/console')
  for (const unsendable of ['a key', 'clé', '钥匙']) {
    await giveKey(page, service.tenant, unsendable)
    await page.locator('input[type=password]:invalid').waitFor()
  }
  await giveKey(page, service.tenant, 'wrong-key-of-somebody')
  await page.getByText('The key is not valid.').waitFor()
  await giveKey(page, service.tenant)
  await page.getByText('2 memories').first().waitFor()
  const kept = await page.evaluate<{ session: string; elsewhere: string }>(`({
      session: JSON.stringify({ ...sessionStorage }),
      elsewhere: JSON.stringify({ ...localStorage }) + document.cookie + location.href,
    })`)
  expect(kept.session).toContain(OPERATOR_KEY)
  expect(kept.elsewhere).not.toContain(OPERATOR_KEY)
  const other = await page.context().newPage()
  await other.goto(`${service.url}/console`)
  await other.getByLabel('Key', { exact: true }).waitFor()
})

test('every control of /graphiql is within reach on a screen of 390 pixels', async () => {
  const { page } = await openPage(service, '/graphiql', { viewport: { width: 390, height: 780 } })
  await giveKey(page, service.tenant)
  await page.getByRole('button', { name: `Tenant: ${service.tenant}` }).waitFor()
  for (const control of await page.locator('header :is(a, button, input)').all()) {
    const box = await control.boundingBox()
    if (box) expect(box.x + box.width, (await control.textContent()) ?? undefined).toBeLessThanOrEqual(390)
  }
})

test('GraphiQL knows the schema and runs the query that it opens with', async () => {
  const { page, complaints, foreign } = await openPage(service, '/graphiql')
  await giveKey(page, service.tenant)
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
  await page.locator('.graphiql-doc-explorer').getByText('Query', { exact: true }).click()
  await page.getByRole('link', { name: 'searchMemories', exact: true }).waitFor()
  await runOperation(page, 'Newest')
  await page.locator('.result-window').getByText('"memories"').first().waitFor()

  const listening = page.waitForResponse(answer =>
    /event-stream/.test(answer.headers()['content-type'] ?? ''),
  )
  await runOperation(page, 'Changes')
  await listening
  await remember(service.client, [{ content: 'The oven is warm' }])
  await page.locator('.result-window').getByText('"The oven is warm"').waitFor()
  await page.getByRole('button', { name: 'Stop query' }).click()
  await page.getByRole('button', { name: 'Execute query' }).waitFor()
  expect(await page.evaluate<string>('JSON.stringify({ ...localStorage })')).not.toContain(OPERATOR_KEY)
  expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
})

/** The console, opened with the key, as it lists the memories. */
async function openConsole(options: PageOptions = {}, timeout = 30_000) {
  const opened = await openPage(service, '/console', options)
  await giveKey(opened.page, service.tenant)
  await opened.page.getByText('2 memories').first().waitFor({ timeout })
  return opened
}
