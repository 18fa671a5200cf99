import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient, ProblemError } from '../../src/client.ts'
import { percentiles } from '../rounds.ts'
import { KEY } from '../world.ts'

const CALLERS = 16
const DURATION_MS = 40_000
const DISCOVERY_MS = 30_000
const POLL_MS = 200

/** Many callers from the moment when a service serves: each stores pairs of memories, and searches, reads, changes and removes them. */
export async function firstCallers(url: string): Promise<Record<string, string | number>> {
  const client = createClient({ baseUrl: `${url}/api/v1`, apiKey: KEY })
  const until = performance.now() + DURATION_MS
  const times: number[] = []
  const discovered: number[] = []
  let refused = 0
  const timed = async <Answer>(call: Promise<Answer>): Promise<Answer | undefined> => {
    const began = performance.now()
    const answer = await call.catch((error: unknown) => {
      if (!(error instanceof ProblemError) || error.status < 500) throw error
      refused++
      return undefined
    })
    times.push(performance.now() - began)
    return answer
  }
  let last = 0
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (performance.now() < until) {
        const connectedAfter = await onePair(client, timed, ++last)
        if (connectedAfter !== undefined) discovered.push(connectedAfter)
      }
    }),
  )
  const { p50, p99 } = percentiles(times)
  const p95 = times.toSorted((a, b) => a - b)[Math.floor(0.95 * times.length)] ?? 0
  return {
    [`${CALLERS} callers at once: requests in ${DURATION_MS / 1000} s`]: times.length,
    [`${CALLERS} callers at once: p50 / p95 / p99`]: `${[p50, p95, p99].map(ms => ms.toFixed(0)).join(' / ')} ms`,
    [`${CALLERS} callers at once: answers with 5xx`]: refused,
    [`${CALLERS} callers at once: a pair is connected, p50 / p99`]: `${Object.values(percentiles(discovered))
      .map(ms => (ms / 1000).toFixed(1))
      .join(' / ')} s`,
  }
}

type Timed = <Answer>(call: Promise<Answer>) => Promise<Answer | undefined>

/** The calls about two memories that belong together. Answers when they were connected. */
async function onePair(client: Client, timed: Timed, number: number): Promise<number | undefined> {
  const town = townNamed(number)
  const one = await timed(client.createMemory(memory(`The harbour of ${town} freezes in January.`)))
  const other = await timed(client.createMemory(memory(`In January the harbour of ${town} is frozen.`)))
  if (!one || !other) return undefined
  const created = performance.now()
  await timed(client.getMemory({ id: one.id }))
  for (const search_type of ['semantic', 'keyword', 'hybrid'] as const)
    await timed(client.searchMemories({ query: `frozen water in ${town}`, search_type }))
  await timed(client.listMemories({ limit: 10 }))
  const connected = await untilConnected(client, timed, one.id)
  await timed(client.updateMemory({ id: one.id, importance: 0.7 }))
  await timed(client.composeContext({ query: 'Which harbour freezes?' }))
  await timed(client.deleteMemory({ id: other.id }))
  return connected - created
}

/** A name of its own for each pair: what all texts share connects none of them. */
const townNamed = (number: number) =>
  [...String(number)]
    .map(digit => SYLLABLES[Number(digit)])
    .join('')
    .replace(/^./, first => first.toUpperCase())

const SYLLABLES = ['ba', 've', 'rin', 'do', 'mus', 'tel', 'ka', 'lor', 'pi', 'zen']

async function untilConnected(client: Client, timed: Timed, id: string): Promise<number> {
  const until = performance.now() + DISCOVERY_MS
  while (performance.now() < until) {
    const walk = await timed(client.relatedMemories({ id, direction: 'both', depth: 2 }))
    if (walk && walk.related.length > 0) return performance.now()
    await pause(POLL_MS)
  }
  return Number.POSITIVE_INFINITY
}

const memory = (content: string) => ({ content, policy: 'long_term', ttl_seconds: 0 })
