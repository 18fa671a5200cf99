/**
 * Takes pictures of every view of the console with 0, 4, 60 and 10,000 memories, light and dark, at 390, 768 and 1,440 pixels:
 * `npm run pictures -- --url http://127.0.0.1:4545 --key KEY`, with the operator's key of a running service that shows the pages.
 * They go to dist/pictures. `--docs` takes those that the documents show instead, into docs/images. `--only graph,keys` takes
 * some views, `--sizes 0,60` some sizes.
 */
import { mkdirSync } from 'node:fs'
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

const everything = () =>
  ([0, 4, 60, 10_000] as const)
    .filter(size => values.sizes.split(',').includes(String(size)))
    .flatMap(size => (['light', 'dark'] as const).map(theme => ({ size, theme })))
    .flatMap(each => [390, 768, 1440].map(width => ({ ...each, width })))
    .flatMap(each =>
      (Object.keys(consoleViews) as ConsoleView[]).map(
        (view): Shot => ({
          ...each,
          view,
          file: `${view.replace(' ', '-')}-${each.size}-${each.theme}-${each.width}`,
        }),
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

const isWanted = ({ view }: Shot) => values.only === '' || values.only.split(',').includes(view)
const shots = (values.docs ? forDocuments() : everything()).filter(isWanted)
const folder = values.docs ? join(root, 'docs', 'images') : join(root, 'dist', 'pictures')
mkdirSync(folder, { recursive: true })
const firsts = new Map<Size, string>()
for (const size of new Set(shots.map(each => each.size))) firsts.set(size, await fill(size))
const browser = await openBrowser()
try {
  for (const shot of shots) await take(browser, shot)
} finally {
  await browser.close()
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
  if (view !== 'graph' || size === 0) return pause(900)
  await page.getByText(/connections? drawn( · there are more.*)?$/).waitFor({ timeout: 180_000 })
  await pause(size > 1_000 ? 16_000 : 4_000)
}
