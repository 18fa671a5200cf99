import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient } from '../../src/client.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { startService } from '../processes.ts'
import type { Findings } from '../report.ts'
import { percentiles } from '../rounds.ts'
import { KEY, managedIn, type World } from '../world.ts'
import { firstCallers } from './first-callers.ts'

/** How many processes keep the processors busy. */
const BURNERS = 2
const DISCOVERY_MS = 60_000
const POLL_MS = 50

type Call = { name: string; first: number; second: number }
type Calls = readonly (readonly [name: string, call: () => Promise<unknown>])[]

/** What a person takes to read the banner and open a page. */
const LATER_MS = 30_000

/**
 * A start on an empty folder and one on the store that it left. The first calls come at once, half a minute later, and
 * at once on busy processors.
 */
export async function measureFirstMinute(world: World): Promise<Findings> {
  const alone = await measure(world, 'at once')
  const later = await measure(world, '30 s later', LATER_MS)
  const many = await measureMany(world)
  using burners = new DisposableStack()
  for (let at = 0; at < BURNERS; at++)
    burners.adopt(spawn(process.execPath, ['-e', 'for (;;);']), (child: ChildProcess) =>
      child.kill('SIGKILL'),
    )
  const busy = await measure(world, 'at once, processors busy')
  return { figures: { ...alone, ...later, ...busy, ...many } }
}

async function measureMany({ say, folder }: World): Promise<Record<string, string | number>> {
  const dataDir = temporaryFolder()
  try {
    await using service = await startOn(dataDir, folder)
    const figures = await firstCallers(service.url)
    say(JSON.stringify(figures, null, 2))
    return figures
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
  }
}

const startOn = (dataDir: string, folder: string) =>
  startService(managedIn(dataDir), join(folder, 'first-minute.log'))

async function measure(
  { say, folder }: World,
  state: string,
  waitMs = 0,
): Promise<Record<string, string | number>> {
  const dataDir = temporaryFolder()
  const start = () => startOn(dataDir, folder)
  try {
    const began = performance.now()
    const service = await start()
    const started = performance.now() - began
    await pause(waitMs)
    const { calls, discovered } = await firstCalls(service.url).finally(() => service[Symbol.asyncDispose]())
    const again = performance.now()
    await using _second = await start()
    const restarted = performance.now() - again
    const figures = summary(state, { calls, discovered, started, restarted })
    for (const { name, first, second } of calls)
      say(`${state}: ${name} ${first.toFixed(0)} ms, ${second.toFixed(0)} ms`)
    say(JSON.stringify(figures, null, 2))
    return figures
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
  }
}

type Measured = { calls: Call[]; discovered: number; started: number; restarted: number }

function summary(state: string, { calls, discovered, started, restarted }: Measured) {
  const first = calls.map(call => call.first)
  const slowest = calls.toSorted((a, b) => b.first - a.first)[0] as Call
  const within = first.filter(ms => ms <= 300).length
  return {
    [`${state}: start on an empty folder until it serves`]: seconds(started),
    [`${state}: start on an existing store`]: seconds(restarted),
    [`${state}: first calls of ${calls.length} operations, median`]: `${percentiles(first).p50.toFixed(0)} ms`,
    [`${state}: first calls within 300 ms`]: `${Math.round((100 * within) / calls.length)} %`,
    [`${state}: slowest first call`]: `${slowest.first.toFixed(0)} ms (${slowest.name})`,
    [`${state}: second calls, median`]: `${percentiles(calls.map(call => call.second)).p50.toFixed(0)} ms`,
    [`${state}: first discovery, from the answer to the second create`]: seconds(discovered),
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

async function firstCalls(url: string) {
  const client = createClient({ baseUrl: `${url}/api/v1`, apiKey: KEY })
  const calls: Call[] = []
  const timed = async <Answer>(name: string, call: () => Promise<Answer>) => {
    const times: number[] = []
    const answers: Answer[] = []
    for (let at = 0; at < 2; at++) {
      const began = performance.now()
      answers.push(await call())
      times.push(performance.now() - began)
    }
    calls.push({ name, first: times[0] as number, second: times[1] as number })
    return answers
  }
  const texts = ['The harbour freezes in January.', 'In January the harbour is frozen.']
  const memories = await timed('create', () => client.createMemory(memory(texts.pop() as string)))
  const [one, other] = memories.map(({ id }) => id) as [string, string]
  const created = performance.now()
  await timed('related', () => client.relatedMemories({ id: one, depth: 3 }))
  const discovered = (await untilConnected(client, one)) - created
  for (const [name, call] of operations(client, url, one, other)) await timed(name, call)
  return { calls, discovered }
}

const memory = (content: string) => ({ content, policy: 'long_term', ttl_seconds: 0 })

/** When the first connection of a memory was seen. */
async function untilConnected(client: Client, id: string): Promise<number> {
  const until = performance.now() + DISCOVERY_MS
  while (performance.now() < until) {
    const { related } = await client.relatedMemories({ id, direction: 'both' })
    if (related.length > 0) return performance.now()
    await pause(POLL_MS)
  }
  return Number.POSITIVE_INFINITY
}

/** In the order of somebody who tries the service. */
function operations(client: Client, url: string, one: string, other: string): Calls {
  const search = (search_type: 'semantic' | 'keyword' | 'hybrid') =>
    [`${search_type} search`, () => client.searchMemories({ query: 'frozen water', search_type })] as const
  const pair = { source_id: one, target_id: other }
  return [
    ['list', () => client.listMemories({})],
    search('hybrid'),
    search('semantic'),
    search('keyword'),
    ['fetch', () => client.getMemory({ id: one })],
    ['change', () => client.updateMemory({ id: one, importance: 0.9 })],
    ['batch of creates', () => client.createMemories({ memories: [memory('A boat.'), memory('A quay.')] })],
    ['connect', () => client.createConnection({ ...pair, relationship_type: 'supports' })],
    ['list of connections', () => client.listConnections({})],
    ['path', () => client.findPath(pair)],
    ['context', () => client.composeContext({ query: 'What freezes in January?' })],
    ['statistics', () => client.getStats()],
    ['policies', () => client.listPolicies()],
    ['maintenance plan', () => client.planMaintenance({})],
    ['archive', () => client.deleteMemory({ id: other })],
    ['restore', () => client.restoreMemory({ id: other })],
    ['GraphQL list', () => graphql(url, '{ memories(limit: 5) { id content relatedTo { id } } }')],
    [
      'GraphQL search',
      () => graphql(url, '{ searchMemories(query: "ice", searchType: HYBRID) { results { score } } }'),
    ],
  ]
}

async function graphql(url: string, query: string) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ query }),
  })
  const { errors } = (await response.json()) as { errors?: { message: string }[] }
  if (errors) throw new Error(errors.map(({ message }) => message).join('; '))
}
