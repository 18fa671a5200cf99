import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient } from '../../src/client.ts'
import { OPERATOR_KEY, someMemory } from './service.ts'

/** What writers were promised: acknowledged memories by id, and contents that may be there once at most. */
export type History = {
  readonly acknowledged: Map<string, string>
  /** Sent with a key and repeated until acknowledged: there once, whatever happened in between. */
  readonly keyed: Set<string>
  /** Batches, acknowledged or not: there whole or not at all. */
  readonly batches: string[][]
  /** Writes that got no answer. */
  unanswered: number
}

type Options = { tenant: string; random: () => number; count: number }

/** Clients that write one memory after another to a service that comes and goes, and keep what they were promised. */
export function startWriters(baseUrl: () => string | undefined, { tenant, random, count }: Options) {
  const history: History = { acknowledged: new Map(), keyed: new Set(), batches: [], unanswered: 0 }
  const stop = new AbortController()

  const attempt = async (write: (client: Client) => Promise<readonly { id: string; content: string }[]>) => {
    const url = baseUrl()
    try {
      if (url === undefined) throw new Error('The service is down')
      const memories = await write(createClient({ baseUrl: url, apiKey: OPERATOR_KEY, tenant }))
      for (const { id, content } of memories) history.acknowledged.set(id, content)
      return true
    } catch {
      if (url !== undefined) history.unanswered++
      await pause(20)
      return false
    }
  }

  const write = async () => {
    const kind = Math.floor(random() * 3)
    const content = `${sentences[Math.floor(random() * sentences.length)]} ${randomUUID()}`
    if (kind === 0) return attempt(async client => [await client.createMemory(someMemory({ content }))])
    if (kind === 1) {
      const contents = Array.from({ length: 5 }, (_, at) => `${content} ${at}`)
      history.batches.push(contents)
      const memories = contents.map(each => someMemory({ content: each }))
      return attempt(async client => (await client.createMemories({ memories })).memories)
    }
    history.keyed.add(content)
    const headers = { 'idempotency-key': randomUUID() }
    const send = (client: Client) => client.createMemory(someMemory({ content }), { headers })
    while (!(await attempt(async client => [await send(client)])));
  }

  const loops = Array.from({ length: count }, async () => {
    while (!stop.signal.aborted) await write()
  })
  return {
    history,
    /** Lets every writer finish its current write. The service must be up. */
    async finish() {
      stop.abort()
      await Promise.all(loops)
    },
  }
}

const sentences = [
  'The cat sleeps on the warm windowsill',
  'Sourdough needs a night in the cold',
  'The harbour was full of sailing boats',
  'An index makes the query quick',
]
