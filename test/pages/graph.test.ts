import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { importMany } from '../../tools/many-memories.ts'
import { giveKey, type PageOptions, saved, withBrowser, withConsole } from '../support/pages.ts'
import { pastMoment } from '../support/past-moment.ts'
import { remember, rememberIds } from '../support/seed.ts'
import { freshTenant, OPERATOR_KEY, withService } from '../support/service.ts'

const contents = [
  'Sourdough rises slowly',
  'The kitchen is cold',
  'The window stays open',
  'Yeast works faster in warmth',
  'Sourdough needs a night',
  'Rye is heavier',
] as const

const service = withService()
const open = withConsole(service)
const openPage = withBrowser()
let ids: string[]

/** slow ─caused by→ cold ─caused by→ window; warmth ─contradicts→ cold; night ─supports→ slow */
beforeAll(async () => {
  ids = await rememberIds(
    service.client,
    contents.map((content, place) => ({ content, tags: [place < 3 ? 'bread' : 'yeast'] })),
  )
  const connections = [
    [0, 1, 'caused_by', 0.9],
    [1, 2, 'caused_by', 0.8],
    [3, 1, 'contradicts', 0.4],
    [4, 0, 'supports', 1],
  ] as const
  for (const [source, target, relationship_type, strength] of connections)
    await service.client.createConnection({
      source_id: ids[source] as string,
      target_id: ids[target] as string,
      ...{ relationship_type, strength },
    })
}, 240_000)

/** The graph of the file's tenant, as all of it is drawn. */
async function openGraph(search = '') {
  const opened = await open(service.tenant, `/graph${search}`)
  await statusOf(opened.page, ALL)
  return opened
}

/** The same in a tab of its own. */
async function openElsewhere(search: string, options: PageOptions = {}) {
  const opened = await openPage(service, `/console/graph${search}`, options)
  await giveKey(opened.page, service.tenant)
  await statusOf(opened.page, ALL)
  return opened
}

const ALL = '6 memories · 4 connections drawn'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const memoryIn = (page: Page, list: string, name: string) =>
  page.getByRole(list === 'Connections' ? 'list' : 'region', { name: list }).getByRole('button', { name })
const chosen = (page: Page) => page.getByRole('region', { name: 'Chosen memory' })
const statusOf = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor()
const picture = (page: Page) => page.locator('.drawing .canvas')

