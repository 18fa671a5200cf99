import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { giveKey, withBrowser, withConsole } from '../support/pages.ts'
import { rememberIds } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

/** What axe-core finds in every view, light and dark, and in all that opens above a view: nothing. */

const service = withService()
const open = withConsole(service)
const openPage = withBrowser()
const axe = await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const themes = ['light', 'dark'] as const
let ids: string[]

beforeAll(async () => {
  ids = await rememberIds(service.client, [
    { content: 'The kitchen is cold', tags: ['bread'], source: 'wiki', session_id: 'first' },
    {
      content: '# Dough\n\nIt rises [slowly](https://bread.example/).\n\n```js\nconst hours = 9 // long\n```',
      tags: ['bread'],
    },
    { content: 'The window stays open', session_id: 'first' },
    { content: 'The kitchen is cold.', importance: 0.1 },
  ])
  const [cold, dough, window] = ids as [string, string, string]
  await service.client.createConnection({
    source_id: cold,
    target_id: window,
    relationship_type: 'caused_by',
  })
  await service.client.createConnection({
    source_id: dough,
    target_id: cold,
    relationship_type: 'contradicts',
  })
  await service.client.updateMemory({ id: window, content: 'The window stays closed' })
  await service.client.createKey({ name: 'my agent' })
  await service.client.createWebhook({ url: 'https://hooks.invalid/' })
}, 240_000)

const openView = async (path: string) => (await open(service.tenant, path)).page

/** What axe-core finds in the page as it is now, in light colours and in dark ones: a page follows its system. */
async function findingsOf(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    const findings = await findingsNow(page, colorScheme === 'dark' ? ['color-contrast'] : undefined)
    found.push(...findings.map(each => `${colorScheme}: ${each}`))
  }
  return found
}

/** By all rules, or by those that are named: only the contrast depends on colours. */
async function findingsNow(page: Page, runOnly?: string[]): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe)
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly })
  // Of a rule that holds it is enough to know that it was tried: to describe each element takes longer than to test it.
  const { held, broken } = await page.evaluate<{
    held: number
    broken: string[]
  }>(`axe.run(${options})
    .then(({ passes, violations }) => ({
      held: passes.length,
      broken: violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => [id, html.slice(0, 300), failureSummary].join(' '))),
    }))`)
  expect(held).toBeGreaterThan(runOnly ? 0 : 10)
  return broken
}

const views = (): Record<string, string> => ({
  [`/graph?chosen=${ids[0]}&q=cold`]: '4 memories · 2 connections drawn',
  '/memories?q=kitchen&tags=bread': 'Relevance',
  '/memories': '4 memories',
  [`/memories/${ids[0]}`]: 'Version 1',
  [`/memories/${ids[1]}`]: 'Version 1',
  '/new': 'Store',
  '/overview': 'Needs attention',
  '/insights/near_duplicates': 'Memories with a near duplicate',
  '/cypher': 'Ctrl-Enter runs it',
  '/maintenance': 'Keep this one',
  '/maintenance?tab=plan': 'Show the plan',
  '/maintenance?tab=policies': 'New policy',
  '/maintenance?tab=runs': 'No run yet',
  '/maintenance?tab=data': 'Choose a bundle',
  '/operations': 'Audit log',
  '/webhooks': 'https://hooks.invalid/',
  '/keys': 'my agent',
})

test('axe finds nothing in any view, in light and in dark colours', { timeout: 240_000 }, async () => {
  const page = await openView('/memories')
  for (const [path, text] of Object.entries(views())) {
    await page.goto(`${service.url}/console/t/${service.tenant}${path}`)
    await page.locator('.live.on').waitFor()
    await page.locator('main').getByText(text).first().waitFor()
    expect.soft(await findingsOf(page), path).toEqual([])
  }
})

test.each(themes)(
  'axe finds nothing in GraphiQL, the sign-in and the first run in %s colours',
  async theme => {
    const { page } = await openPage(service, '/console', { colorScheme: theme })
    await page.getByLabel('Key', { exact: true }).waitFor()
    expect.soft(await findingsNow(page), 'sign-in').toEqual([])
    await giveKey(page, freshTenant())
    await page.getByText('Nothing is remembered yet').waitFor()
    expect.soft(await findingsNow(page), 'first run').toEqual([])
    await page.goto(`${service.url}/graphiql?tenant=${service.tenant}`)
    await page.getByText('query').first().waitFor()
    await page.getByRole('button', { name: 'Execute query' }).waitFor()
    expect.soft(await findingsNow(page), 'GraphiQL').toEqual([])
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await page.locator('.graphiql-doc-explorer').getByText('Query', { exact: true }).waitFor()
    expect.soft(await findingsNow(page), 'schema').toEqual([])
  },
)

/** What opens above a view: how to open it, and what it shows then. */
const above: [string, (page: Page) => Promise<unknown>, string][] = [
  ['the palette', page => page.keyboard.press('Control+k'), '[cmdk-list]'],
  ['the shortcuts', page => page.keyboard.press('?'), '.shortcuts'],
  ['the menu', page => page.getByRole('button', { name: 'Menu' }).click(), '[role=menu]'],
  ['the columns', page => page.getByRole('button', { name: 'Columns' }).click(), '[role=menu]'],
  ['the views', page => page.getByRole('button', { name: 'Views' }).click(), '.pop.form'],
  ['the filters', page => page.getByRole('button', { name: 'Filter' }).click(), '.pop.form'],
  ['the tenants', page => page.getByRole('button', { name: /^Tenant:/ }).click(), '.pop'],
]

test('axe finds nothing in what opens above a view, in light and in dark colours', async () => {
  const page = await openView('/memories')
  await page.getByText('4 memories', { exact: true }).waitFor()
  for (const [name, show, place] of above) {
    await show(page)
    await page.locator(place).waitFor()
    expect.soft(await findingsOf(page), name).toEqual([])
    await page.keyboard.press('Escape')
    await page.locator(place).waitFor({ state: 'hidden' })
  }
  await page.getByRole('checkbox', { name: 'Select The kitchen is cold.' }).check()
  await page.getByText('1 selected').waitFor()
  expect.soft(await findingsOf(page), 'a selection').toEqual([])
  await page.goto(`${service.url}/console/t/${service.tenant}/memories/${ids[2]}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  expect.soft(await findingsOf(page), 'the editor').toEqual([])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog', { name: 'Remove this memory?' }).waitFor()
  expect.soft(await findingsOf(page), 'a question').toEqual([])
})
