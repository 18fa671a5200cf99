/**
 * How quick the console is with 10,000 memories: `npm run bench:console -- --url http://127.0.0.1:4545 --key KEY`, with the
 * operator's key of a running service that shows the pages. It imports memories into tenants of its own, opens each view in
 * Chromium, types into the search, moves the graph, and writes docs/reports/console.md. Without a graphics card Chromium
 * draws on the processor: that is the slow case. `--memories 300 --rounds 1` is for a quick look, and writes nothing.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { createClient } from '../src/client.ts'
import { openBrowser } from '../tools/chromium.ts'
import { addressOfView, type ConsoleView, consoleViews, signingIn } from '../tools/console-views.ts'
import { importMany } from '../tools/many-memories.ts'
import { circumstances, revision } from '../tools/run-conditions.ts'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:4545' },
    key: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    memories: { type: 'string', default: '10000' },
  },
})
const { url, key } = values
const ROUNDS = Number(values.rounds)
const LARGE = Number(values.memories)
const SMALL = Math.min(500, LARGE)
/** The report is of so many. */
const WHOLE = 10_000
const QUERIES =
  'harbour,on-call engineer,tariff,retries,cache,rollback,Oslo,fuel,nightly job,signed contract,load test,quota,partner,shadow table,audit,spring'.split(
    ',',
  )
/** Longer than any answer to a search takes. */
const ANSWERED_MS = 2_000
const began = revision()

const large = await fill(LARGE)
const small = await fill(SMALL)
const browser = await openBrowser()
try {
  const views = await measureViews(browser)
  const kilobytes = await sizeOfFirstView(browser)
  const typing = await measureTyping(browser)
  const graphs = [await measureGraph(browser, small, SMALL), await measureGraph(browser, large, LARGE)]
  const report = reportOf(views, kilobytes, typing, graphs)
  if (LARGE >= WHOLE) writeFileSync(join(import.meta.dirname, '..', 'docs', 'reports', 'console.md'), report)
  console.log(report)
} finally {
  await browser.close()
}

type Filled = { tenant: string; first: string }

async function fill(count: number): Promise<Filled> {
  const tenant = `console-${count}-${Date.now()}`
  const client = createClient({ baseUrl: `${url}/api/v1`, apiKey: key, tenant })
  await importMany(client, count)
  const [first] = (await client.listMemories({ limit: 1 })).memories
  return { tenant, first: first?.id ?? '' }
}

/** Notes in the page when something is shown, what moved, when a key was pressed last, and when the view changed last. */
function watching(shown: string): string {
  return `
  const seen = (globalThis.seen = { at: 0, shift: 0, typed: 0, changed: 0 })
  requestAnimationFrame(function look() {
    if (document.querySelector(${JSON.stringify(shown)})?.checkVisibility({ visibilityProperty: true })) seen.at = performance.now()
    else requestAnimationFrame(look)
  })
  new PerformanceObserver(list => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) seen.shift += value
  }).observe({ type: 'layout-shift', buffered: true })
  addEventListener('input', () => { seen.typed = performance.now() }, true)
  new MutationObserver(() => { seen.changed = performance.now() })
    .observe(document, { subtree: true, childList: true, characterData: true })`
}

type Seen = { at: number; shift: number; typed: number; changed: number }

/** A view in a profile of its own, which has nothing in its cache. */
async function open(browser: Browser, view: ConsoleView, { tenant, first }: Filled): Promise<Page> {
  const { shown } = consoleViews[view]
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await context.addInitScript(signingIn(key, tenant))
  await context.addInitScript(watching(shown))
  const page = await context.newPage()
  await page.goto(url + addressOfView(view, tenant, first))
  await page.locator(shown).first().waitFor({ timeout: 60_000 })
  return page
}

function readSeen(page: Page): Promise<Seen> {
  return page.evaluate<Seen>('seen')
}

type ViewFigures = { view: ConsoleView; median: number; longest: number; shift: number }

async function measureViews(browser: Browser): Promise<ViewFigures[]> {
  const figures: ViewFigures[] = []
  for (const view of Object.keys(consoleViews) as ConsoleView[]) {
    const found: Seen[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const page = await open(browser, view, large)
      await pause(1_500)
      found.push(await readSeen(page))
      await page.context().close()
    }
    const times = found.map(({ at }) => at)
    figures.push({
      ...{ view, median: part(times, 0.5), longest: part(times, 1) },
      shift: Math.max(...found.map(({ shift }) => shift)),
    })
  }
  return figures
}

