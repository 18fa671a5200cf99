/**
 * How long a question of 9,999 characters takes next to a short one, among 2,000 memories with the built-in model, in
 * milliseconds: `node bench/long-questions.ts`.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../src/client.ts'
import { seededRandom } from '../tools/seeded-random.ts'
import { temporaryFolder } from '../tools/temporary-folder.ts'
import { startService } from './processes.ts'
import { percentiles } from './rounds.ts'
import { KEY, managedIn } from './world.ts'

const MEMORIES = 2_000
const BATCH = 100
const CALLS = 20
const WORDS =
  'ferry lamp harbour ticket bakery summer deploy checkout queue rollback index vector garden'.split(' ')

const random = seededRandom(7)
const text = (words: number) =>
  Array.from(
    { length: words },
    () => `${WORDS[Math.floor(random() * WORDS.length)]}${Math.floor(random() * 99)}`,
  )
    .join(' ')
    .concat('.')
const long = () => `${text(2_000).slice(0, 9_900)}. ${text(30)}`.slice(0, 9_999)

const dataDir = temporaryFolder()
try {
  await using service = await startService(
    {
      ...managedIn(dataDir),
      SERVICE_REQUEST_TIMEOUT_MS: '60000',
      SERVICE_AUTO_DISCOVERY_THRESHOLD: '1',
    },
    join(dataDir, 'service.log'),
  )
  const client = createClient({ baseUrl: `${service.url}/api/v1`, apiKey: KEY, tenant: 'long' })
  for (let at = 0; at < MEMORIES; at += BATCH)
    await client.createMemories({
      memories: Array.from({ length: BATCH }, () => ({
        content: text(20),
        policy: 'long_term',
        ttl_seconds: 0,
      })),
    })
  const calls = {
    'context, short': () => client.composeContext({ query: text(8) }),
    'context, 9,999 characters': () => client.composeContext({ query: long() }),
    'search, 9,999 characters, whole': () => client.searchMemories({ query: long(), search_type: 'hybrid' }),
    'search, 9,999 characters, by parts': () =>
      client.searchMemories({ query: long(), search_type: 'hybrid', by_parts: true }),
  }
  for (const [name, call] of Object.entries(calls)) {
    const times: number[] = []
    for (let at = 0; at < CALLS; at++) {
      const began = performance.now()
      await call()
      if (at > 4) times.push(performance.now() - began)
    }
    const { p50, p99 } = percentiles(times)
    console.log(name.padEnd(36), `p50 ${Math.round(p50)}, p99 ${Math.round(p99)}`)
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
}
