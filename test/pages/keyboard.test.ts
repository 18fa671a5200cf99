import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type NewcomerTask, newcomerTasks } from '../support/newcomer.ts'
import { withConsole } from '../support/pages.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

/** The same ten tasks, and all else that the console can do, without a pointer. */

const service = withService()
const open = withConsole(service)

type Role = Parameters<Page['getByRole']>[0]
const MOST_STEPS = 90

/** Presses keys as a person does who has no pointer: what cannot be reached by them cannot be used. */
function typist(page: Page) {
  const { keyboard } = page
  const press = async (...keys: string[]) => {
    for (const key of keys) await keyboard.press(key)
  }
  const type = (text: string) => keyboard.type(text)
  const named = (role: Role, name: string | RegExp) =>
    page.getByRole(role, { name, exact: typeof name === 'string' }).first()
  /** Presses Tab, or the keys given, until something has the focus. */
  const reach = async (role: Role, name: string | RegExp, key = 'Tab') => {
    await named(role, name).waitFor()
    const hasFocus = async () => (await named(role, name).and(page.locator(':focus')).count()) > 0
    for (let step = 0; step < MOST_STEPS && !(await hasFocus()); step++) await press(key)
    expect(await hasFocus(), `${role} ${name}`).toBe(true)
  }
  const use = async (role: Role, name: string | RegExp, key?: string) => {
    await reach(role, name, key)
    await press('Enter')
  }
  const see = (text: string | RegExp) => page.getByText(text).first().waitFor()
  return { page, press, type, reach, use, see }
}

type Typist = ReturnType<typeof typist>

/** Searches, and opens the first that is found. */
async function openFound({ press, type, see, page }: Typist, words: string, content: string) {
  await press('/')
  await type(words)
  await see('Relevance')
  await page.getByRole('link', { name: content, exact: true }).waitFor()
  await press('ArrowDown', 'Enter')
  const article = page.getByRole('article', { name: content })
  // Results of the last letters that come between the two keys take the focus away: a person begins again.
  for (let tries = 0; tries < 4 && !(await article.isVisible()); tries++) {
    const isOpen = await article.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    )
    if (!isOpen) await press('Escape', '/', 'ArrowDown', 'Enter')
  }
  await article.waitFor()
  await see('Version 1')
}

const ways: Record<NewcomerTask, (by: Typist) => Promise<void>> = {
  async store({ page, press, type, see }) {
    await press('n')
    await page.locator('textarea:focus').waitFor()
    await type('The ferry leaves at nine')
    await press('Control+Enter')
    await see('Stored.')
  },
  find: by => openFound(by, 'truck', 'a truck drives'),
  async correct(by) {
    const { page, press, type, use, see } = by
    await openFound(by, 'ferry', 'The ferry leaves at nine')
    await press('e')
    await page.locator('textarea:focus').waitFor()
    await press('Control+a')
    await type('The ferry leaves at ten')
    await use('button', 'Save')
    await see('Changed.')
  },
  async connect(by) {
    const { press, type, reach, use, see } = by
    await openFound(by, 'sleeps', 'a cat sleeps')
    await reach('searchbox', 'Memory to connect with')
    await type('truck')
    await press('Enter')
    await use('button', 'Connect with “a truck drives”')
    await see('Connected with')
  },
  async explain({ press, use, see }) {
    await press('g', 'g')
    await use('button', /^Guests sleep/)
    await use('button', 'Path from here')
    await use('button', /^The harbour freezes/, 'Shift+Tab')
    await use('button', 'Path to here')
    await see(/was caused by/)
  },
  async merge({ press, use, see }) {
    await press('g', 'o')
    await use('link', /^Merge:/)
    await use('button', 'Show the plan')
    await use('button', 'Apply the plan')
    await see(/^Applied/)
  },
  async forget({ page, press, type, reach, use, see }) {
    await press('g', 't')
    await reach('tab', 'Conflicts')
    await press('ArrowRight')
    await reach('radio', /^Apply the policies/)
    await press('ArrowDown')
    await page.getByRole('radio', { name: /^Forget/, checked: true }).waitFor()
    await reach('textbox', 'Source')
    await type('old-wiki')
    await press('Enter')
    await use('button', 'Apply the plan')
    await see('Applied 1 change.')
  },
  async key({ press, type, reach, see }) {
    await press('g', 'k')
    await reach('textbox', 'Name of the key')
    await type('my agent')
    await press('Enter')
    await see(/^mnk_/)
  },
  async watch({ press, see }) {
    await press('g', 's')
    await see(/^\d+ queued$/)
  },
  async restore({ page, press, type, use, see }) {
    await press('/')
    await type('is:archived ')
    await page.getByRole('button', { name: 'Remove the filter is: archived' }).waitFor()
    await page.getByRole('link', { name: 'a cat', exact: true }).waitFor()
    await press('ArrowDown', 'x')
    await use('button', 'Restore', 'Shift+Tab')
    await see('Restored: 1 memory.')
  },
}

