import type { Page, Route } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { Memory } from '../../src/contract/memory.ts'
import { giveKey, type PageOptions, withBrowser } from '../support/pages.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const openPage = withBrowser()
const service = withService()
beforeAll(async () => {
  await fill()
  await explore({}, service.tenant, 150_000)
}, 240_000)

/** tide ─caused by→ moon */
async function fill() {
  const [tide, moon] = await remember(service.client, ['The tide rises twice', 'The moon pulls at the tide'])
  await service.client.createConnection({
    ...{ source_id: tide?.id as string, target_id: moon?.id as string },
    ...{ relationship_type: 'caused_by', strength: 0.5 },
  })
}

test('what changes while an earlier change is still being read is drawn too', async () => {
  const { page, client } = await follow()
  const refresh = await hold(page, 'Refresh')
  await remember(client, ['The harbour freezes'])
  await expect.poll(() => refresh.asked).toBe(1)
  await remember(client, ['The ferry stays away'])
  await page.getByText('Live · 2 changes').waitFor()
  refresh.release()
  await page.getByText('2 memories · 0 connections').waitFor()
})

test('a change that could not be read is drawn when it is tried again', async () => {
  const { page, client } = await follow()
  await failOnce(page, 'Refresh')
  await remember(client, ['The harbour freezes'])
  await page.getByRole('heading', { name: 'That did not work' }).waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('1 memory · 0 connections').waitFor()
  await page.locator('#notice').waitFor({ state: 'hidden' })
})

test('what a memory answers after Esc or H is not shown any more', async () => {
  const { page } = await explore()
  const history = await hold(page, 'History')
  await hitOf(page, 'tide rises').click()
  await page.locator('#details .content').waitFor()
  await page.locator('#canvas').press('Escape')
  history.release()
  await atRest(page)
  expect(await page.locator('#details h2').textContent()).toBe('Nothing chosen')

  const look = await hold(page, 'MemoryView')
  await hitOf(page, 'tide rises').click()
  await expect.poll(() => look.asked).toBe(1)
  await page.locator('#canvas').press('h')
  look.release()
  await atRest(page)
  expect(await page.locator('#details h2').textContent()).toBe('Nothing chosen')
  await page.getByText('1 memory · 0 connections').waitFor()
  expect(await page.locator('#notice').isVisible()).toBe(false)
})

test('a hit that is chosen before the drawing is there stays chosen', async () => {
  const { page } = await explore()
  const surroundings = await hold(page, 'Surroundings')
  await seek(page, 'tide')
  await hitOf(page, 'moon pulls').click()
  await page.locator('#details .content', { hasText: 'The moon pulls' }).waitFor()
  surroundings.release()
  await atRest(page)
  expect(await page.locator('#details .content').textContent()).toContain('The moon pulls')
  await page.getByText('2 memories · 1 connection', { exact: true }).waitFor()
})

test('another tenant begins without anything of the one before', async () => {
  const { page } = await explore()
  await hitOf(page, 'tide rises').click()
  await page.getByRole('button', { name: 'Path from here' }).click()
  await enter(page, freshTenant())
  await page.getByRole('heading', { name: 'No memories yet' }).waitFor()
  expect(await left(page)).toEqual({ chosen: 'Nothing chosen', paths: false, results: 0 })

  await enter(page, service.tenant)
  await hitOf(page, 'tide rises').click()
  await page.locator('#details .content').waitFor()
  await failOnce(page, 'Beginning')
  await enter(page, freshTenant())
  await page.getByRole('heading', { name: 'That did not work' }).waitFor()
  await page.getByText('0 memories · 0 connections').waitFor()
  expect(await left(page)).toEqual({ chosen: 'Nothing chosen', paths: false, results: 0 })
})

