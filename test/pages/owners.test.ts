import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { privateTenant } from '../../src/contract/private.ts'
import { giveKey, withBrowser, withConsole } from '../support/pages.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()
const openAsOperator = withConsole(service)
const openPage = withBrowser()

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const listed = (page: Page) => page.getByRole('list', { name: 'Memories' }).getByRole('listitem')

async function openAsOwner(tenant: string) {
  const { key } = await service.clientOf(tenant).createKey({ owner: 'anna', scopes: ['write'] })
  const opened = await openPage(service, '/console')
  await giveKey(opened.page, '', key)
  return { ...opened, client: service.clientOf('', key) }
}

test('a key is made for an owner', async () => {
  const tenant = freshTenant()
  const { page } = await openAsOperator(tenant, '/keys')
  await page.getByLabel('Name of the key').fill('the agent of anna')
  await page.getByLabel('Owner of the key').fill('anna')
  await button(page, 'Make a key').click()
  await page.getByRole('cell', { name: 'anna', exact: true }).waitFor()
  const { keys } = await service.clientOf(tenant).listKeys()
  expect(keys).toMatchObject([{ name: 'the agent of anna', owner: 'anna' }])
})

test('an owner stores privately or for all, and sees both, or the private ones alone', async () => {
  const tenant = freshTenant()
  const { page, client, complaints } = await openAsOwner(tenant)
  await page.waitForURL(`**/console/t/${tenant}/**`)
  await page.getByText('Nothing is remembered yet').waitFor()
  const store = async (text: string, visibility?: string) => {
    await page.getByRole('link', { name: 'New memory' }).click()
    await page.getByLabel('Text', { exact: true }).fill(text)
    if (visibility) await page.getByLabel('Visible to').selectOption(visibility)
    await button(page, 'Store').click()
    await page.getByText('Facts').waitFor()
  }
  await store('a thought of my own')
  await page.getByText('Private to').waitFor()
  await store('a thought for all', 'shared')
  const { memories } = await client.listMemories({ order: 'asc' })
  expect(memories.map(({ content, owner }) => [content, owner])).toEqual([
    ['a thought of my own', 'anna'],
    ['a thought for all', null],
  ])
  await page.getByRole('link', { name: 'Memories', exact: true }).click()
  await expect.poll(() => listed(page).count()).toBe(2)
  await remember(client, ['a thought of another day'])
  await expect.poll(() => listed(page).count()).toBe(3)
  await button(page, `Tenant: ${tenant}`).click()
  await button(page, privateTenant(tenant, 'anna')).click()
  await expect.poll(() => listed(page).count()).toBe(2)
  expect(new URL(page.url()).pathname).toBe(`/console/t/${privateTenant(tenant, 'anna')}/memories`)
  await page.reload()
  await expect.poll(() => listed(page).count()).toBe(2)
  expect(complaints).toEqual([])
})

test('private memories alone are no empty tenant', async () => {
  const tenant = freshTenant()
  const { page, client } = await openAsOwner(tenant)
  await page.getByText('Nothing is remembered yet').waitFor()
  await remember(client, ['a thought of my own'])
  await page.reload()
  await expect.poll(() => listed(page).count()).toBe(1)
})

test('the operator goes to private memories by their name', async () => {
  const tenant = freshTenant()
  const own = privateTenant(tenant, 'anna')
  await remember(service.clientOf(own), ['a thought of anna'])
  await remember(service.clientOf(tenant), ['a thought of all'])
  const { page } = await openAsOperator(tenant)
  await expect.poll(() => listed(page).allTextContents()).toEqual([expect.stringContaining('of all')])
  await button(page, `Tenant: ${tenant}`).click()
  await page.getByLabel('Find a tenant').fill(`${tenant}~`)
  await button(page, own).click()
  await expect.poll(() => listed(page).allTextContents()).toEqual([expect.stringContaining('of anna')])
  await listed(page).getByRole('link').click()
  await page.getByText('Private to').waitFor()
  expect(new URL(page.url()).pathname).toContain(`/console/t/${own}/memories/`)
})
