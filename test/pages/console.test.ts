import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { giveKey, type PageOptions, withBrowser, withConsole } from '../support/pages.ts'
import { numbered, remember, rememberIds } from '../support/seed.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()
const openConsole = withConsole(service)
const openPage = withBrowser()

/** In a tab of its own: with another key, or on another screen. */
async function openElsewhere(tenant: string, { key, ...options }: PageOptions & { key?: string }) {
  const opened = await openPage(service, '/console', options)
  await giveKey(opened.page, tenant, key)
  return opened
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const listed = (page: Page) => page.getByRole('list', { name: 'Memories' }).getByRole('listitem')

test('an empty tenant leads to a first memory, which is found, edited, archived and restored', async () => {
  const tenant = freshTenant()
  const { page, complaints, foreign } = await openConsole(tenant)
  await page.getByLabel('Text', { exact: true }).fill('# Deploys\n\nCheckout needs a **green** load test')
  await page.getByLabel('Tags').fill('checkout, deploy')
  await button(page, 'Store').click()
  await page.getByRole('heading', { name: 'Deploys' }).waitFor()
  expect(await page.locator('.content strong').textContent()).toBe('green')

  await button(page, 'Edit').click()
  await page.getByLabel('Importance').fill('0.9')
  await page.getByLabel('Metadata').fill('team = payments\npages = 3')
  await button(page, 'Save').click()
  await page.getByText('Changed.').waitFor()
  const { memories } = await service.clientOf(tenant).listMemories({})
  expect(memories[0]).toMatchObject({
    importance: 0.9,
    tags: ['checkout', 'deploy'],
    metadata: { team: 'payments', pages: 3 },
    version: 2,
  })

  await button(page, 'Archive').click()
  await page.getByText('Searches do not find it').waitFor()
  await button(page, 'Undo').click()
  await button(page, 'Edit').waitFor()
  await page.getByText('Version 1').waitFor()
  await button(page, 'Make it current').last().click()
  await page.getByText('It is as in version').waitFor()
  expect((await service.clientOf(tenant).listMemories({})).memories[0]?.importance).toBe(0.5)
  expect(complaints).toEqual([])
  expect(foreign).toEqual([])
})

test('what is searched and filtered is in the address: a reload and Back keep it', async () => {
  const tenant = freshTenant()
  await remember(service.clientOf(tenant), [
    { content: 'a cat', tags: ['pet'] },
    { content: 'a kitten', tags: ['pet'] },
    { content: 'a truck' },
  ])
  const { page } = await openConsole(tenant)
  await expect.poll(() => listed(page).count()).toBe(3)
  await page.getByLabel('Search the memories').fill('tag:pet ')
  await expect.poll(() => listed(page).count()).toBe(2)
  await button(page, 'Remove the filter tag: pet').waitFor()
  await page.getByLabel('Search the memories').fill('kitten')
  await page.waitForURL(/q=kitten/)
  await button(page, 'Filter').click()
  await page.getByLabel('Kind of search').selectOption('keyword')
  await expect.poll(() => listed(page).count()).toBe(1)
  expect(new URL(page.url()).search).toBe('?tags=pet&q=kitten&type=keyword')
  expect(new URL(page.url()).pathname).toBe(`/console/t/${tenant}/memories`)
  await page.reload()
  await expect.poll(() => listed(page).allTextContents()).toEqual([expect.stringContaining('a kitten')])
  await listed(page).getByRole('link').click()
  await button(page, 'Edit').waitFor()
  await page.goBack()
  await expect.poll(() => listed(page).count()).toBe(1)
})

test('many memories are scrolled, chosen and archived at once, and come back', async () => {
  const { tenant, client } = service.newTenant()
  await remember(client, numbered(110))
  const { page } = await openConsole(tenant)
  await page.getByText('100 or more memories').waitFor()
  await page.locator('.rows').evaluate(rows => rows.scrollTo(0, rows.scrollHeight))
  await page.getByText('110 memories', { exact: true }).waitFor()
  await button(page, 'Select all').click()
  await page.getByText('110 selected').waitFor()
  await button(page, 'Archive').click()
  await page.getByText('Archived: 110 memories.').waitFor({ timeout: 90_000 })
  const active = async () => (await client.getStats()).memories.by_state.active
  expect(await active()).toBe(0)
  await button(page, 'Undo').click()
  await expect.poll(active, { timeout: 90_000 }).toBe(110)
})

test('a change of many memories can be stopped, and all that it did is taken back at once', async () => {
  const { tenant, client } = service.newTenant()
  await remember(client, numbered(90))
  const { page } = await openConsole(tenant)
  await page.getByText('90 memories', { exact: true }).waitFor()
  await button(page, 'Select all').click()
  await page.getByText('90 selected').waitFor()
  await page.evaluate(`new MutationObserver((_, observer) => {
    const stop = [...document.querySelectorAll('.summary button')].find(({ textContent }) => textContent === 'Stop')
    if (stop) observer.disconnect()
    stop?.click()
  }).observe(document.querySelector('.summary'), { subtree: true, childList: true })`)
  await button(page, 'Archive').click()
  const notice = page.getByText(/^Archived: \d+ memor(y|ies)\.$/)
  await notice.waitFor()
  const active = async () => (await client.getStats()).memories.by_state.active
  expect(await active()).toBe(90 - Number(/\d+/.exec((await notice.textContent()) ?? '')?.[0]))
  expect(await active()).toBeGreaterThan(40)
  await button(page, 'Undo').click()
  await expect.poll(active).toBe(90)
})

test('changes of others appear, and an edit in between is never overwritten silently', async () => {
  const { tenant, client } = service.newTenant()
  const memory = await client.createMemory(someMemory({ content: 'first' }))
  const { page } = await openConsole(tenant)
  await page.getByText('Live', { exact: true }).waitFor()
  await client.createMemory(someMemory({ content: 'made elsewhere' }))
  await listed(page).filter({ hasText: 'made elsewhere' }).waitFor()
  await listed(page).getByRole('link', { name: 'first' }).click()
  await button(page, 'Edit').click()
  await page.getByLabel('Text').fill('mine')
  await client.updateMemory({ id: memory.id, content: 'theirs' })
  await button(page, 'Save').click()
  await page.getByText('Somebody changed this memory while you did').waitFor()
  expect(await page.locator('.callout pre').textContent()).toBe('theirs')
  expect(await page.getByLabel('Text').inputValue()).toBe('mine')
  await button(page, 'Save mine').click()
  await page.getByText('Changed.').waitFor()
  expect((await client.getMemory({ id: memory.id })).content).toBe('mine')
})

test('a change after a list was read and before changes are followed appears', async () => {
  const { tenant, client } = service.newTenant()
  await client.createMemory(someMemory({ content: 'first' }))
  const { page } = await openPage(service, '/console')
  let follow = () => {}
  const mayFollow = new Promise<void>(resolve => {
    follow = resolve
  })
  await page.route('**/api/v1/events', async route => {
    await mayFollow
    await route.continue()
  })
  await giveKey(page, tenant)
  await listed(page).filter({ hasText: 'first' }).waitFor()
  await client.createMemory(someMemory({ content: 'made in between' }))
  follow()
  await listed(page).filter({ hasText: 'made in between' }).waitFor()
})

test('two memories are connected and disconnected by hand', async () => {
  const { tenant, client } = service.newTenant()
  const [cat] = await rememberIds(client, ['a cat sleeps', 'a truck drives'])
  const { page } = await openConsole(tenant, `/memories/${cat}`)
  await page.getByLabel('Type of the connection').selectOption('supports')
  await page.getByLabel('Memory to connect with').fill('truck')
  await button(page, 'Find').click()
  await button(page, 'Connect with “a truck drives”').click()
  await page.getByText('→ supports').waitFor()
  await button(page, 'Disconnect a truck drives').click()
  await page.getByText('It is connected with nothing yet.').waitFor()
  await button(page, 'Undo').last().click()
  await expect.poll(async () => (await client.listConnections({})).total).toBe(1)
})

test('a connection is edited: both ends of its validity are cleared, and come back', async () => {
  const { tenant, client } = service.newTenant()
  const [cat, truck] = await rememberIds(client, ['a cat sleeps', 'a truck drives'])
  const said = {
    ...{ strength: 0.5, reason: 'The diary says so.' },
    ...{ valid_from: '2020-01-01T00:00:00.000Z', valid_until: '2024-01-01T00:00:30.000Z' },
  }
  await client.createConnection({ source_id: cat, target_id: truck, ...said })
  const { page } = await openConsole(tenant, `/memories/${cat}`)
  const now = async () => (await client.listConnections({})).connections[0]?.connection
  await page.getByText('The diary says so., from 2020-01-01 00:00, until 2024-01-01 00:00').waitFor()
  await button(page, 'Edit the connection with a truck drives').click()
  await page.getByLabel('Holds from (UTC)').fill('')
  await page.getByLabel('Holds until (UTC)').fill('')
  await page.getByLabel('Reason').fill('She says so.')
  await button(page, 'Save').click()
  await page.getByText('She says so.', { exact: true }).waitFor()
  const cleared = { valid_from: null, valid_until: null }
  expect(await now()).toMatchObject({ ...cleared, strength: 0.5, reason: 'She says so.' })
  await button(page, 'Undo').click()
  await expect.poll(now).toMatchObject(said)
})

test('forgetting is planned, applied and undone', async () => {
  const { tenant, client } = service.newTenant()
  await remember(client, [{ content: 'old one', source: 'old-wiki' }, { content: 'new one' }])
  const { page } = await openConsole(tenant, '/maintenance?tab=plan')
  await page.getByLabel('Forget').check()
  await page.getByLabel('Source').fill('old-wiki')
  await button(page, 'Show the plan').click()
  await page.getByText('1 memory would change').waitFor()
  await button(page, 'Apply the plan').click()
  await page.getByText('Applied 1 change.').waitFor()
  expect((await client.getStats()).memories.by_state).toEqual({ active: 1, archived: 1 })
  await button(page, 'Undo').first().click()
  await expect.poll(async () => (await client.getStats()).memories.by_state.active).toBe(2)
})

test('an operator makes a key; with a reading one neither administration nor writes are offered', async () => {
  const { tenant, client } = service.newTenant()
  await remember(client, ['a cat'])
  const { page } = await openConsole(tenant, '/keys')
  await page.getByLabel('Name of the key').fill('the dashboard')
  await page.getByLabel('write').uncheck()
  await button(page, 'Make a key').click()
  const key = (await page.locator('.secret code').textContent()) ?? ''
  expect(key).toMatch(/^mnk_/)

  const reading = await openElsewhere('', { key })
  await expect.poll(() => listed(reading.page).count()).toBe(1)
  await expect.poll(() => reading.page.getByRole('link', { name: 'Operations' }).count()).toBe(0)
  expect(await reading.page.getByRole('link', { name: 'New memory' }).count()).toBe(0)
  await listed(reading.page).getByRole('link').click()
  await reading.page.getByText('It is connected with nothing yet.').waitFor()
  for (const name of ['Edit', 'Archive', 'Remove', 'Find'])
    expect(await button(reading.page, name).count(), name).toBe(0)
})

test('a policy is made, changed and deleted, with what it does to a memory in words', async () => {
  const { tenant, client } = service.newTenant()
  await remember(client, ['a cat'])
  const { page } = await openConsole(tenant, '/maintenance?tab=policies')
  await button(page, 'New policy').click()
  await page.getByLabel('Name', { exact: true }).fill('meeting_notes')
  await page.getByLabel('Health lost each day').fill('4')
  await page.getByLabel('Archive at this health').fill('20')
  await page.getByLabel('Remove so many days after that').fill('30')
  await page.getByText('Archived after 20 days without a recall, and removed 30 days later.').waitFor()
  await button(page, 'Save policy').click()
  await page.getByText('Saved meeting_notes.').waitFor()
  const made = async () => (await client.listPolicies()).policies.find(({ name }) => name === 'meeting_notes')
  expect(await made()).toMatchObject({
    health_decay: 4,
    archive_at_health: 20,
    remove_after_seconds: 2_592_000,
  })
  await button(page, 'Edit meeting_notes').click()
  await page.getByLabel('Archive at this health').fill('')
  await page.getByLabel('Remove so many days after that').fill('')
  await button(page, 'Save policy').click()
  await expect.poll(async () => (await made())?.archive_at_health).toBe(null)
  await button(page, 'Delete meeting_notes').click()
  await page.getByText('Deleted.').waitFor()
  expect(await made()).toBeUndefined()
})

test('the operator sees who did what, and goes from tenant to tenant', async () => {
  const [tenant, other] = [`a-${freshTenant()}`, `a-${freshTenant()}`]
  for (const each of [tenant, other]) await remember(service.clientOf(each), [`in ${each}`])
  const { id } = await service.clientOf(tenant).createKey({ name: 'for the audit' })
  const { page } = await openConsole(tenant, '/operations')
  await page.getByRole('row').filter({ hasText: 'createKey' }).filter({ hasText: id }).waitFor()
  await button(page, other).click()
  await button(page, `Tenant: ${other}`).waitFor()
  await page.getByRole('link', { name: 'Memories' }).click()
  await listed(page)
    .filter({ hasText: `in ${other}` })
    .waitFor()
  expect(page.url()).toContain(`/console/t/${other}/memories`)
})

test('the overview draws growth and spread, and names what needs care', async () => {
  const { tenant, client } = service.newTenant()
  const memories = await remember(
    client,
    ['a cat', 'a truck', 'a loaf of bread'].map((content, at) => ({ content, importance: 0.05 + at / 2.5 })),
  )
  const [cat, truck] = memories.map(({ id }) => id) as [string, string]
  await client.createConnection({ source_id: cat, target_id: truck, relationship_type: 'contradicts' })
  const { page, complaints, foreign } = await openConsole(tenant, '/overview')
  const growth = page.getByRole('img', { name: '3 memories created and 0 archived in 90 days' })
  await growth.locator('canvas').waitFor()
  // The bar of today: something was drawn in the colour of links, which no axis has.
  const drawn = await page.evaluate<boolean>(`(() => {
    const canvas = document.querySelector('.chart canvas')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    return data.some((blue, at) => at % 4 === 2 && blue > 150 && data[at - 2] < 120)
  })()`)
  expect(drawn).toBe(true)
  await page.getByRole('img', { name: /^Importance: 0–0.1: 1.*0.4–0.5: 1.*0.8–0.9: 1/ }).waitFor()
  await page.getByText('1 conflict', { exact: true }).waitFor()
  await page.getByText('1 memory without a connection').waitFor()
  await page.getByText('1 connection', { exact: true }).first().waitFor()
  expect(await page.getByText('None.').count()).toBe(0)
  await remember(client, ['a fourth'])
  await page.getByText('4 memories created and 0 archived in 90 days.').waitFor()
  await page.getByRole('link', { name: 'Resolve: 1 conflict' }).click()
  await button(page, 'Keep this one: a cat').waitFor()
  expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
})

test('a suggested conflict is confirmed or rejected in one click', async () => {
  const { tenant, client } = service.newTenant()
  for (const hour of [9, 10, 11])
    await client.createMemory(someMemory({ content: `The bus to the old town leaves at ${hour}` }))
  await service.drain(tenant)
  const { page } = await openConsole(tenant, '/maintenance?tab=conflicts')
  await page.getByText('“11” in one is “10” in the other.').waitFor()
  await button(page, 'Reject: The bus to the old town leaves at 10').click()
  await page.getByText('The conflict is rejected.').waitFor()
  await page.getByRole('button', { name: 'Confirm: ' }).first().click()
  await page.getByText('The conflict is confirmed.').waitFor()
  const countOf = async (status: 'confirmed' | 'suggested' | 'rejected') =>
    (await client.listConflicts({ status })).conflicts.length
  expect([await countOf('confirmed'), await countOf('suggested'), await countOf('rejected')]).toEqual([
    1, 1, 1,
  ])
})

test('a waiting plan is shown with its changes before it is applied', async () => {
  const { tenant, client } = service.newTenant()
  const [cat] = await remember(client, ['a cat', 'a truck'])
  await client.updateMemory({ id: cat?.id as string, tags: ['old'] })
  await client.planMaintenance({ kind: 'forget', filters: { tags: ['old'] } })
  const { page, complaints } = await openConsole(tenant, '/maintenance?tab=runs')
  expect(await button(page, 'Apply').count()).toBe(0)
  await page.getByRole('button', { name: /^Show the plan of / }).click()
  await page.getByRole('link', { name: cat?.id as string }).waitFor()
  await button(page, 'Apply the plan').click()
  await page.getByText('Applied.').waitFor()
  expect((await client.getMemory({ id: cat?.id as string })).state).toBe('archived')
  expect(complaints).toEqual([])
})

test('what needs care is shown as exactly the memories that are counted', async () => {
  const { tenant, client } = service.newTenant()
  const memories = await remember(client, ['a cat', 'a truck', 'a loaf of bread'])
  const [cat, truck] = memories.map(({ id }) => id) as [string, string]
  await client.createConnection({ source_id: cat, target_id: truck })
  const { page } = await openConsole(tenant, '/overview')
  const item = page.getByRole('listitem').filter({ hasText: '1 memory without a connection' }).first()
  await item.getByRole('link', { name: /^Show: 1 memory without/ }).click()
  await page.getByRole('heading', { name: 'Memories without a connection' }).waitFor()
  await page.getByRole('link', { name: 'a loaf of bread' }).waitFor()
  expect(await page.locator('main').getByRole('listitem').count()).toBe(1)
})

test('a webhook is added, its deliveries are seen and sent again, and it is removed', async () => {
  const { tenant, client } = service.newTenant()
  await remember(client, ['a cat'])
  const { page } = await openConsole(tenant, '/webhooks')
  await page.getByLabel('Address of the webhook').fill('http://127.0.0.1:9/hook')
  await button(page, 'Add a webhook').click()
  await page.getByText('must not be a private address').waitFor()
  await page.getByLabel('Address of the webhook').fill('https://hooks.invalid/')
  await page.getByLabel('Only memories with these tags').fill('mine')
  await button(page, 'Add a webhook').click()
  expect(await page.locator('.secret code').textContent()).toMatch(/^whsec_/)
  await client.createMemory(someMemory({ tags: ['mine'] }))
  await service.webhooks.runOnceOf(tenant)
  await page.reload()
  await page.getByText('1 delivery waits').waitFor()
  await button(page, 'Deliveries').click()
  const row = page.getByRole('row').filter({ hasText: 'the host has no public address' })
  await row.getByText('waiting').waitFor()
  await row.getByRole('button', { name: 'Send again', exact: true }).click()
  await page.getByText('Queued again.').waitFor()
  await button(page, 'Remove https://hooks.invalid/').click()
  await page.getByText('No webhook yet').waitFor()
  expect((await client.listWebhooks()).webhooks).toEqual([])
})

test('the history shows what each version took away and added', async () => {
  const { tenant, client } = service.newTenant()
  const { id } = await client.createMemory(someMemory({ content: 'The cat sleeps on the sofa' }))
  await client.updateMemory({ id, content: 'The cat sleeps on the windowsill' })
  const { page } = await openConsole(tenant, `/memories/${id}`)
  expect(await page.locator('.timeline del').textContent()).toBe('sofa')
  expect(await page.locator('.timeline ins').textContent()).toBe('windowsill')
})

test('code that names its language is shown in colours', async () => {
  const tenant = freshTenant()
  const [plain, code] = await rememberIds(service.clientOf(tenant), [
    'No code, only `a word`',
    'Run this:\n\n```ts\nconst hours = 9\n```\n\n```\nplain\n```',
  ])
  const { page, complaints } = await openConsole(tenant, `/memories/${plain}`)
  await page.locator('.content code').waitFor()
  await page.goto(`${service.url}/console/t/${tenant}/memories/${code}`)
  await expect.poll(() => page.locator('.content .hljs-keyword').textContent()).toBe('const')
  expect(await page.locator('.content pre').count()).toBe(2)
  expect(complaints).toEqual([])
})

test('a column is widened by dragging its edge', async () => {
  const tenant = freshTenant()
  await remember(service.clientOf(tenant), ['a cat'])
  const { page, complaints } = await openConsole(tenant)
  const edge = page.getByRole('separator', { name: 'Width of policy' })
  const box = (await edge.boundingBox()) ?? { x: 0, y: 0 }
  await page.mouse.move(box.x + 2, box.y + 8)
  await page.mouse.down()
  await page.mouse.move(box.x - 48, box.y + 8, { steps: 4 })
  await page.mouse.up()
  expect(await edge.getAttribute('aria-valuenow')).toBe('134')
  await page.mouse.move(box.x - 200, box.y + 8)
  expect(await edge.getAttribute('aria-valuenow')).toBe('134')
  await edge.dblclick()
  expect(await edge.getAttribute('aria-valuenow')).toBe('84')
  expect(complaints).toEqual([])
})

test('the page fits a phone, and stored script stays text', async () => {
  const tenant = freshTenant()
  const hostile =
    '<img src=x onerror="document.title=1"><script>document.title=1</script> [x](javascript:alert(1))'
  const memory = await service
    .clientOf(tenant)
    .createMemory(someMemory({ content: hostile, tags: ['<b>tag</b>'], source: 'javascript:alert(1)' }))
  const { page, complaints } = await openElsewhere(tenant, {
    viewport: { width: 320, height: 640 },
  })
  await listed(page).getByRole('link').click()
  await button(page, 'Edit').waitFor()
  expect(await page.title()).toBe(`Memory · ${tenant} · Mnemograph`)
  expect(await page.locator('.content img, .content script').count()).toBe(0)
  expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
  expect(page.url()).toContain(memory.id)
  expect(complaints).toEqual([])
})
