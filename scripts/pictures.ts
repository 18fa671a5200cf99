/**
 * Takes pictures of every view of the console with 0, 4, 60 and 10,000 memories, light and dark, at 390, 768 and 1,440 pixels:
 * `npm run pictures -- --url http://127.0.0.1:4545 --key KEY`, with the operator's key of a running service that shows the pages.
 * They go to dist/pictures. `--sheets` takes none, and puts all of each view on one sheet in docs/images/views. `--docs` takes
 * those that the documents show instead, into docs/images. `--only graph,keys` takes some views, `--sizes 0,60` some sizes.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { readLines } from '../src/cli/bundle/lines.ts'
import { sendBundle } from '../src/cli/bundle/send.ts'
import { type Client, createClient } from '../src/client.ts'
import { openBrowser } from '../tools/chromium.ts'
import { addressOfView, type ConsoleView, consoleViews, signingIn } from '../tools/console-views.ts'
import { importMany } from '../tools/many-memories.ts'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:4545' },
    key: { type: 'string', default: '' },
    docs: { type: 'boolean', default: false },
    sheets: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    sizes: { type: 'string', default: '0,4,60,10000' },
  },
})
const { url, key } = values
const root = join(import.meta.dirname, '..')
const { signal } = new AbortController()

type Theme = 'light' | 'dark'
type Size = 0 | 4 | 60 | 10_000
type Shot = { file: string; size: Size; theme: Theme; width: number; view: ConsoleView; search?: string }

const tenants = { 0: 'empty', 4: 'four', 60: 'skerry-lines', 10000: 'ten-thousand' } as const
const HEIGHTS: Readonly<Record<number, number>> = { 390: 844, 768: 1024, 1440: 900 }
const SEARCH = '?q=who%20may%20deploy%20on%20friday'

const sizes = ([0, 4, 60, 10_000] as const).filter(size => values.sizes.split(',').includes(String(size)))
const themes = ['light', 'dark'] as const
const widths = [390, 768, 1440]
const views = (Object.keys(consoleViews) as ConsoleView[]).filter(
  view => values.only === '' || values.only.split(',').includes(view),
)

const fileOf = (view: ConsoleView) => view.replace(' ', '-')

const everything = () =>
  sizes.flatMap(size =>
    themes.flatMap(theme =>
      widths.flatMap(width =>
        views.map(
          (view): Shot => ({
            ...{ size, theme, width, view },
            file: `${fileOf(view)}-${size}-${theme}-${width}`,
          }),
        ),
      ),
    ),
  )

const wide = (file: string, view: ConsoleView, more: Partial<Shot> = {}): Shot => ({
  ...{ file, view, size: 60, theme: 'light', width: 1440 },
  ...more,
})
const narrow = (file: string, view: ConsoleView, more: Partial<Shot> = {}) =>
  wide(file, view, { width: 390, ...more })

const forDocuments = (): Shot[] => [
  wide('console-search', 'memories', { search: SEARCH }),
  wide('console-search-dark', 'memories', { search: SEARCH, theme: 'dark' }),
  wide('console-memory', 'memory'),
  wide('console-memory-dark', 'memory', { theme: 'dark' }),
  wide('graph', 'graph'),
  wide('graph-dark', 'graph', { theme: 'dark' }),
  wide('console-overview', 'overview'),
  wide('console-overview-dark', 'overview', { theme: 'dark' }),
  wide('console-maintenance', 'policies'),
  wide('console-operations', 'operations'),
  wide('console-first-run', 'memories', { size: 0 }),
  narrow('console-phone', 'memory'),
  narrow('console-phone-memories', 'memories', { search: SEARCH }),
  narrow('console-phone-graph', 'graph', { theme: 'dark' }),
  wide('graph-10000', 'graph', { size: 10_000 }),
]

const makes: Readonly<Record<Size, (client: Client) => Promise<unknown>>> = {
  0: async () => {},
  4: client =>
    client.createMemories({
      memories: [
        'The ferry to Fredrikshavn leaves at nine.',
        'Mara prefers short answers with the conclusion first.',
        'Never deploy on a Friday.',
        'The price cache is cleared by hand after a change of tariffs.',
      ].map(content => ({ content, policy: 'long_term', ttl_seconds: 0, tags: ['first'] })),
    }),
  60: client =>
    sendBundle(client, readLines(join(root, 'samples', 'memories.ndjson'), { signal }), {
      ...{ signal, mode: 'merge' },
      onPart: () => {},
      onPause: () => {},
    }),
  10000: client => importMany(client, 10_000),
}

const SCALE = 0.3
const GAP = 12
const ROW = SCALE * 1024 + GAP
const columns = widths.flatMap(width => themes.map(theme => ({ width, theme })))
const widthOf = (some: readonly { width: number }[]) =>
  some.reduce((sum, { width }) => sum + SCALE * width + GAP, GAP)

const draw = `async ({ placed, whole }) => {
  const canvas = Object.assign(document.createElement('canvas'), whole)
  const picture = canvas.getContext('2d')
  picture.fillStyle = '#8b8f99'
  picture.fillRect(0, 0, canvas.width, canvas.height)
  picture.imageSmoothingQuality = 'high'
  for (const { source, x, y, width } of placed) {
    const image = new Image()
    image.src = 'data:image/png;base64,' + source
    await image.decode()
    picture.drawImage(image, x, y, width, width * image.height / image.width)
  }
  return canvas.toDataURL('image/webp', 0.7).split(',')[1]
}`

const images = join(root, 'docs', 'images')
const taken = join(root, 'dist', 'pictures')
const folder = values.docs ? images : taken
const firsts = new Map<Size, string>()
const browser = await openBrowser()
try {
  if (values.sheets) await makeSheets(browser)
  else await takeAll(browser, values.docs ? forDocuments() : everything())
} finally {
  await browser.close()
}

async function takeAll(browser: Browser, shots: readonly Shot[]) {
  mkdirSync(folder, { recursive: true })
  const wanted = shots.filter(({ view }) => views.includes(view))
  for (const size of new Set(wanted.map(each => each.size))) firsts.set(size, await fill(size))
  for (const shot of wanted) await take(browser, shot)
}

/** Fills a tenant unless it is filled already. Returns the memory that is shown. */
async function fill(size: Size): Promise<string> {
  const client = createClient({ baseUrl: `${url}/api/v1`, apiKey: key, tenant: tenants[size] })
  const { memories } = await client.getStats()
  if (memories.total === 0) await makes[size](client)
  if (size > 0 && (await client.listKeys()).keys.length === 0) await client.createKey({ name: 'claude-code' })
  const { most_connected } = await client.getInsights({ days: 1 })
  const [newest] = (await client.listMemories({ limit: 1 })).memories
  return most_connected[0]?.memory_id ?? newest?.id ?? ''
}

