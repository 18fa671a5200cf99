/**
 * How fluent the graph of the console is: `node bench/page.ts URL KEY [MEMORIES]`, on a service that runs with
 * `SERVICE_ROLE=api` and `SERVICE_EMBEDDING_PROVIDER=hash`. It fills a tenant of its own with three connections for each
 * memory, opens the page in Chromium, and prints when the first memories and all of them were drawn, and how far apart the
 * pictures were while the drawing arranged itself, was moved, and was zoomed. Without a graphics card Chromium draws on the
 * processor: that is the slow case.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { createClient } from '../src/client.ts'
import { openBrowser } from '../tools/chromium.ts'

const BATCH = 500
const GROUP = 25
const types = ['related_to', 'caused_by', 'part_of', 'references', 'supports'] as const

const [url = 'http://127.0.0.1:4545', apiKey = '', size = '500'] = process.argv.slice(2)
const MEMORIES = Number(size)
const tenant = `page-${Date.now()}`

await fill()
const browser = await openBrowser()
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(`${url}/console/graph`)
  await page.getByLabel('Key', { exact: true }).fill(apiKey)
  await page.getByLabel('Tenant', { exact: true }).fill(tenant)
  const began = performance.now()
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByText(/^\d+ memories · /).waitFor()
  await page.locator('.drawing canvas').first().waitFor()
  console.log(`first memories drawn after ${Math.round(performance.now() - began)} ms`)
  await page.getByText(/connections drawn( · there are more.*)?$/).waitFor({ timeout: 120_000 })
  console.log(`all drawn after ${Math.round(performance.now() - began)} ms`)
  report('arranging', await frames(page, () => pause(4000)))
  await pause(14_000)
  report('moving', await frames(page, () => drag(page)))
  report('zooming', await frames(page, () => zoom(page)))
} finally {
  await browser.close()
}

/** Groups of memories, each connected with two of its own and one of another group. */
async function fill() {
  const client = createClient({ baseUrl: `${url}/api/v1`, apiKey, tenant })
  const ids: string[] = []
  for (let from = 0; from < MEMORIES; from += BATCH) {
    const places = Array.from({ length: Math.min(BATCH, MEMORIES - from) }, (_, at) => from + at)
    const { memories } = await client.createMemories({
      memories: places.map(place => ({
        content: wordsOf(place),
        ...{ policy: 'long_term', ttl_seconds: 0, tags: [`group-${Math.floor(place / GROUP)}`] },
      })),
    })
    ids.push(...memories.map(({ id }) => id))
  }
  const connections = ids.flatMap((source_id, place) => {
    const group = place - (place % GROUP)
    const targets = [group + ((place + 1) % GROUP), group + ((place + 7) % GROUP), place + GROUP]
    return targets.map((target, at) => ({
      ...{ source_id, target_id: ids[target % MEMORIES] as string },
      ...{ strength: 0.3 + ((place + at) % 7) / 10, relationship_type: types[(place + at) % types.length] },
    }))
  })
  for (let from = 0; from < connections.length; from += BATCH)
    await client.createConnections({ connections: connections.slice(from, from + BATCH) as never })
}

/** Words that no other memory has, so that nothing is discovered: the connections are those that are made here. */
function wordsOf(place: number): string {
  const words = Array.from({ length: 5 }, (_, word) => ((place * 5 + word + 1) * 2_654_435_761).toString(36))
  return words.join(' ')
}

/** The times between pictures, in milliseconds, while something happens. */
async function frames(page: Page, happen: () => Promise<unknown>): Promise<number[]> {
  await page.evaluate(`
    const mine = (globalThis.times = [])
    requestAnimationFrame(function count(time) {
      mine.push(time)
      if (mine === times) requestAnimationFrame(count)
    })`)
  await happen()
  const times = await page.evaluate<number[]>('(([...all]) => { times = []; return all })(times)')
  return times.slice(1).map((time, place) => time - (times[place] as number))
}

async function drag(page: Page) {
  await page.mouse.move(800, 700)
  await page.mouse.down()
  for (let step = 0; step < 120; step++) await page.mouse.move(800 + 120 * Math.sin(step / 9), 700 - step)
  await page.mouse.up()
}

async function zoom(page: Page) {
  for (let step = 0; step < 60; step++) await page.mouse.wheel(0, step < 30 ? -60 : 60)
}

function report(what: string, times: number[]) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1)
  console.log(
    `${what}: ${times.length} pictures, median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms, longest ${at(1)} ms`,
  )
}
