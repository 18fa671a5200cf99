import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { fixture } from '../support/fixture.ts'
import { folderForTools, makeFrontend, startFileServer } from '../support/frontend.ts'
import { withBrowser } from '../support/pages.ts'
import { remember } from '../support/seed.ts'
import { OPERATOR_KEY, someMemory, withService } from '../support/service.ts'

const KEY = `${OPERATOR_KEY}-in-production`

const built = fixture(folderForTools)
const files = () => join(built.folder, 'public')
const allowed = fixture(() => startFileServer(files))
const foreign = fixture(() => startFileServer(files))
const service = withService(() => ({
  operatorKey: KEY,
  settings: { NODE_ENV: 'production', SERVICE_CORS_ORIGINS: allowed.url },
}))
const openPage = withBrowser()

beforeAll(async () => {
  const answer = await fetch(`${service.url}/graphql/schema.graphql`, {
    headers: { authorization: `Bearer ${KEY}` },
  })
  await makeFrontend(built.folder, await answer.text())
}, 240_000)

async function signIn(page: Page) {
  await page.getByLabel('Service').fill(service.url)
  await page.getByLabel('Token').fill(KEY)
  await page.getByLabel('Tenant').fill(service.tenant)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('a page of an allowed origin lists, searches, edits and follows changes', async () => {
  const [{ id: bread } = { id: '' }] = await remember(service.client, [
    'Sourdough rises slowly in a cold kitchen',
    ...Array.from({ length: 11 }, (_, at) => `Note number ${at}`),
  ])
  const { id: kitchen } = await service.client.createMemory(someMemory({ content: 'The kitchen is cold' }))
  await service.client.createConnection({
    source_id: bread,
    target_id: kitchen,
    relationship_type: 'caused_by',
  })
  const { page, complaints } = await openPage(allowed, '/')
  await signIn(page)
  const memories = page.getByRole('list', { name: 'Memories' }).getByRole('listitem')
  await expect.poll(() => memories.count()).toBe(10)
  await page.getByRole('button', { name: 'Older' }).click()
  await expect.poll(() => memories.count()).toBe(3)

  await page.getByLabel('Search').pressSequentially('sourdough rises')
  await page.getByRole('button', { name: 'Sourdough rises slowly' }).click()
  await page.getByText('CAUSED_BY').waitFor()

  await page.getByLabel('Content').fill('Sourdough rises within a day')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved').waitFor()
  expect((await service.client.getMemory({ id: bread })).content).toBe('Sourdough rises within a day')

  await page.getByLabel('Content').fill('This one is too late')
  await service.client.updateMemory({ id: bread, content: 'Somebody else was faster' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(() => page.locator('output').textContent()).toMatch(/version/)
  expect((await service.client.getMemory({ id: bread })).content).toBe('Somebody else was faster')

  await page.getByRole('button', { name: 'All memories' }).click()
  for (const way of ['events', 'websocket']) {
    await page.getByLabel('Follow by').selectOption(way)
    await page.getByText(`Following by ${way}`).waitFor()
    const content = `Written while the page follows by ${way}`
    await service.client.createMemory(someMemory({ content }))
    await page.getByRole('button', { name: content }).waitFor()
  }
  expect(complaints.filter(text => !text.includes('412'))).toEqual([])
})

test('a page of another origin does none of it', async () => {
  const { page } = await openPage(foreign, '/')
  await signIn(page)
  await page.getByRole('alert').getByText('Failed to fetch').waitFor()
  for (const way of ['events', 'websocket']) {
    await page.getByLabel('Follow by').selectOption(way)
    await page.getByText('Not following').waitFor()
  }
  const tried = await page.evaluate(
    async ({ url, key, tenant }) => {
      const headers = {
        authorization: `Bearer ${key}`,
        'x-tenant-id': tenant,
        'content-type': 'application/json',
      }
      const outcome = (path: string, init: RequestInit = {}) =>
        fetch(url + path, init).then(
          () => 'read',
          () => 'refused',
        )
      const body = JSON.stringify({ content: 'Written by a page that may not', policy: 'long_term' })
      return Promise.all([
        outcome('/health'),
        outcome('/api/v1/memories', { headers }),
        outcome('/api/v1/memories', { method: 'POST', headers, body }),
        outcome('/graphql', { method: 'POST', headers, body: '{"query":"{ memories { id } }"}' }),
        outcome('/mcp', { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }),
      ])
    },
    { url: service.url, key: KEY, tenant: service.tenant },
  )
  expect(new Set(tried)).toEqual(new Set(['refused']))
  const stored = (await service.client.listMemories({ limit: 100 })).memories.map(({ content }) => content)
  expect(stored).not.toContain('Written by a page that may not')
})
