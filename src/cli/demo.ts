import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { loadFiles } from '../../integrations/ingest/load.ts'
import { modulesOf, textsOfPackages } from '../../integrations/ingest/packages.ts'
import type { Client } from '../client.ts'
import { packageFolder } from '../platform/package-folder.ts'
import { readLines } from './bundle/lines.ts'
import { sendBundle } from './bundle/send.ts'
import { report, watching } from './ingest.ts'
import { showRelated } from './operations/graph.ts'
import { showResults } from './operations/memories.ts'
import { command } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'
import { exit } from './shell/failures.ts'
import { showMemory } from './shell/show.ts'
import type { Terminal } from './shell/terminal.ts'

const { json: _, ...connection } = connectionOptions

export const demo = command({
  words: '',
  summary: 'Load sample memories with their connections, and search them',
  details:
    'They go into the tenant `demo`, unless --tenant names another. Running it again loads nothing twice.',
  examples: ['demo', 'demo --packages --tenant packages'],
  options: {
    packages: { describe: 'Load the READMEs of the installed packages instead, which takes minutes' },
    ...connection,
  },
  async run({ values }, terminal) {
    const tenant = values.tenant ?? 'demo'
    const client = await connectClient({ ...values, tenant })
    const load = values.packages ? loadPackages : loadSamples
    if (!(await load(client, terminal, tenant))) return exit.noInput
    const finished = await watchDiscovery(client, terminal)
    await showStats(client, terminal)
    await showSearches(client, terminal, values.packages ? searches.packages : searches.samples)
    await showWalk(client, terminal)
    return finished ? exit.done : exit.unavailable
  },
})

/** They have the vectors of the built-in model; a service with another one computes its own. */
const SAMPLES = fileURLToPath(new URL('samples/memories.ndjson', packageFolder))

async function loadSamples(client: Client, terminal: Terminal, tenant: string): Promise<boolean> {
  const { signal } = terminal
  terminal.note(`Loading sample memories into the tenant ${tenant}`)
  const began = performance.now()
  await sendBundle(client, readLines(SAMPLES, { signal }), {
    mode: 'merge',
    signal,
    onPause: reason => terminal.note(`${reason}; retrying`),
    onPart: ({ lines }) => terminal.progress(`${lines} lines`),
  })
  terminal.finish(`Loaded after ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return true
}

async function loadPackages(client: Client, terminal: Terminal, tenant: string): Promise<boolean> {
  const folders = modulesOf(fileURLToPath(packageFolder))
  const files = await textsOfPackages(folders)
  if (files.length === 0) {
    terminal.note(`No packages with a README are installed in ${folders.join(' or ')}.`)
    return false
  }
  terminal.note(`Loading ${files.length} texts of the installed packages into the tenant ${tenant}`)
  const began = performance.now()
  const totals = await loadFiles(client, files, {
    policy: 'long_term',
    ttlSeconds: 0,
    tags: [],
    roots: ['node_modules'],
    prune: false,
    dryRun: false,
    ...watching(terminal, files.length),
  })
  report(totals, (performance.now() - began) / 1000, false, terminal)
  return true
}

const STUCK_MS = 60_000

/** Waits until the tenant has no queued work; gives up when nothing has moved for a minute. */
async function watchDiscovery(client: Client, terminal: Terminal): Promise<boolean> {
  const signal = terminal.signal
  let least = Number.POSITIVE_INFINITY
  let movedAt = Date.now()
  const began = performance.now()
  for (;;) {
    const { queue, connections } = await client.getStats({}, { signal })
    if (queue.depth === 0) {
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      terminal.finish(`Discovery is done after ${seconds} s`)
      return true
    }
    if (queue.depth < least) movedAt = Date.now()
    least = Math.min(least, queue.depth)
    terminal.progress(`Discovery: ${queue.depth} memories to go, ${connections.total} connections so far`)
    if (Date.now() - movedAt > STUCK_MS) {
      terminal.note(
        `Discovery does not move: ${queue.depth} memories wait. Does a worker run (SERVICE_ROLE)?`,
      )
      return false
    }
    await pause(500, undefined, { signal })
  }
}

async function showStats(client: Client, { signal, say, paint }: Terminal) {
  const { memories, connections } = await client.getStats({}, { signal })
  const { checks } = await client.getReadiness({}, { signal })
  say()
  say(
    paint('bold', `${memories.by_state.active} memories, ${connections.by_origin.discovered} connections`) +
      ' that the service discovered',
  )
  if (checks.embeddings.detail) say(paint('dim', `Embeddings: ${checks.embeddings.detail}`))
}

type Search = readonly [type: 'semantic' | 'keyword' | 'hybrid', query: string]

const searches: Record<'samples' | 'packages', readonly Search[]> = {
  samples: [
    ['semantic', 'can I take my puppy on board?'],
    ['keyword', 'idempotency key'],
    ['hybrid', 'what went wrong with the database in spring'],
  ],
  packages: [
    ['semantic', 'turn a stream of bytes into text'],
    ['keyword', 'glob brace expansion'],
    ['hybrid', 'how do I abort a request after a timeout'],
  ],
}

async function showSearches(client: Client, terminal: Terminal, asked: readonly Search[]) {
  for (const [type, query] of asked) {
    headline(terminal, `${type} search: ${query}`)
    const answer = await client.searchMemories(
      { query, search_type: type, limit: 3, min_relevance: 'auto' },
      { signal: terminal.signal },
    )
    showResults({ ...answer, has_more: false, next_cursor: null }, terminal)
  }
}

/** A walk from the memory that discovered most among the newest connections. */
async function showWalk(client: Client, terminal: Terminal) {
  const signal = terminal.signal
  const { connections } = await client.listConnections({ origin: 'discovered', limit: 500 }, { signal })
  const starts = Map.groupBy(connections, ({ source_id }) => source_id)
  const [id] = [...starts].sort(([, a], [, b]) => b.length - a.length)[0] ?? []
  if (!id) return
  const start = await client.getMemory({ id, record_recall: false }, { signal })
  headline(terminal, 'related: the strongest paths of one or two connections from')
  terminal.say(showMemory(terminal, '●', start))
  const answer = await client.relatedMemories({ id, depth: 2, direction: 'both', limit: 5 }, { signal })
  showRelated(answer, terminal)
}

function headline({ say, paint, width }: Terminal, text: string) {
  const line = `── ${text} `
  say()
  say(paint('yellow', line + '─'.repeat(Math.max(0, width - line.length))))
}