test('the old address of the graph leads to it', async () => {
  const answer = await fetch(`${service.url}/explorer`, { redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([308, '/console/graph'])
})

test('a memory that is chosen shows what it is connected with, and leads on from there', async () => {
  const { page, complaints, foreign } = await openGraph()
  await memoryIn(page, 'Memories', 'The kitchen is cold').click()
  await chosen(page).getByText('3 connections').waitFor()
  expect(await chosen(page).getByRole('list').textContent()).toMatch(
    /← caused by 0\.90 · asserted Sourdough rises slowly.*→ caused by 0\.80.*← contradicts 0\.40/,
  )
  await memoryIn(page, 'Connections', 'The window stays open').click()
  await chosen(page).getByRole('heading', { name: 'The window stays open' }).waitFor()
  await page.goBack()
  await chosen(page).getByRole('heading', { name: 'The kitchen is cold' }).waitFor()
  await page.reload()
  await chosen(page).getByRole('heading', { name: 'The kitchen is cold' }).waitFor()
  await chosen(page).getByRole('link', { name: 'Open' }).click()
  await page.getByRole('article', { name: 'The kitchen is cold' }).waitFor()
  expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
})

test('what a search finds is listed with how its score came about', async () => {
  const { page } = await openGraph('?q=cold%20kitchen')
  await memoryIn(page, 'Memories', 'The kitchen is cold')
    .filter({ hasText: /relevance \d\.\d\d · meaning #1, cosine \d\.\d\d · words #1/ })
    .waitFor()
  await button(page, 'Filter').click()
  await page.getByLabel('Kind of search').selectOption('keyword')
  await page.keyboard.press('Escape')
  await page.getByLabel('Search the memories').fill('xylophone')
  await page.getByText('No memory matches.').waitFor()
})

test('filters narrow what is read; the legend leaves out groups and types', async () => {
  const { page } = await openGraph('?colour=tag')
  const legend = (name: string | RegExp) => page.locator('.legend').getByRole('button', { name })
  await legend(/^bread 3/).click()
  await legend(/^caused by 2/).click()
  expect(await legend(/^bread/).getAttribute('aria-pressed')).toBe('false')
  expect(page.url()).toMatch(/without=bread.*off=caused_by/)
  await page.getByLabel('Search the memories').fill('tag:bread')
  await page.getByLabel('Search the memories').press('Enter')
  await statusOf(page, '3 memories · 2 connections drawn')
})

test('the best ways between two memories are shown with their scores', async () => {
  const { page } = await openGraph()
  await memoryIn(page, 'Memories', 'Sourdough needs a night').click()
  await button(page, 'Path from here').click()
  await memoryIn(page, 'Memories', 'The window stays open').click()
  await button(page, 'Path to here').click()
  const way = page.locator('.way').first()
  expect(await way.textContent()).toMatch(
    /^3 connections, score 0\.72.*↓ supports 1\.00.*slowly.*↓ was caused by 0\.90.*↓ was caused by 0\.80/,
  )
  await button(page, 'Clear the path').click()
  await way.waitFor({ state: 'hidden' })
})

test('two memories are connected by hand, and what changes elsewhere is drawn', async () => {
  const { tenant, client } = service.newTenant()
  await remember(client, ['The harbour freezes'])
  const { page } = await open(tenant, '/graph')
  await statusOf(page, '1 memory · 0 connections drawn')
  // It is alone, and so in the middle.
  await picture(page).click()
  await button(page, 'Path from here').click()
  const [second] = await remember(client, ['The ferry stays away'])
  await statusOf(page, '2 memories · 0 connections drawn')
  await memoryIn(page, 'Memories', 'The ferry stays away').click()
  await chosen(page).getByLabel('Type of the connection').selectOption('supports')
  await button(page, 'Connect from there').click()
  await statusOf(page, '2 memories · 1 connection drawn')
  expect((await client.listConnections({})).connections).toMatchObject([
    { connection: { target_id: second?.id, relationship_type: 'supports' } },
  ])
  await client.deleteMemory({ id: second?.id as string })
  await statusOf(page, '1 memory · 0 connections drawn')
  await chosen(page).getByText('This memory is archived').waitFor()
  await chosen(page).getByRole('link', { name: 'Open it' }).click()
  await button(page, 'Restore').click()
  await button(page, 'Archive').waitFor()
})

test('the slider shows the graph as it was, with the keys too', async () => {
  const { tenant, client } = service.newTenant()
  const [old, other] = await rememberIds(client, ['The harbour freezes', 'The ferry stays away'])
  const ends = {
    source_id: old as string,
    target_id: other as string,
    relationship_type: 'supports',
  } as const
  await client.createConnection(ends)
  const before = await pastMoment(service)
  await client.deleteConnection(ends)
  await client.updateMemory({ id: old as string, content: 'The harbour is open' })
  await remember(client, ['The ferry sails'])
  const { page, complaints } = await open(tenant, '/graph')
  await statusOf(page, '3 memories · 0 connections drawn')
  const slider = page.getByRole('slider', { name: 'As it was' })
  expect(await slider.getAttribute('aria-valuetext')).toBe('now')
  await slider.press('Home')
  await button(page, 'Back to now').waitFor()
  expect(page.url()).toMatch(/[?&]at=\d{4}-/)
  await slider.press('End')
  await button(page, 'Back to now').waitFor({ state: 'hidden' })
  await page.goto(`${service.url}/console/t/${tenant}/graph?at=${before}&q=harbour`)
  await statusOf(page, '2 memories · 1 connection drawn')
  await memoryIn(page, 'Memories', 'The harbour freezes').click()
  await chosen(page).getByText('1 connection', { exact: true }).waitFor()
  await memoryIn(page, 'Connections', 'The ferry stays away').waitFor()
  await button(page, 'Back to now').click()
  await statusOf(page, '3 memories · 0 connections drawn')
  await chosen(page).getByRole('heading', { name: 'The harbour is open' }).waitFor()
  expect(complaints).toEqual([])
})

test('archived memories are drawn where the filter asks for them', async () => {
  const { tenant, client } = service.newTenant()
  const [old, now] = await rememberIds(client, ['The harbour freezes', 'The ferry sails'])
  await client.createConnection({
    ...{ source_id: now as string, target_id: old as string },
    relationship_type: 'supports',
  })
  await client.deleteMemory({ id: old as string })
  const { page, complaints } = await open(tenant, '/graph?colour=state')
  await statusOf(page, '1 memory · 0 connections drawn')
  const field = page.getByLabel('Search the memories')
  await field.fill('is:any ')
  await statusOf(page, '2 memories · 1 connection drawn')
  await page.locator('.legend').getByRole('button', { name: 'archived 1' }).waitFor()
  await button(page, 'Remove the filter is: any').click()
  await field.fill('is:archived ')
  await statusOf(page, '1 memory · 0 connections drawn')
  await memoryIn(page, 'Memories', 'The harbour freezes').click()
  await chosen(page).getByText('archived · ').waitFor()
  expect(await button(page, 'Path from here').count()).toBe(0)
  expect(complaints).toEqual([])
})

test('a large graph is drawn by its memories alone while it moves, and whole when it rests', async () => {
  const tenant = freshTenant()
  await importMany(service.clientOf(tenant), 1_010)
  const { page, complaints } = await open(tenant, '/graph')
  await page.getByText(/^1,010 memories · [\d,]+ connections drawn$/).waitFor({ timeout: 60_000 })
  const discs = page.locator('.drawing .discs')
  await discs.waitFor({ state: 'hidden', timeout: 60_000 })
  await picture(page).hover()
  await page.evaluate(`
    const canvas = document.querySelector('.drawing .canvas')
    new MutationObserver(() => { globalThis.hasMoved ||= canvas.classList.contains('calm') })
      .observe(canvas, { attributes: true })`)
  // While memories are still being arranged, a move is no change of the picture.
  await expect
    .poll(() => page.mouse.wheel(0, -60).then(() => page.evaluate('globalThis.hasMoved')), {
      ...{ interval: 2000, timeout: 60_000 },
    })
    .toBe(true)
  await rest(page)
  // The discs are where the memories are: a click on one chooses a memory.
  await picture(page).click({ position: await insideDisc(page) })
  await chosen(page).getByRole('link', { name: 'Open' }).waitFor({ timeout: 60_000 })
  expect(complaints).toEqual([])
})

/** Waits for more frames than a move of the camera takes, all without a change. */
async function rest(page: Page) {
  await page.evaluate(`new Promise(done => {
    const discs = document.querySelector('.drawing .discs')
    let still = 0
    const look = () => {
      still = discs.hidden ? still + 1 : 0
      if (still < 30) requestAnimationFrame(look)
      else done()
    }
    look()
  })`)
}

/** A pixel of which all neighbours are of the same disc. */
async function insideDisc(page: Page): Promise<{ x: number; y: number }> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector('.drawing .discs')
    const { width, height } = canvas
    const copy = new OffscreenCanvas(width, height).getContext('2d')
    copy.drawImage(canvas, 0, 0)
    const colours = new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer)
    const around = [-1, 0, 1].flatMap(down => [-1, 0, 1].map(along => down * width + along))
    const isInside = at => colours[at] >>> 24 === 255 && around.every(by => colours[at + by] === colours[at])
    const from = width * Math.floor(height / 3)
    const at = colours.findIndex((_, at) => at > from && isInside(at))
    return { x: ((at % width) + 0.5) / devicePixelRatio, y: (Math.floor(at / width) + 0.5) / devicePixelRatio }
  })()`)
}

test('without a pointer the keys choose and open', async () => {
  const { page } = await openGraph()
  await picture(page).press('ArrowRight')
  await chosen(page).getByRole('heading', { name: 'The kitchen is cold' }).waitFor()
  await picture(page).press('Escape')
  await chosen(page).waitFor({ state: 'hidden' })
  await picture(page).press('ArrowDown')
  await picture(page).press('+')
  await picture(page).press('Enter')
  await page.getByRole('article', { name: 'The kitchen is cold' }).waitFor()
})

test('two tabs with two tenants stay apart, and a link leads to the same view after signing in', async () => {
  const { page } = await openElsewhere(`?chosen=${ids[1]}&q=kitchen`)
  const tenant = freshTenant()
  await remember(service.clientOf(tenant), ['Something else'])
  const other = await page.context().newPage()
  await other.goto(`${service.url}/console/t/${tenant}/graph`)
  await other.getByLabel('Key', { exact: true }).fill(OPERATOR_KEY)
  expect(await other.getByLabel('Tenant', { exact: true }).inputValue()).toBe(tenant)
  await button(other, 'Open').click()
  await statusOf(other, '1 memory · 0 connections drawn')
  expect(await other.locator('main').textContent()).not.toContain('kitchen')
  await page.reload()
  await statusOf(page, ALL)
  await button(page, `Tenant: ${service.tenant}`).click()
  await page.getByLabel('Find a tenant').fill(tenant)
  await button(page, tenant).click()
  await statusOf(page, '1 memory · 0 connections drawn')
  expect(await page.locator('main').textContent()).not.toContain('kitchen')
  await page.goBack()
  await statusOf(page, ALL)
})

test('the picture is saved as PNG, and the graph as GraphML', async () => {
  const { page } = await openGraph()
  const image = await saved(page, () => button(page, 'Save as PNG').click())
  expect(image.subarray(1, 4).toString()).toBe('PNG')
  const graph = await saved(page, () => button(page, 'Save as GraphML').click())
  expect(graph.toString()).toContain('Yeast works faster in warmth')
})

test('on a phone the chosen memory can be closed, and nothing is beyond the edge', async () => {
  const { page } = await openElsewhere(`?chosen=${ids[1]}`, { viewport: { width: 320, height: 700 } })
  await chosen(page).getByText('3 connections').waitFor()
  await button(page, 'Close').click()
  await chosen(page).waitFor({ state: 'hidden' })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
})
