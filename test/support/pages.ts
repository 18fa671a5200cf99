import { buffer } from 'node:stream/consumers'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, inject } from 'vitest'
import { freshTenant, OPERATOR_KEY } from './service.ts'

/** Where the pages are. */
type Place = { url: string }

export type PageOptions = Parameters<Browser['newContext']>[0]

/** Connects with the browser of the run, and returns what opens a page in it. The pages of a test are closed after it. */
export function withBrowser() {
  const connected = connectedBrowser()
  const contexts: BrowserContext[] = []
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })
  return async (service: Place, path: string, options?: PageOptions) => {
    const opened = await openPage(connected(), service, path, options)
    contexts.push(opened.page.context())
    return opened
  }
}

function connectedBrowser(): () => Browser {
  let browser: Browser | undefined
  beforeAll(async () => {
    const answer = await fetch(`${inject('lender')}/browser`)
    if (!answer.ok) throw new Error(await answer.text())
    browser = await chromium.connect((await answer.json()) as string)
  }, 240_000)
  afterAll(() => browser?.close())
  return () => browser as Browser
}

/**
 * A page of the service in a profile of its own, with its complaints and its requests to other hosts. That WebGL is slow
 * without a graphics card is no complaint.
 */
async function openPage(browser: Browser, { url }: Place, path: string, options: PageOptions = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page: Page = await context.newPage()
  const complaints: string[] = []
  const foreign: string[] = []
  page.on('console', message => {
    const isComplaint = ['error', 'warning'].includes(message.type())
    if (isComplaint && !message.text().includes('GL Driver Message')) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    const { protocol, origin } = new URL(request.url())
    if (!['data:', 'blob:'].includes(protocol) && origin !== new URL(url).origin) foreign.push(request.url())
  })
  await page.goto(url + path)
  return { page, complaints, foreign }
}

/**
 * Returns what opens a view of the console in a tenant, with the operator's key. All tests of a file use one tab, as a person
 * does: its first page, which waits for plans, is drawn before them. What it keeps of views is forgotten between two tests.
 */
export function withConsole(service: Place) {
  const connected = connectedBrowser()
  let tab: Awaited<ReturnType<typeof openPage>> | undefined
  beforeAll(async () => {
    tab = await openPage(connected(), service, '/console')
    await giveKey(tab.page, freshTenant())
    await tab.page.getByText('Nothing is remembered yet').waitFor({ timeout: 150_000 })
  }, 240_000)
  return async (tenant: string, path = '') => {
    const { page, complaints, foreign } = tab as NonNullable<typeof tab>
    await page.evaluate("localStorage.clear(); sessionStorage.removeItem('mnemograph.tour')")
    complaints.length = foreign.length = 0
    await page.goto(`${service.url}/console/t/${tenant}${path}`)
    await page.locator('.live.on').waitFor()
    return { page, complaints, foreign }
  }
}

/** Gives the page a key and a tenant, as a person does. */
export async function giveKey(page: Page, tenant: string, key = OPERATOR_KEY) {
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.getByLabel('Tenant', { exact: true }).fill(tenant)
  await page.getByRole('button', { name: 'Open' }).click()
}

/**
 * Runs an operation of the text in GraphiQL. Its button offers the operations once the text is read with the schema; while
 * that renders the page again, a menu may close before it is used.
 */
export async function runOperation(page: Page, name: string) {
  const offered = page.getByRole('menuitem', { name })
  while (!(await offered.isVisible())) {
    await page
      .locator('button[aria-haspopup="menu"]')
      .and(page.getByRole('button', { name: 'Execute query' }))
      .click()
    await offered.waitFor({ timeout: 5000 }).catch(() => undefined)
  }
  await offered.click()
}

/** What a page saves when it is asked to. The browser may belong to another process, whose files are not ours. */
export async function saved(page: Page, ask: () => Promise<void>): Promise<Buffer> {
  const coming = page.waitForEvent('download')
  await ask()
  return buffer(await (await coming).createReadStream())
}
