import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient } from '../../src/client.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createBuiltinEmbedder } from '../../src/platform/embeddings/builtin.ts'
import { seededRandom } from '../../tools/seeded-random.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { memoryOf, type Running, startService } from '../processes.ts'
import type { Findings } from '../report.ts'
import { percentiles } from '../rounds.ts'
import { KEY, managedIn, type World } from '../world.ts'

const MEMORIES = 5_000
const BATCH = 500
/** Some sixty tokens of the model. */
const WORDS_OF_MEMORY = 45
const WORDS_OF_QUESTION = 8
const QUESTIONS = 1_000
const CALLERS = 8
const FETCHERS = 2
const QUIET_MS = 20_000
/** A service has done by then what it does once after its start. */
const SETTLING_MS = 30_000

/** The built-in model: how fast it embeds, what it costs in memory, and whether other requests wait for it. */
export async function measureModel({ say, folder }: World): Promise<Findings> {
  const perSecond = await questionsPerSecond()
  const dataDir = temporaryFolder()
  try {
    await using service = await startService(
      {
        ...managedIn(dataDir),
        // The texts have the words of one page: with the threshold of the model nearly all pairs would be connected.
        SERVICE_AUTO_DISCOVERY_THRESHOLD: '1',
      },
      join(folder, 'model.log'),
    )
    const figures = {
      [`questions embedded a second, ${CALLERS} callers`]: Math.round(perSecond),
      ...(await fill(service)),
    }
    say(JSON.stringify(figures, null, 2))
    return { figures }
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function questionsPerSecond(): Promise<number> {
  await using embedder = await createBuiltinEmbedder(readConfig({}).embedding, () => {})
  const text = texts(WORDS_OF_QUESTION)
  const { signal } = new AbortController()
  const embed = () => embedder.embed([text()], { kind: 'query', signal, share: 'bench' })
  await embed()
  const began = performance.now()
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (let at = 0; at < QUESTIONS / CALLERS; at++) await embed()
    }),
  )
  return (1000 * QUESTIONS) / (performance.now() - began)
}

async function fill({ url, pid }: Running) {
  const client = createClient({ baseUrl: `${url}/api/v1`, apiKey: KEY })
  const text = texts(WORDS_OF_MEMORY)
  await pause(SETTLING_MS)
  const idle = memoryOf(pid).now
  const known = await store(client, text, BATCH)
  await untilEmbedded(client)
  const quiet = await fetching(client, known, pause(QUIET_MS))
  const began = performance.now()
  const filling = (async () => {
    for (let stored = 0; stored < MEMORIES; stored += BATCH) await store(client, text, BATCH)
    const acknowledged = performance.now() - began
    await untilEmbedded(client)
    return { acknowledged, embedded: performance.now() - began }
  })()
  const fetches = await fetching(client, known, filling)
  const { acknowledged, embedded } = await filling
  return {
    [`${MEMORIES} memories of about 60 tokens, until all creates were answered`]: seconds(acknowledged),
    [`${MEMORIES} memories of about 60 tokens, until all had their vector`]: seconds(embedded),
    'fetches before, p50 / p99': formatTimes(quiet),
    'fetches in the meantime, p50 / p99': formatTimes(fetches),
    'memory of the service before the first memory': `${idle} MiB`,
    'memory of the service, highest': `${memoryOf(pid).highest} MiB`,
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(0)} s`

const formatTimes = ({ p50, p99 }: { p50: number; p99: number }) => `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`

async function store(client: Client, text: () => string, count: number): Promise<string[]> {
  const memories = Array.from({ length: count }, () => ({
    content: text(),
    policy: 'long_term',
    ttl_seconds: 0,
  }))
  const created = await client.createMemories({ memories })
  return created.memories.map(({ id }) => id)
}

async function untilEmbedded(client: Client): Promise<void> {
  for (;;) {
    const { spaces } = await client.listEmbeddingSpaces()
    if (spaces.every(({ missing }) => missing === 0)) return
    await pause(500)
  }
}

async function fetching(client: Client, ids: readonly string[], until: Promise<unknown>) {
  let over = false
  const end = until.finally(() => {
    over = true
  })
  const times: number[] = []
  const fetcher = async () => {
    for (let at = 0; !over; at++) {
      const began = performance.now()
      await client.getMemory({ id: ids[at % ids.length] as string, record_recall: false })
      times.push(performance.now() - began)
      await pause(5)
    }
  }
  await Promise.all([end, ...Array.from({ length: FETCHERS }, fetcher)])
  return percentiles(times)
}

/** Texts of so many English words: those of a text that the model can read. */
function texts(words: number): () => string {
  const prose = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'how-to', 'processes.md'), 'utf8')
  const vocabulary = [...new Set(prose.toLowerCase().match(/[a-z]{3,}/g))]
  const random = seededRandom(words)
  const word = () => vocabulary[Math.floor(random() * vocabulary.length)]
  return () => Array.from({ length: words }, word).join(' ')
}