const tasks = (Object.keys(ways) as NewcomerTask[]).map(name => ({ ...newcomerTasks[name], run: ways[name] }))

test.each(tasks)('a newcomer without a pointer can $name', async ({ given, run, result, is }) => {
  const { tenant, client } = service.newTenant()
  await given(client)
  const { page, complaints } = await open(tenant)
  await run(typist(page))
  await expect.poll(() => result(client)).toEqual(is)
  expect(complaints).toEqual([])
})

test('the keys alone search, read, edit, go anywhere and list what they do', async () => {
  const { tenant, client } = service.newTenant()
  await remember(client, [{ content: 'a cat sleeps', tags: ['pet'] }, 'a truck drives'])
  const { page } = await open(tenant)
  await page.getByRole('listitem').filter({ hasText: 'a cat sleeps' }).waitFor()
  const { keyboard } = page
  await keyboard.press('/')
  await keyboard.type('tag:pet ')
  await page.getByRole('button', { name: 'Remove the filter tag: pet' }).waitFor()
  await expect.poll(() => page.getByRole('list', { name: 'Memories' }).getByRole('listitem').count()).toBe(1)
  await keyboard.press('ArrowDown')
  await page.getByRole('region', { name: 'Preview' }).getByText('a cat sleeps').waitFor()
  await keyboard.press('Enter')
  await page.getByRole('article', { name: 'a cat sleeps' }).waitFor()
  await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
  await keyboard.press('e')
  await page.getByLabel('Text', { exact: true }).focus()
  await keyboard.press('End')
  await keyboard.type(' well')
  await page.getByLabel('Tags').press('Enter')
  await page.getByText('Changed.').waitFor()
  expect((await client.listMemories({ tags: ['pet'] })).memories[0]?.content).toBe('a cat sleeps well')

  await keyboard.press('Control+k')
  await keyboard.type('truck')
  await page.getByRole('option', { name: 'a truck drives' }).waitFor()
  await page.getByRole('combobox').fill('webh')
  await page.getByRole('option', { name: /Webhooks/ }).waitFor()
  await keyboard.press('Enter')
  await page.getByText('No webhook yet').waitFor()
  await keyboard.press('g')
  await keyboard.press('k')
  await page.getByText('No key yet').waitFor()
  await keyboard.press('?')
  await page.getByRole('dialog', { name: 'Shortcuts' }).getByText('Go to Graph', { exact: true }).waitFor()
  await keyboard.press('Escape')
  await keyboard.press('n')
  await page.getByRole('form', { name: 'New memory' }).waitFor()
})

test('the keys set the width of a column, which a reload keeps, and skip to the view', async () => {
  const tenant = freshTenant()
  await remember(service.clientOf(tenant), ['a cat sleeps'])
  const { page } = await open(tenant)
  const { press, reach, use } = typist(page)
  const width = async () =>
    Number(await page.getByRole('separator', { name: 'Width of tags' }).getAttribute('aria-valuenow'))
  await page.getByRole('link', { name: 'a cat sleeps', exact: true }).waitFor()
  await use('button', 'Skip to the view')
  await reach('separator', 'Width of tags')
  const before = await width()
  await press('ArrowLeft', 'ArrowLeft')
  await expect.poll(width).toBe(before + 32)
  await page.reload()
  await page.getByRole('link', { name: 'a cat sleeps', exact: true }).waitFor()
  expect(await width()).toBe(before + 32)
  await reach('separator', 'Width of tags')
  await press('Home')
  await expect.poll(width).toBe(before)
})
