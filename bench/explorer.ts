/**
 * How fluent the page at /explorer is with 500 memories drawn: `node bench/explorer.ts URL KEY`, on a service that runs.
 * It fills a tenant of its own, opens the page in Chromium, and prints how far apart the pictures were while the drawing
 * arranged itself, was moved, and was zoomed. Without a graphics card Chromium draws on the processor: that is the slow case.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { createClient } from '../src/client.ts'
import { openBrowser } from '../tools/chromium.ts'

const MEMORIES = 500
const CONNECTIONS = 1500
const types = ['related_to', 'caused_by', 'part_of', 'references', 'supports'] as const

const [url = 'http://127.0.0.1:4545', apiKey = ''] = process.argv.slice(2)
const tenant = `explorer-${Date.now()}`

await fill()
const browser = await openBrowser()
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(`${url}/explorer`)
  await page.locator('#most').selectOption(String(MEMORIES), { force: true })
  await page.getByLabel('Key', { exact: true }).fill(apiKey)
  await page.getByLabel('Tenant', { exact: true }).fill(tenant)
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByText(/^\d+ memories · /).waitFor()
  console.log(await page.locator('#tally').textContent())
  report('arranging', await frames(page, () => pause(4000)))
  await pause(12_000)
  report('moving', await frames(page, () => drag(page)))
  report('zooming', await frames(page, () => zoom(page)))
} finally {
  await browser.close()
}

/** Groups of 25 memories, each connected with two of its own and one of another group. */
async function fill() {
  const client = createClient({ baseUrl: `${url}/api/v1`, apiKey, tenant })
  const { memories } = await client.createMemories({
    memories: Array.from({ length: MEMORIES }, (_, place) => ({
      content: wordsOf(place),
      ...{ policy: 'long_term', ttl_seconds: 0, tags: [`group-${Math.floor(place / 25)}`] },
    })),
  })
  const idAt = (place: number) => memories[place % MEMORIES]?.id as string
  const places = Array.from({ length: CONNECTIONS }, (_, place) => place)
  const connect = async (place: number) => {
    const source = place % MEMORIES
    const group = source - (source % 25)
    const targets = [
      group + ((source + 1) % 25),
      group + ((source + 7) % 25),
      source + 25 * (1 + (place % 4)),
    ]
    const target = targets[Math.floor(place / MEMORIES)] as number
    await client.createConnection({
      ...{ source_id: idAt(source), target_id: idAt(target), strength: 0.3 + (place % 7) / 10 },
      relationship_type: types[place % types.length] ?? 'related_to',
    })
  }
  for (let at = 0; at < places.length; at += 10) await Promise.all(places.slice(at, at + 10).map(connect))
}

/** Words that no other memory has, so that nothing is discovered: the connections are those that are made here. */
function wordsOf(place: number): string {
  const words = Array.from({ length: 5 }, (_, word) => ((place * 5 + word + 1) * 2_654_435_761).toString(36))
  return words.join(' ')
}

/** The times between pictures, in milliseconds, while something happens. */
async function frames(page: Page, happen: () => Promise<unknown>): Promise<number[]> {
  await page.evaluate(`
    globalThis.times = []
    globalThis.counting = true
    requestAnimationFrame(function count(time) {
      times.push(time)
      if (counting) requestAnimationFrame(count)
    })`)
  await happen()
  const times = await page.evaluate<number[]>('(globalThis.counting = false, times)')
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
