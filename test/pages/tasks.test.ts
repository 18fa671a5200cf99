import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type NewcomerTask, newcomerTasks } from '../support/newcomer.ts'
import { saved, withConsole } from '../support/pages.ts'
import { remember, rememberIds } from '../support/seed.ts'
import { withService } from '../support/service.ts'

/** What a newcomer does first, by a script that only clicks what has a name, and how many clicks each task takes. */

const service = withService()
const open = withConsole(service)

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

type Newcomer = ReturnType<typeof newcomer>
type Way = { clicks: number; run: (by: Newcomer) => Promise<void> }

const ways: Record<NewcomerTask, Way> = {
  store: {
    clicks: 2,
    async run({ click, type, see }) {
      await click('link', 'New memory')
      await type('Text', 'The ferry leaves at nine')
      await click('button', 'Store')
      await see('Stored.')
    },
  },
  find: {
    clicks: 1,
    async run({ click, type, see }) {
      await type('Search the memories', 'truck')
      await see('Relevance')
      await click('link', 'a truck drives')
      await see('Version 1')
    },
  },
  correct: {
    clicks: 3,
    async run({ click, type, see }) {
      await click('link', 'The ferry leaves at nine')
      await click('button', 'Edit')
      await type('Text', 'The ferry leaves at ten')
      await click('button', 'Save')
      await see('Changed.')
    },
  },
  connect: {
    clicks: 3,
    async run({ click, type, see }) {
      await click('link', 'a cat sleeps')
      await type('Memory to connect with', 'truck')
      await click('button', 'Find')
      await click('button', 'Connect with “a truck drives”')
      await see('Connected with')
    },
  },
  explain: {
    clicks: 5,
    async run({ click, see }) {
      await click('link', 'Graph')
      await click('button', /^Guests sleep/)
      await click('button', 'Path from here')
      await click('button', /^The harbour freezes/)
      await click('button', 'Path to here')
      await see(/was caused by/)
    },
  },
  merge: {
    clicks: 4,
    async run({ click, see }) {
      await click('link', 'Overview')
      await click('link', /^Merge:/)
      await click('button', 'Show the plan')
      await click('button', 'Apply the plan')
      await see(/^Applied/)
    },
  },
  forget: {
    clicks: 2,
    async run({ click, type, see }) {
      await type('Search the memories', 'source:old-wiki ')
      await see('1 memory')
      await click('button', 'Select all')
      await click('button', 'Archive')
      await see('Archived: 1 memory.')
    },
  },
  key: {
    clicks: 2,
    async run({ click, type, see }) {
      await click('link', 'Keys')
      await type('Name of the key', 'my agent')
      await click('button', 'Make a key')
      await see(/^mnk_/)
    },
  },
  watch: {
    clicks: 1,
    async run({ click, see }) {
      await click('link', 'Operations')
      await see(/^\d+ queued$/)
    },
  },
  restore: {
    clicks: 2,
    async run({ click, type, see }) {
      await type('Search the memories', 'is:archived ')
      await click('checkbox', 'Select a cat')
      await click('button', 'Restore')
      await see('Restored: 1 memory.')
    },
  },
}

const tasks = (Object.keys(ways) as NewcomerTask[]).map(name => ({ ...newcomerTasks[name], ...ways[name] }))

test.each(tasks)('a newcomer can $name with $clicks clicks', async ({ given, run, result, is, clicks }) => {
  const { tenant, client } = service.newTenant()
  await given(client)
  const { page, complaints, foreign } = await open(tenant)
  const by = newcomer(page)
  await run(by)
  await expect.poll(() => result(client)).toEqual(is)
  expect({ clicks: by.clicks(), complaints, foreign }).toEqual({ clicks, complaints: [], foreign: [] })
})

test('sample data is loaded into an empty tenant, and the tour can be left', async () => {
  const { tenant, client } = service.newTenant()
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
  const { tenant, client } = service.newTenant()
  await remember(client, [
    { content: 'kept', tags: ['a'] },
    { content: 'moved', tags: ['b'], valid_until: '2030-01-01T00:00:00Z', source: 'wiki' },
  ])
  const { page } = await open(tenant, '/maintenance?tab=data')
  const part = (name: string) => page.getByRole('region', { name, exact: true })
  await part('Export').getByLabel('Tags').fill('b')
  const bundle = await saved(page, () => part('Export').getByRole('button', { name: 'Export' }).click())
  await part('Erase').getByLabel('Tags').fill('b')
  await part('Erase').getByRole('button', { name: 'Erase' }).click()
  await page
    .getByRole('dialog', { name: 'Erase 1 memory?' })
    .getByRole('button', { name: 'Erase for good' })
    .click()
  await page.getByText('Erased 1 memory.').waitFor()
  expect((await client.getStats()).memories.total).toBe(1)
  await part('Import').getByLabel('Choose a bundle').setInputFiles({
    name: 'memories.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: bundle,
  })
  await page.getByText('Imported memories.ndjson.').waitFor()
  expect((await client.getStats()).memories.total).toBe(2)

  const [moved] = (await client.listMemories({ tags: ['b'] })).memories
  await page.goto(`${service.url}/console/t/${tenant}/memories/${moved?.id}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
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
  const { tenant, client } = service.newTenant()
  const [cat, truck] = await rememberIds(client, ['a cat sleeps', 'a truck drives'])
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