test('the feed that is refused for a while goes on where it was', async () => {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
  const place = (await client.listChanges({ from: 'now' })).next_cursor
  await remember(client, ['The harbour freezes'])
  const page = await opened()
  const asked = await answerEvents(page, [
    { contentType: 'text/event-stream', body: `: open\nid: ${place}\n\n` },
    { ...problem(429, 'rate_limited', 'Too many at once.'), headers: { 'retry-after': '3' } },
  ])
  await giveKey(page, tenant)
  await page.locator('#live', { hasText: 'Not live: Too many at once.' }).waitFor()
  await page.getByText('Live · 1 change').waitFor()
  expect(asked.map(({ after }) => after)).toEqual([null, place, place])
  const [, refused, again] = asked
  expect((again?.at as number) - (refused?.at as number)).toBeGreaterThan(2900)
})

test('where the feed is no longer kept, everything is read again', async () => {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
  const place = (await client.listChanges({ from: 'now' })).next_cursor
  const page = await opened()
  const asked = await answerEvents(page, [
    { contentType: 'text/event-stream', body: `: open\nid: ${place}\n\n` },
    problem(410, 'cursor_expired', 'No longer kept.'),
  ])
  await giveKey(page, tenant)
  await page.getByRole('heading', { name: 'No memories yet' }).waitFor()
  await remember(client, ['The harbour freezes'])
  await page.getByText('1 memory · 0 connections').waitFor()
  expect(asked.map(({ after }) => after)).toEqual([null, place, null])
  await page.locator('#live.on').waitFor()
})

test('a key without access to the feed is reported', async () => {
  const page = await opened()
  await answerEvents(page, [problem(403, 'forbidden', 'Not for you.')])
  await giveKey(page, service.tenant)
  await page.locator('#live', { hasText: 'Not live: Not for you.' }).waitFor()
  await answerEvents(page, [problem(401, 'unauthorized', 'No longer valid.')])
  await enter(page, service.tenant)
  await page.getByRole('dialog').getByText('No longer valid.').waitFor()
})

test('a filter that lets more pass draws what was left out', async () => {
  const { page } = await explore()
  await page.getByText('Filter').click()
  const types = page.getByRole('group', { name: 'Types' }).getByRole('checkbox')
  for (const type of await types.all()) await type.uncheck()
  await seek(page, 'tide')
  await atRest(page)
  await page.getByText('2 memories · 0 connections').waitFor()
  await page.getByLabel('caused by').check()
  await page.getByText('2 memories · 1 connection', { exact: true }).waitFor()
  await page.getByLabel('at least').fill('1')
  await seek(page, 'tide')
  await atRest(page)
  await page.getByText('2 memories · 0 connections').waitFor()
  await page.getByLabel('at least').fill('0.4')
  await page.getByText('2 memories · 1 connection', { exact: true }).waitFor()
})

test('a long history begins with the newest change', async () => {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
  const [{ id }] = (await remember(client, ['The harbour freezes'])) as [Memory]
  for (const importance of [0.1, 0.2, 0.3, 0.4]) await client.updateMemory({ id, importance })
  const { page } = await explore({}, tenant)
  let pages = 0
  await onQuery(page, 'History', route => {
    pages++
    return route.continue({ postData: route.request().postData()?.replace('limit: 500', 'limit: 2') ?? '' })
  })
  await hitOf(page, 'harbour').click()
  await page.getByText('History: 5 changes').waitFor()
  expect(await page.locator('.changes li').first().textContent()).toContain('updated, version 5')
  expect(pages).toBe(3)
})

test('a notice of a failure is dismissed, or goes with the next success', async () => {
  const { page } = await explore()
  const [notice, announcer] = [page.locator('#notice'), page.locator('#announcer')]
  const fail = async () => {
    await failOnce(page, 'MemoryView')
    await hitOf(page, 'tide rises').click()
    await notice.getByText('It is broken.').waitFor()
  }
  await fail()
  expect(await announcer.textContent()).toBe('That did not work. It is broken.')
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await notice.waitFor({ state: 'hidden' })
  await fail()
  await page.keyboard.press('Escape')
  await notice.waitFor({ state: 'hidden' })
  await fail()
  await hitOf(page, 'tide rises').click()
  await notice.waitFor({ state: 'hidden' })
})

