import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { giveKey, withBrowser } from '../support/pages.ts'
import { idOf, remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

/** What a newcomer does first, by a script that only clicks what has a name, and how many clicks each task takes. */

const openPage = withBrowser()
const service = withService()

type Role = Parameters<Page['getByRole']>[0]

/** Clicks and types as a person does, and counts the clicks. */
function newcomer(page: Page) {
  let clicks = 0
  const click = async (role: Role, name: string | RegExp) => {
    clicks++
    await page
      .getByRole(role, { name, exact: typeof name === 'string' })
      .first()
      .click()
  }
  const type = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)
  const see = (text: string | RegExp) => page.getByText(text).first().waitFor()
  return { click, type, see, clicks: () => clicks }
}

async function open(tenant: string, path = '') {
  const opened = await openPage(service, `/console/t/${tenant}${path}`)
  await giveKey(opened.page, tenant)
  await opened.page.locator('.live.on').waitFor()
  return opened
}

beforeAll(async () => {
  const { page } = await openPage(service, '/console')
  await giveKey(page, freshTenant())
  await page.getByText('Nothing is remembered yet').waitFor({ timeout: 150_000 })
}, 240_000)

type Newcomer = ReturnType<typeof newcomer>
type Client = ReturnType<typeof service.clientOf>
type Task = {
  name: string
  clicks: number
  given?: (client: Client) => Promise<unknown>
  run: (by: Newcomer) => Promise<void>
  result: (client: Client) => Promise<unknown>
  is: unknown
}

const tasks: Task[] = [
  {
    name: 'store a memory',
    clicks: 2,
    given: client => remember(client, ['a cat']),
    async run({ click, type, see }) {
      await click('link', 'New memory')
      await type('Text', 'The ferry leaves at nine')
      await click('button', 'Store')
      await see('Stored.')
    },
    result: async client => (await client.listMemories({})).memories[0]?.content,
    is: 'The ferry leaves at nine',
  },
  {
    name: 'find a memory',
    clicks: 1,
    given: client => remember(client, ['a cat sleeps', 'a truck drives', 'bread rises']),
    async run({ click, type, see }) {
      await type('Search the memories', 'truck')
      await see('Relevance')
      await click('link', 'a truck drives')
      await see('Version 1')
    },
    result: async () => true,
    is: true,
  },
  {
    name: 'correct a memory',
    clicks: 3,
    given: client => remember(client, ['The ferry leaves at nine']),
    async run({ click, type, see }) {
      await click('link', 'The ferry leaves at nine')
      await click('button', 'Edit')
      await type('Text', 'The ferry leaves at ten')
      await click('button', 'Save')
      await see('Changed.')
    },
    result: async client => (await client.listMemories({})).memories[0]?.content,
    is: 'The ferry leaves at ten',
  },
  {
    name: 'connect two memories',
    clicks: 3,
    given: client => remember(client, ['a cat sleeps', 'a truck drives']),
    async run({ click, type, see }) {
      await click('link', 'a cat sleeps')
      await type('Memory to connect with', 'truck')
      await click('button', 'Find')
      await click('button', 'Connect with “a truck drives”')
      await see('Connected with')
    },
    result: async client => (await client.listConnections({})).total,
    is: 1,
  },
  {
    name: 'see why two memories are linked',
    clicks: 5,
    async given(client) {
      const [a, b, c] = (
        await remember(client, ['The harbour freezes', 'The ferry waits', 'Guests sleep'])
      ).map(idOf) as [string, string, string]
      await client.createConnection({ source_id: b, target_id: a, relationship_type: 'caused_by' })
      await client.createConnection({ source_id: c, target_id: b, relationship_type: 'caused_by' })
    },
    async run({ click, see }) {
      await click('link', 'Graph')
      await click('button', /^Guests sleep/)
      await click('button', 'Path from here')
      await click('button', /^The harbour freezes/)
      await click('button', 'Path to here')
      await see(/was caused by/)
    },
    result: async () => true,
    is: true,
  },
  {
    name: 'merge duplicates',
    clicks: 4,
    given: client =>
      remember(client, ['The ferry leaves at nine', 'The ferry leaves at nine.', 'Bread rises']),
    async run({ click, see }) {
      await click('link', 'Overview')
      await click('link', /^Merge:/)
      await click('button', 'Show the plan')
      await click('button', 'Apply the plan')
      await see(/^Applied/)
    },
    result: async client => (await client.getStats()).memories.by_state.active,
    is: 2,
  },
  {
    name: 'forget a source',
    clicks: 5,
    given: client => remember(client, [{ content: 'old', source: 'old-wiki' }, { content: 'new' }]),
    async run({ click, type, see }) {
      await click('link', 'Maintenance')
      await click('tab', 'Plan')
      await click('radio', /^Forget/)
      await type('Source', 'old-wiki')
      await click('button', 'Show the plan')
      await click('button', 'Apply the plan')
      await see('Applied 1 change.')
    },
    result: async client => (await client.getStats()).memories.by_state.active,
    is: 1,
  },
  {
    name: 'give an agent a key',
    clicks: 2,
    given: client => remember(client, ['a cat']),
    async run({ click, type, see }) {
      await click('link', 'Keys')
      await type('Name of the key', 'my agent')
      await click('button', 'Make a key')
      await see(/^mnk_/)
    },
    result: async client => (await client.listKeys({})).keys.map(({ name }) => name),
    is: ['my agent'],
  },
  {
    name: 'watch the queue',
    clicks: 1,
    given: client => remember(client, ['a cat']),
    async run({ click, see }) {
      await click('link', 'Operations')
      await see(/^\d+ queued$/)
    },
    result: async () => true,
    is: true,
  },
  {
    name: 'restore a memory that was deleted',
    clicks: 2,
    async given(client) {
      const [cat] = await remember(client, ['a cat', 'a dog'])
      await client.deleteMemory({ id: cat?.id as string })
    },
    async run({ click, type, see }) {
      await type('Search the memories', 'is:archived ')
      await click('checkbox', 'Select a cat')
      await click('button', 'Restore')
      await see('Restored: 1 memory.')
    },
    result: async client => (await client.getStats()).memories.by_state.active,
    is: 2,
  },
]

