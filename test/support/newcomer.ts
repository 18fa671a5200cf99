import type { Client } from '../../src/client.ts'
import { remember, rememberIds } from './seed.ts'

/** What a newcomer does first: what is there before, and what the service must answer after it. */
type Task = {
  name: string
  given: (client: Client) => Promise<unknown>
  result: (client: Client) => Promise<unknown>
  is: unknown
}

const newest = async (client: Client) => (await client.listMemories({})).memories[0]?.content
const active = async (client: Client) => (await client.getStats()).memories.by_state.active

export const newcomerTasks = {
  store: {
    name: 'store a memory',
    given: client => remember(client, ['a cat']),
    result: newest,
    is: 'The ferry leaves at nine',
  },
  find: {
    name: 'find a memory',
    given: client => remember(client, ['a cat sleeps', 'a truck drives', 'bread rises']),
    result: async () => true,
    is: true,
  },
  correct: {
    name: 'correct a memory',
    given: client => remember(client, ['The ferry leaves at nine']),
    result: newest,
    is: 'The ferry leaves at ten',
  },
  connect: {
    name: 'connect two memories',
    given: client => remember(client, ['a cat sleeps', 'a truck drives']),
    result: async client => (await client.listConnections({})).total,
    is: 1,
  },
  explain: {
    name: 'see why two memories are linked',
    async given(client) {
      const [a, b, c] = await rememberIds(client, ['The harbour freezes', 'The ferry waits', 'Guests sleep'])
      await client.createConnection({ source_id: b, target_id: a, relationship_type: 'caused_by' })
      await client.createConnection({ source_id: c, target_id: b, relationship_type: 'caused_by' })
    },
    result: async () => true,
    is: true,
  },
  merge: {
    name: 'merge duplicates',
    given: client =>
      remember(client, ['The ferry leaves at nine', 'The ferry leaves at nine.', 'Bread rises']),
    result: active,
    is: 2,
  },
  forget: {
    name: 'forget a source',
    given: client => remember(client, [{ content: 'old', source: 'old-wiki' }, { content: 'new' }]),
    result: active,
    is: 1,
  },
  key: {
    name: 'give an agent a key',
    given: client => remember(client, ['a cat']),
    result: async client => (await client.listKeys({})).keys.map(({ name }) => name),
    is: ['my agent'],
  },
  watch: {
    name: 'watch the queue',
    given: client => remember(client, ['a cat']),
    result: async () => true,
    is: true,
  },
  restore: {
    name: 'restore a memory that was deleted',
    async given(client) {
      const [cat] = await remember(client, ['a cat', 'a dog'])
      await client.deleteMemory({ id: cat?.id as string })
    },
    result: active,
    is: 2,
  },
} satisfies Record<string, Task>

export type NewcomerTask = keyof typeof newcomerTasks
