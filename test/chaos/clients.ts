import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient, ProblemError } from '../../src/client.ts'
import { OPERATOR_KEY, someMemory } from '../support/service.ts'
import type { History, Operation, Verdict } from './history.ts'

export type Deed =
  | 'create'
  | 'batch'
  | 'keyed'
  | 'patch'
  | 'archive'
  | 'restore'
  | 'remove'
  | 'connect'
  | 'key'

type Mine = { id: string; archived: boolean }

type Options = {
  history: History
  tenant: string
  random: () => number
  baseUrl: () => string | undefined
}

/**
 * One client of a tenant. It changes only memories that it made itself, one thing at a time, and leaves a memory
 * alone once a change of it went unanswered: so the history alone determines what must be there afterwards.
 */
export function chaosClient({ history, tenant, random, baseUrl }: Options) {
  const mine: Mine[] = []
  let written = 0

  const content = () => {
    const theme = Math.floor(written++ / 12) + Math.floor(random() * 3)
    return `theme${theme} ${randomUUID()}`
  }
  const pick = (archived: boolean, except?: Mine) => {
    const fitting = mine.filter(memory => memory.archived === archived && memory !== except)
    return fitting[Math.floor(random() * fitting.length)]
  }
  const drop = (memory: Mine) => void mine.splice(mine.indexOf(memory), 1)

  const ask = async (operation: Operation, call: (client: Client) => Promise<readonly { id: string }[]>) => {
    await isUp(baseUrl)
    const op = history.begin(operation)
    const { verdict, ids } = await answerOf(baseUrl(), tenant, call)
    history.end(op, verdict, ids)
    return { verdict, ids }
  }
  const make = async (
    kind: 'create' | 'batch',
    contents: string[],
    call: Parameters<typeof ask>[1],
  ): Promise<Verdict> => {
    const { verdict, ids } = await ask({ kind, tenant, contents }, call)
    for (const id of ids) mine.push({ id, archived: false })
    return verdict
  }
  const change = async (
    memory: Mine | undefined,
    operation: (id: string) => Operation,
    call: (client: Client, id: string) => Promise<unknown>,
  ): Promise<Verdict | undefined> => {
    if (!memory) return undefined
    const { verdict } = await ask(operation(memory.id), async client => {
      await call(client, memory.id)
      return []
    })
    if (verdict === 'unknown') drop(memory)
    return verdict
  }

  const deeds: Record<Deed, () => Promise<Verdict | undefined>> = {
    create() {
      const text = content()
      return make('create', [text], async client => [
        await client.createMemory(someMemory({ content: text })),
      ])
    },
    batch() {
      const contents = Array.from({ length: 5 }, content)
      const memories = contents.map(each => someMemory({ content: each }))
      return make('batch', contents, async client => (await client.createMemories({ memories })).memories)
    },
    /** Sent again with the same key until it is acknowledged. */
    async keyed(): Promise<Verdict> {
      const text = content()
      const op = history.begin({ kind: 'keyed', tenant, contents: [text] })
      const headers = { 'idempotency-key': randomUUID() }
      for (;;) {
        await isUp(baseUrl)
        const { verdict, ids } = await answerOf(baseUrl(), tenant, async client => [
          await client.createMemory(someMemory({ content: text }), { headers }),
        ])
        if (verdict === 'acked') history.end(op, verdict, ids)
        if (verdict === 'acked') return verdict
        await pause(50)
      }
    },
    patch() {
      const text = content()
      return change(
        pick(false),
        id => ({ kind: 'patch', tenant, id, content: text }),
        (client, id) => client.updateMemory({ id, content: text }),
      )
    },
    async archive() {
      const memory = pick(false)
      const verdict = await change(
        memory,
        id => ({ kind: 'archive', tenant, id }),
        (client, id) => client.deleteMemory({ id }),
      )
      if (memory && verdict === 'acked') memory.archived = true
      return verdict
    },
    async restore() {
      const memory = pick(true)
      const verdict = await change(
        memory,
        id => ({ kind: 'restore', tenant, id }),
        (client, id) => client.restoreMemory({ id }),
      )
      if (memory && verdict === 'acked') memory.archived = false
      return verdict
    },
    async remove() {
      const memory = pick(random() < 0.5) ?? pick(false)
      const verdict = await change(
        memory,
        id => ({ kind: 'remove', tenant, id }),
        (client, id) => client.deleteMemory({ id, hard: true }),
      )
      if (memory && verdict === 'acked') drop(memory)
      return verdict
    },
    async connect() {
      const from = pick(false)
      const to = pick(false, from)
      if (!from || !to) return undefined
      const [source, target] = [from.id, to.id]
      const { verdict } = await ask({ kind: 'connect', tenant, source, target }, async client => {
        await client.createConnection({ source_id: source, target_id: target, relationship_type: 'supports' })
        return []
      })
      return verdict
    },
    async key() {
      const made = await ask({ kind: 'key', tenant }, async client => [
        await client.createKey({ name: 'of the chaos' }),
      ])
      return made.verdict
    },
  }
  return {
    deeds,
    /** Does one thing again and again, on a memory of its own where it needs one, until `finish` is called. */
    async repeat(deed: Deed, signal: AbortSignal) {
      while (!signal.aborted) {
        if (mine.length < 5) await deeds.create()
        await deeds[deed]()
        await pause(20)
      }
    },
  }
}

export type ChaosClient = ReturnType<typeof chaosClient>

const mix: [Deed, number][] = [
  ['create', 0.4],
  ['keyed', 0.15],
  ['batch', 0.06],
  ['patch', 0.14],
  ['archive', 0.06],
  ['restore', 0.04],
  ['remove', 0.06],
  ['connect', 0.05],
  ['key', 0.04],
]

/** Clients that run until `finish` is called. Each then completes its current operation, for which the service must be up. */
export function startLoad(clients: readonly ChaosClient[], random: () => number, restMs: number) {
  const stop = new AbortController()
  const loops = clients.map(async ({ deeds }) => {
    while (!stop.signal.aborted) {
      await deeds[draw(random())]()
      await pause(restMs * (0.5 + random()))
    }
  })
  return async () => {
    stop.abort()
    await Promise.all(loops)
  }
}

function draw(number: number): Deed {
  let left = number
  for (const [deed, share] of mix) {
    left -= share
    if (left < 0) return deed
  }
  return 'create'
}

const PATIENCE_MS = 30_000
const AWAY_MS = 120_000

/** Nothing is asked of a service that is known to be away. */
async function isUp(baseUrl: () => string | undefined) {
  for (let waited = 0; baseUrl() === undefined; waited += 20) {
    if (waited > AWAY_MS) throw new Error('The service did not come back')
    await pause(20)
  }
}

async function answerOf(
  url: string | undefined,
  tenant: string,
  call: (client: Client) => Promise<readonly { id: string }[]>,
): Promise<{ verdict: Verdict; ids: string[] }> {
  if (url === undefined) return { verdict: 'unknown', ids: [] }
  const patient: typeof fetch = (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) })
  try {
    const made = await call(createClient({ baseUrl: url, apiKey: OPERATOR_KEY, tenant, fetch: patient }))
    return { verdict: 'acked', ids: made.map(({ id }) => id) }
  } catch (error) {
    const refused = error instanceof ProblemError && error.status < 500 && error.problem !== undefined
    return { verdict: refused ? 'refused' : 'unknown', ids: [] }
  }
}
