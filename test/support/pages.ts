import type { Browser, Page } from 'playwright-core'
import { OPERATOR_KEY, type TestService } from './service.ts'

/** A page of the service in a browser of its own, with what it complained of and what it asked of other hosts. */
export async function openPage(
  browser: Browser,
  { url }: TestService,
  path: string,
  options: Parameters<Browser['newContext']>[0] = {},
) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page: Page = await context.newPage()
  const complaints: string[] = []
  const foreign: string[] = []
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    const { protocol, origin } = new URL(request.url())
    if (!['data:', 'blob:'].includes(protocol) && origin !== url) foreign.push(request.url())
  })
  await page.goto(url + path)
  return { page, complaints, foreign }
}

/** Gives the page a key and a tenant, as a person does. */
export async function giveKey(page: Page, tenant: string, key = OPERATOR_KEY) {
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.getByLabel('Tenant', { exact: true }).fill(tenant)
  await page.getByRole('button', { name: 'Open' }).click()
}
