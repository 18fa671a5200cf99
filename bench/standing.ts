/**
 * What standing searches cost those who write: `node bench/standing.ts --searches 1000 --writes 10000 --callers 64`. It
 * starts a service of its own with a managed Neo4j, creates memories without standing searches and then as many with
 * them, and checks that each search has each match exactly once. With `--topics 100` each memory is a match for one
 * search of a hundred. `--profile FOLDER` writes where the service spends its time. Figures on standard output; exits
 * with 1 if a match is missing, comes twice, or is none.
 */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from '../src/client.ts'
import { startEmbeddingEndpoint } from '../tools/embedding-endpoint.ts'
import { removeFoldersAtExit, temporaryFolder } from '../tools/temporary-folder.ts'
import { startService } from './processes.ts'
import { KEY, managedIn } from './world.ts'

const { values } = parseArgs({
  options: {
    searches: { type: 'string', default: '100' },
    writes: { type: 'string', default: '1000' },
    callers: { type: 'string', default: '64' },
    topics: { type: 'string', default: '100' },
    profile: { type: 'string' },
  },
})
const { searches, writes, callers, topics } = {
  searches: Number(values.searches),
  writes: Number(values.writes),
  callers: Number(values.callers),
  topics: Number(values.topics),
}
const TENANT = 'standing'
const DIMENSIONS = 384
/** Words of one topic are near in meaning; those of others are not. */
const TOPICS = Array.from({ length: topics }, (_, at) => wordsOf(at))
const WARM_UP = 500
const MATCH_WAIT_MS = 60_000
const REPEAT_WAIT_MS = 2_000

removeFoldersAtExit()
await using running = new AsyncDisposableStack()
const embeddings = running.use(await startEmbeddingEndpoint({ dimensions: DIMENSIONS, vector: vectorOf }))
const folder = temporaryFolder()
const settings = {
  ...managedIn(folder),
  SERVICE_LOG_LEVEL: 'error',
  SERVICE_RATE_LIMIT: '0',
  SERVICE_REQUEST_TIMEOUT_MS: '120000',
  SERVICE_FEED_STREAMS: String(searches + 10),
  SERVICE_FEED_STREAMS_PER_KEY: String(searches + 5),
  SERVICE_EMBEDDING_PROVIDER: 'openai',
  SERVICE_EMBEDDING_MODEL: 'embedding-of-the-bench',
  SERVICE_EMBEDDING_DIMENSIONS: String(DIMENSIONS),
  OPENAI_BASE_URL: embeddings.url,
  OPENAI_API_KEY: 'key-of-the-endpoint',
}
const profiling = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
const service = running.use(await startService(settings, `${folder}/service.log`, profiling))
const client = createClient({ baseUrl: `${service.url}/api/v1`, apiKey: KEY, tenant: TENANT })

const written: string[][] = TOPICS.map(() => [])
await create(WARM_UP)
const alone = await create(writes)
await queueIsEmpty()
for (const ids of written) ids.length = 0
const streams: Awaited<ReturnType<typeof openSearch>>[] = []
// An address may hold 256 connections over which no key has come yet.
while (streams.length < searches)
  streams.push(
    ...(await Promise.all(
      Array.from({ length: Math.min(50, searches - streams.length) }, (_, at) =>
        openSearch(at % TOPICS.length),
      ),
    )),
  )
const followed = await create(writes)
const faults = await compare()
const faultCount = Object.values(faults).reduce((sum, count) => sum + count)
for (const { response } of streams) response.destroy()

console.log(
  `${searches} standing searches over ${topics} topics, ${writes} creates by ${callers} callers; ${DIMENSIONS} dimensions`,
)
console.log('| | creates a second | median | 99 % |\n|---|---|---|---|')
console.log(`| without searches | ${shown(alone)} |\n| with ${searches} searches | ${shown(followed)} |`)
const cost = (1_000 * (followed.seconds - alone.seconds)) / writes
console.log(`a create costs ${cost.toFixed(2)} ms more; matches: ${JSON.stringify(faults)}`)
process.exitCode = faultCount > 0 ? 1 : 0

type Timing = { seconds: number; latencies: number[] }

/** Creates memories of all topics in turn. */
async function create(count: number): Promise<Timing> {
  let next = 0
  const latencies: number[] = []
  const began = performance.now()
  const lane = async () => {
    while (next < count) {
      const at = next++
      const topic = at % TOPICS.length
      const start = performance.now()
      const { id } = await client.createMemory({
        content: `${TOPICS[topic]} ${at}`,
        policy: 'long_term',
        ttl_seconds: 0,
      })
      latencies.push(performance.now() - start)
      written[topic]?.push(id)
    }
  }
  await Promise.all(Array.from({ length: callers }, lane))
  return { seconds: (performance.now() - began) / 1_000, latencies: latencies.toSorted((a, b) => a - b) }
}

function shown({ seconds, latencies }: Timing): string {
  const at = (share: number) =>
    `${(latencies[Math.floor(share * (latencies.length - 1))] ?? 0).toFixed(0)} ms`
  return `${(latencies.length / seconds).toFixed(0)} | ${at(0.5)} | ${at(0.99)}`
}

async function openSearch(topic: number) {
  const path = `/api/v1/events?matches=${encodeURIComponent(TOPICS[topic] as string)}`
  const headers = { authorization: `Bearer ${KEY}`, 'x-tenant-id': TENANT }
  const request = get(service.url + path, { headers, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`A stream was answered with ${response.statusCode}`)
  const matches: string[] = []
  let rest = ''
  response.setEncoding('utf8').on('data', (piece: string) => {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const id = /"memory_id":"([^"]+)"/.exec(block)?.[1]
      if (id) matches.push(id)
    }
  })
  response.on('error', () => {})
  return { topic, matches, response }
}

type Faults = { missing: number; twice: number; foreign: number }

/** How many matches are missing, came more than once, or are none, when all had the time to come. */
async function compare(): Promise<Faults> {
  const until = performance.now() + MATCH_WAIT_MS
  while (count().missing > 0 && performance.now() < until) await pause(200)
  await pause(REPEAT_WAIT_MS)
  return count()
}

function count(): Faults {
  const faults: Faults = { missing: 0, twice: 0, foreign: 0 }
  for (const { topic, matches } of streams) {
    const expected = new Set(written[topic])
    const seen = new Set(matches)
    faults.missing += [...expected].filter(id => !seen.has(id)).length
    faults.twice += matches.length - seen.size
    faults.foreign += [...seen].filter(id => !expected.has(id)).length
  }
  return faults
}

/** A vector that comes late is reported when it is there: what is written before the searches begin is to have its own. */
async function queueIsEmpty() {
  for (;;) {
    const { queue } = await client.getStats({})
    if (queue.depth === 0) return
    await pause(500)
  }
}

function wordsOf(topic: number): string {
  const draw = drawing(topic + 1)
  const letters = () =>
    Array.from({ length: 7 }, () => String.fromCharCode(97 + Math.floor(26 * draw()))).join('')
  return [letters(), letters(), letters(), letters()].join(' ')
}

function vectorOf(text: string, dimensions: number): number[] {
  const topic = TOPICS.findIndex(words => text.startsWith(words))
  const draw = drawing(1_000 + topic)
  return Array.from({ length: dimensions }, () => draw() - 0.5)
}

/** The same numbers from 0 to 1 for the same seed. */
function drawing(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
