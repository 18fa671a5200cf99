import { setTimeout as pause } from 'node:timers/promises'
import { expect, inject, test, vi } from 'vitest'
import { type Client, createClient } from '../../src/client.ts'
import type { Change } from '../../src/contract/changes.ts'
import { startEmbeddingEndpoint } from '../../tools/embedding-endpoint.ts'
import { seededRandom } from '../../tools/seeded-random.ts'
import { type ChildService, startChildService } from '../support/child-service.ts'
import { openEvents } from '../support/events.ts'
import { seedOfRun } from '../support/runs.ts'
import { DIMENSIONS, endpointSettings, freshTenant, OPERATOR_KEY, someMemory } from '../support/service.ts'

/** How often the service is killed; followers also leave at random. */
const kills = Number(process.env.MNEMOGRAPH_TEST_FEED_KILLS ?? 1)
const tenant = freshTenant()
const random = seededRandom(seedOfRun)

let service: ChildService | undefined
const client = () =>
  createClient({ baseUrl: service?.baseUrl ?? 'http://127.0.0.1:1', apiKey: OPERATOR_KEY, tenant })

test(`writes during kills of the service all reach followers that come and go, in order (kills: ${kills}, seed: ${seedOfRun})`, {
  timeout: 120_000 + kills * 30_000,
}, async () => {
  await using stack = new AsyncDisposableStack()
  const embeddings = stack.use(await startEmbeddingEndpoint({ dimensions: DIMENSIONS, lengths: {} }))
  const { uri, username, password } = inject('neo4j')
  const start = async () => {
    service = await startChildService({
      SERVICE_NEO4J: 'external',
      NEO4J_URI: uri,
      NEO4J_USERNAME: username,
      NEO4J_PASSWORD: password || 'x',
      SERVICE_ROLE: 'api',
      ...endpointSettings(embeddings.url),
    })
  }
  stack.defer(() => service?.[Symbol.asyncDispose]())
  await start()
  const { next_cursor: beginning } = await client().listChanges({ from: 'now' })
  const stop = new AbortController()
  const promised = new Map<string, number>()
  const writers = [1, 2, 3].map(() => write(promised, stop.signal))
  const followers = [1, 2].map(() => follow(beginning, stop.signal))
  stack.defer(async () => {
    stop.abort()
    await Promise.all([...writers, ...followers])
  })
  for (let at = 0; at < kills; at++) {
    const enough = promised.size + 5 + Math.floor(random() * 10)
    await vi.waitUntil(() => promised.size >= enough, { timeout: 60_000, interval: 1 })
    const killed = service
    service = undefined
    await killed?.kill()
    await start()
  }
  const enough = promised.size + 5
  await vi.waitUntil(() => promised.size >= enough, { timeout: 60_000, interval: 1 })
  stop.abort()
  await Promise.all(writers)

  const received = await everything(beginning)
  const places = received.map(({ cursor }) => cursor)
  expect(new Set(places).size).toBe(places.length)
  const versions = Map.groupBy(received, ({ memory_id }) => memory_id as string)
  for (const [id, acknowledged] of promised)
    expect(versions.get(id)?.length, id).toBeGreaterThanOrEqual(acknowledged)
  for (const [id, changes] of versions)
    expect(
      changes.map(({ version }) => version),
      id,
    ).toEqual(changes.map((_, at) => at + 1))
  let repeats = 0
  for (const { seen, finish } of await Promise.all(followers)) {
    await finish(places.at(-1) as string)
    const once = seen.filter(({ cursor }, at) => seen.findIndex(other => other.cursor === cursor) === at)
    repeats += seen.length - once.length
    expect(once).toEqual(received)
  }
  process.stdout.write(
    `${received.length} changes of ${promised.size} memories, ${repeats} repeats among followers\n`,
  )
})

/** Makes, changes and archives memories, whatever becomes of the service; keeps which version it was promised. */
async function write(promised: Map<string, number>, signal: AbortSignal) {
  while (!signal.aborted) {
    try {
      const { id } = await client().createMemory(someMemory())
      promised.set(id, 1)
      await client().updateMemory({ id, importance: random() })
      promised.set(id, 2)
      await client().deleteMemory({ id })
      promised.set(id, 3)
    } catch {
      await pause(10)
    }
  }
}

/** Follows the feed, leaves at random and comes back. Keeps everything it received, repeats included. */
async function follow(beginning: string, signal: AbortSignal) {
  const seen: Change[] = []
  let place = beginning
  const listen = async (count: number, { until, end }: { until?: AbortSignal; end?: string }) => {
    try {
      const url = service?.baseUrl ?? 'http://127.0.0.1:1'
      await using stream = await openEvents({ baseUrl: url, tenant }, { path: `/events?after=${place}` })
      until?.addEventListener('abort', () => void stream[Symbol.asyncDispose](), { once: true })
      for (let at = 0; at < count; at++) {
        const [event] = await stream.take(1)
        if (!event) return
        seen.push(event.data as Change)
        // One that is killed has done with a change before it has written down how far it is.
        if (random() < 0.9) place = event.id
        else return
        if (event.id === end) return
      }
    } catch {
      await pause(10)
    }
  }
  const finish = async (end: string) => {
    while (!seen.some(({ cursor }) => cursor === end)) await listen(1_000, { end })
  }
  while (!signal.aborted) await listen(1 + Math.floor(random() * 20), { until: signal })
  return { seen, finish }
}

async function everything(from: string): Promise<Change[]> {
  const changes: Change[] = []
  for (let cursor = from; ; ) {
    const page: Awaited<ReturnType<Client['listChanges']>> = await client().listChanges({
      cursor,
      limit: 500,
    })
    changes.push(...page.changes)
    cursor = page.next_cursor
    if (!page.has_more) return changes
  }
}
