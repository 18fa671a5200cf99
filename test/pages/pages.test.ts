import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { giveKey, type PageOptions, withBrowser } from '../support/pages.ts'
import { remember } from '../support/seed.ts'
import { OPERATOR_KEY, type TestService, withService } from '../support/service.ts'

const HOSTILE =
  '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script> hostile'
const contents = [
  'Sourdough rises slowly',
  'The kitchen is cold',
  'The window stays open',
  'Yeast works faster in warmth',
  'Sourdough needs a night',
  HOSTILE,
] as const

const openPage = withBrowser()
const service = withService()
const production = withService({
  settings: { NODE_ENV: 'production', SERVICE_SERVER_API_KEY: 'x'.repeat(32) },
})
beforeAll(async () => {
  await fill()
  await explore({}, 150_000)
}, 240_000)

/** slow ─caused by→ cold ─caused by→ window; warmth ─contradicts→ cold; night ─supports→ slow; hostile ─references→ warmth */
async function fill() {
  const stored = await remember(
    service.client,
    contents.map(content => ({ content, tags: ['bread'] })),
  )
  const idAt = (place: number) => stored[place]?.id as string
  const connections = [
    [0, 1, 'caused_by', 0.9],
    [1, 2, 'caused_by', 0.8],
    [3, 1, 'contradicts', 0.4],
    [4, 0, 'supports', 1],
    [5, 3, 'references', 0.3],
  ] as const
  for (const [source, target, relationship_type, strength] of connections)
    await service.client.createConnection({
      source_id: idAt(source),
      target_id: idAt(target),
      ...{ relationship_type, strength },
    })
}

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
    '/explorer',
    '/explorer/',
    '/explorer/main.js',
    '/graphiql',
    '/graphiql/editor.worker.js',
  ]) {
    const answer = await fetch(service.url + path)
    expect({ path, status: answer.status }).toEqual({ path, status: 200 })
    const policy = answer.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("connect-src 'self'")
  }
  for (const path of ['/explorer/nothing', '/explorer/../../../package.json', '/graphiql/%2e%2e/made-from'])
    expect((await fetch(service.url + path)).status).toBe(404)
  const written = await fetch(`${service.url}/explorer`, { method: 'POST' })
  expect([written.status, written.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('a page comes whole whatever part is asked for, and not when another version is', async () => {
  for (const path of ['/explorer', '/explorer/main.js']) {
    const ask = (headers: Record<string, string>) => fetch(service.url + path, { headers })
    const whole = await (await ask({})).text()
    const answer = await ask({ range: 'bytes=99999999-' })
    expect([answer.status, await answer.text()]).toEqual([200, whole])
    await expectProblem(await ask({ 'if-match': '"another"' }), 'version_mismatch')
  }
})

test('in production the pages are off unless switched on', async () => {
  for (const path of ['/explorer', '/explorer/main.js', '/graphiql'])
    expect((await fetch(production.url + path)).status).toBe(404)
  const required = { SERVICE_SERVER_API_KEY: 'x'.repeat(32), NEO4J_URI: 'bolt://127.0.0.1:1' }
  const inProduction = { ...required, NODE_ENV: 'production' }
  expect(readConfig(inProduction).pages).toBe(false)
  expect(readConfig({ ...inProduction, SERVICE_PAGES: 'on' }).pages).toBe(true)
  expect(readConfig({ ...required, SERVICE_PAGES: 'off' }).pages).toBe(false)
})

test('each kind of search shows its results with scores, and why', async () => {
  const { page, complaints, foreign } = await explore()
  const expected = {
    Hybrid: /kitchen is cold\d\.\d\dmeaning #1cosine \d\.\d\dwords #1relevance \d+\.\d\d$/,
    Semantic: /kitchen is cold\d\.\d\dmeaning #1cosine \d\.\d\d$/,
    Keyword: /kitchen is cold1\.00words #1relevance \d+\.\d\d$/,
  }
  for (const [kind, text] of Object.entries(expected)) {
    await page.locator('label', { hasText: kind }).click()
    await seek(page, 'cold kitchen')
    await page.locator('.hit').first().filter({ hasText: text }).waitFor()
  }
  await seek(page, 'xylophone')
  await page.getByText('Nothing holds these words.').waitFor()
  expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
})

test('a click on a memory draws what it is connected to', async () => {
  const { page } = await explore()
  await alone(page, 'kitchen')
  await clickMemory(page)
  await page.locator('#details .content', { hasText: 'The kitchen is cold' }).waitFor()
  await page.getByText('4 memories · 3 connections').waitFor()
  await page.locator('.changes').getByText('created, version 1').waitFor()
  expect(await page.locator('.changes').textContent()).toMatch(/connected: ← caused by Sourdough rises/)
  expect(await page.locator('.neighbours').textContent()).toMatch(/← caused by 0\.90 · asserted/)
})

test('connections are filtered by type, by who made them and by strength', async () => {
  const { page } = await explore()
  await page.getByText('6 memories · 5 connections').waitFor()
  await page.getByText('Filter').click()
  await page.getByLabel('caused by').uncheck()
  await page.getByText('6 memories · 3 connections').waitFor()
  await page.getByLabel('at least').fill('0.4')
  await page.getByText('6 memories · 2 connections').waitFor()
  await page.getByLabel('callers (asserted)').uncheck()
  await page.getByText('6 memories · 0 connections').waitFor()
})

test('a path between two chosen memories is found and described', async () => {
  const { page } = await explore()
  await seek(page, 'sourdough night')
  await page.locator('.hit', { hasText: 'needs a night' }).click()
  await page.getByRole('button', { name: 'Path from here' }).click()
  await seek(page, 'window open')
  await page.locator('.hit', { hasText: 'window stays open' }).click()
  await page.getByRole('button', { name: 'Path to here' }).click()
  const way = page.locator('.way').first()
  await way.waitFor()
  expect(await way.textContent()).toMatch(/^3 connections, score 0\.72/)
  expect(await way.textContent()).toMatch(/↓ supports 1\.00.*slowly.*↓ caused by 0\.90.*↓ caused by 0\.80/)
  await page.getByRole('button', { name: 'Forget the path' }).click()
  await page.locator('#paths').waitFor({ state: 'hidden' })
})

test('without a pointer the keys choose and expand, and a list holds everything', async () => {
  const { page } = await explore()
  await alone(page, 'kitchen')
  await page.locator('#canvas').focus()
  await page.keyboard.press('ArrowRight')
  await page.locator('#details .content', { hasText: 'The kitchen is cold' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('4 memories · 3 connections').waitFor()
  await page
    .locator('#announcer')
    .filter({ hasText: /^The kitchen is cold\. .*3 new memories/ })
    .waitFor({ state: 'attached' })
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('l')
  const rows = page.getByRole('table', { name: '3 connections' }).getByRole('row')
  expect(await rows.allTextContents()).toContainEqual(
    expect.stringMatching(/kitchen is coldcaused byThe window stays open0\.80asserted/),
  )
  await page.getByRole('table', { name: '4 memories' }).getByRole('button', { name: 'Yeast works' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('5 memories · 4 connections').waitFor()
})

test('what changes elsewhere is drawn at once', async () => {
  const { page } = await openPage(service, '/explorer')
  const tenant = `${service.tenant.slice(0, 40)}-live`
  const client = service.clientOf(tenant)
  await giveKey(page, tenant)
  await page.getByRole('heading', { name: 'No memories yet' }).waitFor()
  await page.locator('#live.on').waitFor()
  const [first, second] = await remember(client, ['The harbour freezes', 'The ferry stays away'])
  await page.getByText('2 memories · 0 connections').waitFor()
  await client.createConnection({ source_id: second?.id as string, target_id: first?.id as string })
  await page.getByText('2 memories · 1 connection', { exact: true }).waitFor()
  await client.deleteMemory({ id: first?.id as string })
  await page.getByText('1 memory · 0 connections').waitFor()
})

test('light and dark follow the system, and can be switched', async () => {
  const { page } = await explore({ colorScheme: 'dark' })
  const brightness = () =>
    page.evaluate<number>('Number(/[0-9]+/.exec(getComputedStyle(document.body).backgroundColor)[0])')
  expect(await brightness()).toBeLessThan(60)
  await page.getByRole('button', { name: 'Colours: system' }).click()
  expect(await brightness()).toBeGreaterThan(200)
  await page.reload()
  expect(await brightness()).toBeGreaterThan(200)
})

test('what memories hold is shown as text, whatever it is', async () => {
  const { page, complaints } = await explore()
  await seek(page, 'hostile')
  await page.locator('.hit').first().click()
  await page.locator('#details .content', { hasText: HOSTILE }).waitFor()
  await page.getByRole('button', { name: 'List' }).click()
  await page.getByRole('table', { name: /memor/ }).getByText('hostile').first().waitFor()
  expect(await page.locator('main img, main script').count()).toBe(0)
  expect([await page.title(), complaints]).toEqual(['Mnemograph Explorer', []])
})

test('the key is kept in the session alone, and a wrong one is asked for again', async () => {
  const { page } = await openPage(service, '/explorer')
  for (const unsendable of ['a key', 'clé', '钥匙']) {
    await giveKey(page, service.tenant, unsendable)
    await page.locator('#access-key:invalid').waitFor()
  }
  await giveKey(page, service.tenant, 'wrong-key-of-somebody')
  await page.getByRole('dialog').getByText('The key is not valid.').waitFor()
  await giveKey(page, service.tenant)
  await page.getByText('6 memories').first().waitFor()
  const kept = await page.evaluate<{ session: string; elsewhere: string }>(`({
      session: JSON.stringify({ ...sessionStorage }),
      elsewhere: JSON.stringify({ ...localStorage }) + document.cookie + location.href,
    })`)
  expect(kept.session).toContain(OPERATOR_KEY)
  expect(kept.elsewhere).not.toContain(OPERATOR_KEY)
  const other = await page.context().newPage()
  await other.goto(`${service.url}/explorer`)
  await other.getByRole('dialog').getByLabel('Key', { exact: true }).waitFor()
})

test('a tenant without memories and a service that is away say what to do next', async () => {
  const { page } = await openPage(service, '/explorer')
  await giveKey(page, `${service.tenant.slice(0, 40)}-empty`)
  await page.getByRole('heading', { name: 'No memories yet' }).waitFor()
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Look again' }).click()
  await page.locator('#notice').getByText('The service does not answer.').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'No memories yet' }).waitFor()
})

test.each([
  ['/explorer', 320],
  ['/explorer', 390],
  ['/graphiql', 390],
] as const)('every control of %s is within reach on a screen of %i pixels', async (path, width) => {
  const { page } = await openPage(service, path, { viewport: { width, height: 780 } })
  await giveKey(page, service.tenant)
  await page.getByRole('button', { name: `Tenant: ${service.tenant}` }).waitFor()
  if (path === '/explorer') await page.getByText('Filter', { exact: true }).click()
  const places = ['header', '.tools'].map(place => page.locator(`${place} :is(a, button, input, summary)`))
  for (const control of (await Promise.all(places.map(each => each.all()))).flat()) {
    const box = await control.boundingBox()
    if (box) expect(box.x + box.width, (await control.textContent()) ?? undefined).toBeLessThanOrEqual(width)
  }
})

test('GraphiQL knows the schema and runs the query that it opens with', async () => {
  const { page, complaints, foreign } = await openPage(service, '/graphiql')
  await giveKey(page, service.tenant)
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
  await page.locator('.graphiql-doc-explorer').getByText('Query', { exact: true }).click()
  await page.getByRole('link', { name: 'searchMemories', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Execute query' }).click()
  await page.getByRole('menuitem', { name: 'Newest' }).click()
  await page.locator('.result-window').getByText('"memories"').first().waitFor()

  const listening = page.waitForResponse(answer =>
    /event-stream/.test(answer.headers()['content-type'] ?? ''),
  )
  await page.getByRole('button', { name: 'Execute query' }).click()
  await page.getByRole('menuitem', { name: 'Changes' }).click()
  await listening
  await remember(service.client, [{ content: 'The oven is warm' }])
  await page.locator('.result-window').getByText('"The oven is warm"').waitFor()
  await page.getByRole('button', { name: 'Stop query' }).click()
  await page.getByRole('button', { name: 'Execute query' }).waitFor()
  expect(await page.evaluate<string>('JSON.stringify({ ...localStorage })')).not.toContain(OPERATOR_KEY)
  expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
})

/** The explorer, opened with the key, as it shows the newest memories. */
async function explore(options: PageOptions = {}, timeout = 30_000) {
  const opened = await openPage(service, '/explorer', options)
  await giveKey(opened.page, service.tenant)
  await opened.page.getByRole('heading', { name: 'Newest memories' }).waitFor({ timeout })
  return opened
}

async function seek(page: Page, query: string) {
  const field = page.getByLabel('Search the memories')
  await field.fill(query)
  // Not wherever the focus may have gone: an answer that is just drawn may take it.
  await field.press('Enter')
  await page.getByText(new RegExp(`for ${query}\\.`)).waitFor({ state: 'attached' })
}

/** Draws the one memory that holds a word, without its neighbours: in the middle of the drawing. */
async function alone(page: Page, word: string) {
  await page.getByText('Filter').click()
  await page.getByLabel('at least').fill('1')
  await page.locator('label', { hasText: 'Keyword' }).click()
  await seek(page, word)
  await page.getByText('1 memory · 0 connections').waitFor()
  await page.getByLabel('at least').fill('0')
  await page.getByText('Filter').click()
}

/** Clicks the memory that stands somewhere across the middle of the drawing. */
async function clickMemory(page: Page) {
  const box = await page.locator('#canvas').boundingBox()
  if (!box) throw new Error('The page has no drawing')
  for (let x = box.x + 4; x < box.x + box.width; x += 8) {
    await page.mouse.move(x, box.y + box.height / 2)
    if ((await page.locator('#canvas.on-node').count()) === 1)
      return page.mouse.down().then(() => page.mouse.up())
  }
  throw new Error('No memory is drawn there')
}