/** All scripts and styles of the first view, compressed. */
async function sizeOfFirstView(browser: Browser): Promise<number> {
  const page = await open(browser, 'memories', large)
  const names = await page.evaluate<string[]>(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter(name => /[.](js|css)$/.test(name))`,
  )
  await page.context().close()
  const sizes = await Promise.all(
    [...new Set(names)].map(async name => gzipSync(await (await fetch(name)).bytes()).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0) / 1000
}

/** From the last key to the last change of the list. */
async function measureTyping(browser: Browser): Promise<number[]> {
  const page = await open(browser, 'memories', large)
  const field = page.getByLabel('Search the memories')
  const times: number[] = []
  for (const query of QUERIES) {
    await field.fill('')
    await pause(ANSWERED_MS)
    await field.pressSequentially(query, { delay: 90 })
    await pause(ANSWERED_MS)
    const { typed, changed } = await readSeen(page)
    times.push(changed - typed)
  }
  await page.context().close()
  return times
}

type GraphFigures = {
  count: number
  first: number
  whole: number
  arranging: number[]
  moving: number[]
  zooming: number[]
}

async function measureGraph(browser: Browser, filled: Filled, count: number): Promise<GraphFigures> {
  const page = await open(browser, 'graph', filled)
  const { at: first } = await readSeen(page)
  await page.getByText(/connections? drawn( · there are more.*)?$/).waitFor({ timeout: 180_000 })
  const whole = await page.evaluate<number>('performance.now()')
  const arranging = await frames(page, () => pause(4_000))
  await pause(14_000)
  const moving = await frames(page, () => drag(page))
  const zooming = await frames(page, () => zoom(page))
  await page.context().close()
  return { count, first, whole, arranging, moving, zooming }
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
  await page.mouse.move(800, 600)
  await page.mouse.down()
  for (let step = 0; step < 120; step++) {
    await page.mouse.move(800 + 120 * Math.sin(step / 9), 600 - step)
    await pause(8)
  }
  await page.mouse.up()
}

async function zoom(page: Page) {
  for (let step = 0; step < 60; step++) {
    await page.mouse.wheel(0, step < 30 ? -60 : 60)
    await pause(16)
  }
}

function part(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0
}

/** Pictures a second in all, and the longest wait for one. */
function fluency(times: readonly number[]): string {
  const rate = (1000 * times.length) / times.reduce((sum, time) => sum + time, 0)
  return `${Math.round(rate)}, longest wait ${Math.round(part(times, 1))} ms`
}

function row(...cells: (string | number)[]): string {
  return `| ${cells.join(' | ')} |`
}

function reportOf(
  views: readonly ViewFigures[],
  kilobytes: number,
  typing: readonly number[],
  graphs: readonly GraphFigures[],
): string {
  const { commit, date, machine, versions } = circumstances(began)
  return `# The console with 10,000 memories

\`npm run bench:console -- --url URL --key KEY\` wrote this page. It imported ${LARGE.toLocaleString('en')} memories with vectors and connections,
and opened each view in Chromium with an empty cache, ${ROUNDS} times. Chromium drew without a graphics card.

## First view

From the request for the page to its first data. The shift is the largest of all rounds (CLS).

${row('view', 'median', 'longest', 'layout shift')}
${row('---', '---:', '---:', '---:')}
${views.map(({ view, median, longest, shift }) => row(view, `${Math.round(median)} ms`, `${Math.round(longest)} ms`, shift.toFixed(3))).join('\n')}

- Scripts and styles of the memories, compressed: ${Math.round(kilobytes)} kB.
- Search while you type, from the last key to the last change of the list: median ${Math.round(part(typing, 0.5))} ms, 95 % within ${Math.round(part(typing, 0.95))} ms.

## Graph

Pictures a second, and the longest wait between two.

${row('memories', ...graphs.map(({ count }) => count.toLocaleString('en')))}
${row('---', ...graphs.map(() => '---'))}
${row('first memories drawn', ...graphs.map(({ first }) => `${(first / 1000).toFixed(1)} s`))}
${row('all memories read', ...graphs.map(({ whole }) => `${(whole / 1000).toFixed(1)} s`))}
${row('while it arranges itself', ...graphs.map(({ arranging }) => fluency(arranging)))}
${row('moving', ...graphs.map(({ moving }) => fluency(moving)))}
${row('zooming', ...graphs.map(({ zooming }) => fluency(zooming)))}

A graph with more than 1,000 connections shows them only while it rests. With more than 400 memories, it shows the memories alone while it moves or is arranged.

## Circumstances

Commit ${commit}, ${date}, ${machine}, ${versions}.
`
}