test('a change of the chosen memory takes the focus from nobody', async () => {
  const { page, client } = await follow()
  const [{ id }] = (await remember(client, ['The harbour freezes'])) as [Memory]
  await page.getByText('1 memory · 0 connections').waitFor()
  await page.locator('#canvas').press('ArrowRight')
  await page.getByRole('button', { name: 'Path to here' }).focus()
  await client.updateMemory({ id, importance: 1 })
  await page.locator('.facts').getByText('version 2').waitFor()
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Path to here')
})

test('on a narrow screen a hit that is tapped shows the drawing and its details', async () => {
  const { page } = await explore({ viewport: { width: 390, height: 800 } })
  await page.getByRole('button', { name: 'Results' }).click()
  await hitOf(page, 'tide rises').click()
  await page.locator('#details .content').waitFor()
  expect(await page.locator('#drawing').isVisible()).toBe(true)
})

const opened = async (options: PageOptions = {}) => (await openPage(service, '/explorer', options)).page

/** The explorer as it shows the newest memories. */
async function explore(options: PageOptions = {}, tenant = service.tenant, timeout = 30_000) {
  const page = await opened(options)
  await giveKey(page, tenant)
  const heading = page.locator('#results h2', { hasText: 'Newest memories' })
  await heading.waitFor({ state: 'attached', timeout })
  return { page }
}

/** The explorer as it follows a tenant that is empty. */
async function follow() {
  const tenant = freshTenant()
  const { page } = await explore({}, tenant)
  await page.locator('#live.on').waitFor()
  return { page, client: service.clientOf(tenant) }
}

async function enter(page: Page, tenant: string) {
  await page.locator('#access').click()
  await giveKey(page, tenant)
}

const left = async (page: Page) => ({
  chosen: await page.locator('#details h2').textContent(),
  paths: await page.locator('#paths').isVisible(),
  results: await page.locator('.hit').count(),
})

const hitOf = (page: Page, text: string) => page.locator('.hit', { hasText: text })

/** Searches until the hits are listed; the drawing may come later. */
async function seek(page: Page, query: string) {
  const field = page.getByLabel('Search the memories')
  await field.fill(query)
  await field.press('Enter')
  await page.locator('#results h2', { hasText: /results?/ }).waitFor()
}

/** Until nothing is asked any more. */
const atRest = (page: Page) => expect.poll(() => page.locator('#drawing[aria-busy]').count()).toBe(0)

/** Hands what the page asks by one query to somebody else. */
const onQuery = (page: Page, name: string, handle: (route: Route) => unknown) =>
  page.route('**/graphql', route =>
    route.request().postData()?.includes(`query ${name}`) ? handle(route) : route.fallback(),
  )

/** Holds one query back until it is released. */
async function hold(page: Page, name: string) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const held = { asked: 0, release }
  await onQuery(page, name, async route => {
    held.asked++
    await promise
    await route.fallback()
  })
  return held
}

/** Answers one query with a failure, the next time that it is asked. */
function failOnce(page: Page, name: string) {
  let failed = false
  return onQuery(page, name, route => {
    if (failed) return route.fallback()
    failed = true
    return route.fulfill(problem(503, 'database_unavailable', 'It is broken.'))
  })
}

/** Answers the first requests for the stream with these, the others by the service. Returns from where each was requested, and when. */
async function answerEvents(page: Page, answers: Parameters<Route['fulfill']>[0][]) {
  const asked: { after: string | null; at: number }[] = []
  await page.route('**/api/v1/events*', route => {
    const answer = answers[asked.length]
    asked.push({ after: new URL(route.request().url()).searchParams.get('after'), at: Date.now() })
    return answer ? route.fulfill(answer) : route.fallback()
  })
  return asked
}

const problem = (status: number, code: string, detail: string) => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({ code, detail }),
})