test.each(tasks)('a newcomer can $name with $clicks clicks', async ({ given, run, result, is, clicks }) => {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
  await given?.(client)
  const { page, complaints, foreign } = await open(tenant)
  const by = newcomer(page)
  await run(by)
  await expect.poll(() => result(client)).toEqual(is)
  expect({ clicks: by.clicks(), complaints, foreign }).toEqual({ clicks, complaints: [], foreign: [] })
})

test('the keys alone search, read, edit, go anywhere and list what they do', async () => {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
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
  await page.getByRole('button', { name: 'Edit' }).waitFor()
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

test('sample data is loaded into an empty tenant, and the tour can be left', async () => {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
  const { page, complaints } = await open(tenant)
  const { click, see } = newcomer(page)
  await click('button', 'Load it and take the tour')
  await see('1 of 5: Memories')
  expect((await client.getStats()).memories.total).toBeGreaterThan(50)
  await click('button', 'Next')
  await see('2 of 5: Graph')
  await click('button', 'Leave the tour')
  await page.getByRole('complementary', { name: 'Tour' }).waitFor({ state: 'hidden' })
  expect(complaints).toEqual([])
})

test('a bundle is exported, erased and imported again in the console, and a time is cleared', async () => {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
  await remember(client, [
    { content: 'kept', tags: ['a'] },
    { content: 'moved', tags: ['b'], valid_until: '2030-01-01T00:00:00Z', source: 'wiki' },
  ])
  const { page } = await open(tenant, '/maintenance?tab=data')
  const part = (name: string) => page.getByRole('region', { name, exact: true })
  const coming = page.waitForEvent('download')
  await part('Export').getByLabel('Tags').fill('b')
  await part('Export').getByRole('button', { name: 'Export' }).click()
  const file = await (await coming).path()
  await part('Erase').getByLabel('Tags').fill('b')
  await part('Erase').getByRole('button', { name: 'Erase' }).click()
  await page
    .getByRole('dialog', { name: 'Erase 1 memory?' })
    .getByRole('button', { name: 'Erase for good' })
    .click()
  await page.getByText('Erased 1 memory.').waitFor()
  expect((await client.getStats()).memories.total).toBe(1)
  await part('Import')
    .getByLabel('Choose a bundle')
    .setInputFiles({
      name: 'memories.ndjson',
      mimeType: 'application/x-ndjson',
      buffer: await readFile(file),
    })
  await page.getByText('Imported memories.ndjson.').waitFor()
  expect((await client.getStats()).memories.total).toBe(2)

  const [moved] = (await client.listMemories({ tags: ['b'] })).memories
  await page.goto(`${service.url}/console/t/${tenant}/memories/${moved?.id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Holds until (UTC)').fill('')
  await page.getByLabel('Source').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Changed.').waitFor()
  expect(await client.getMemory({ id: moved?.id as string })).toMatchObject({
    valid_until: null,
    source: null,
  })
})

test('a query in Cypher shows its result as a table and as a graph', async () => {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
  const [cat, truck] = (await remember(client, ['a cat sleeps', 'a truck drives'])).map(idOf) as [
    string,
    string,
  ]
  await client.createConnection({ source_id: cat, target_id: truck, relationship_type: 'supports' })
  const { page } = await open(tenant, '/cypher')
  await page.getByRole('button', { name: 'What is connected' }).click()
  const row = page.getByRole('row').filter({ hasText: 'supports' })
  await row.getByRole('link', { name: 'a cat sleeps' }).waitFor()
  await page
    .getByRole('group', { name: 'Graph of the result' })
    .getByRole('link', { name: 'a truck drives' })
    .waitFor()
  await page.getByLabel('Query in Cypher').fill('MATCH (m:Memory) SET m.content = 1')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('alert').waitFor()
})