async function take(browser: Browser, { file, size, theme, width, view, search = '' }: Shot) {
  const tenant = tenants[size]
  const context = await browser.newContext({
    viewport: { width, height: HEIGHTS[width] ?? 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  await context.addInitScript(signingIn(key, tenant))
  const page = await context.newPage()
  await page.goto(url + addressOfView(view, tenant, firsts.get(size) ?? '') + search)
  await settle(page, view, size)
  await page.screenshot({ path: join(folder, `${file}.png`) })
  await context.close()
}

/** An empty tenant shows its first run where a view would have nothing. */
async function settle(page: Page, view: ConsoleView, size: Size) {
  const { shown } = consoleViews[view]
  const first = page.locator(`${shown}, main h2:text("Nothing is remembered yet"), main .empty`)
  await first.first().waitFor({ timeout: 90_000 })
  await page.getByText('Loading …').first().waitFor({ state: 'hidden', timeout: 90_000 })
  if (view !== 'graph' || size === 0) return pause(900)
  await page.getByText(/connections? drawn( · there are more.*)?$/).waitFor({ timeout: 180_000 })
  await pause(4_000)
  // While a large graph is arranged, its memories alone are drawn.
  await page.locator('.drawing .discs').waitFor({ state: 'hidden', timeout: 60_000 })
  await pause(900)
}

/** Where a picture stands on the sheet of its view. */
function placeOf({ file, size, theme, width }: Shot) {
  const column = columns.findIndex(each => each.width === width && each.theme === theme)
  return {
    source: readFileSync(join(taken, `${file}.png`)).toString('base64'),
    ...{ x: widthOf(columns.slice(0, column)), y: GAP + sizes.indexOf(size) * ROW, width: SCALE * width },
  }
}

/** One image for each view: a row for each number of memories, narrow to wide, each light and dark. */
async function makeSheets(browser: Browser) {
  mkdirSync(join(images, 'views'), { recursive: true })
  const page = await browser.newPage()
  const whole = { width: widthOf(columns), height: GAP + sizes.length * ROW }
  for (const view of views) {
    const placed = everything()
      .filter(each => each.view === view)
      .map(placeOf)
    const sheet = await page.evaluate<string>(`(${draw})(${JSON.stringify({ placed, whole })})`)
    writeFileSync(join(images, 'views', `${fileOf(view)}.webp`), Buffer.from(sheet, 'base64'))
  }
}
