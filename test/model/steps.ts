import type { Client } from '../../src/client.ts'
import { relationshipTypes } from '../../src/contract/connections.ts'
import { problemOf } from '../support/service.ts'
import { fieldsOf, type ModelMemory, type World } from './world.ts'

/** One call of a caller, with what the model makes of its answer. */
export type Step = {
  name: string
  /** The memories that it concerns. Steps that concern the same one do not run at once. */
  touches: readonly string[] | 'all'
  /** Makes the call and applies its answer to the model. */
  run: () => Promise<unknown>
  /** After a crash without an answer: finds out whether it was done, and applies that. */
  resolve: () => Promise<unknown>
}

export type Caller = { world: World; client: () => Client; random: () => number }

type Choice = (caller: Caller) => Step | undefined

export const TOPICS = 6
/** Says the same of its topic as every other text of the topic: their vectors are equal. */
const contentOf = (topic: number, mark: string) => `topic ${topic} ${mark}`

export const below = (random: () => number, most: number) => Math.floor(random() * most)
export const oneOf = <T>(random: () => number, values: readonly T[]): T | undefined =>
  values[below(random, values.length)]

const someFields = (random: () => number) => ({
  content: contentOf(below(random, TOPICS), random().toString(36).slice(2)),
  tags: ['red', 'green', 'blue'].filter(() => random() < 0.4),
  importance: below(random, 11) / 10,
  source: `source-${below(random, 4)}`,
})

const policy = { policy: 'long_term', ttl_seconds: 0 }
const PAGE = { limit: 200, include_archived: true } as const

const create: Choice = ({ world, client, random }) => {
  const fields = someFields(random)
  const headers = random() < 0.3 ? { 'idempotency-key': random().toString(36) } : undefined
  return {
    name: 'create',
    touches: [],
    async run() {
      const made = await client().createMemory({ ...policy, ...fields }, headers ? { headers } : {})
      world.created(made)
      if (!headers) return
      const again = await client().createMemory({ ...policy, ...fields }, { headers })
      if (again.id !== made.id) throw new Error(`A repeated create made ${again.id} beside ${made.id}`)
    },
    resolve: () => adopt(world, client, [fields.content]),
  }
}

const createSeveral: Choice = ({ world, client, random }) => {
  const memories = Array.from({ length: 2 + below(random, 4) }, () => ({ ...policy, ...someFields(random) }))
  return {
    name: 'create several',
    touches: [],
    async run() {
      for (const made of (await client().createMemories({ memories })).memories) world.created(made)
    },
    async resolve() {
      const contents = memories.map(({ content }) => content)
      const found = await adopt(world, client, contents)
      if (found !== 0 && found !== contents.length)
        throw new Error(`${found} memories of a batch of ${contents.length} were stored`)
    },
  }
}

/** Takes memories with these contents that the model does not know, and returns how many there are. */
async function adopt(world: World, client: () => Client, contents: readonly string[]): Promise<number> {
  const { memories } = await client().listMemories(PAGE)
  const made = memories.filter(({ id, content }) => contents.includes(content) && !world.memories.has(id))
  for (const memory of made) world.created(memory)
  return made.length
}

const patch: Choice = ({ world, client, random }) => {
  const memory = oneOf(random, world.active())
  if (!memory) return undefined
  const all = someFields(random)
  const names = (['content', 'tags', 'importance', 'source'] as const).filter(() => random() < 0.4)
  const sent = Object.fromEntries(
    (names.length ? names : ['content']).map(name => [name, all[name as 'tags']]),
  )
  const headers = random() < 0.3 ? { 'if-match': `"${memory.version}"` } : {}
  const apply = (answer: Awaited<ReturnType<Client['getMemory']>>) => {
    const fields = { ...memory.fields, ...sent }
    if (answer.version === memory.version) return same(fieldsOf(answer), memory.fields)
    same(fieldsOf(answer), fields)
    return world.changed(answer, { fields })
  }
  return {
    name: 'patch',
    touches: [memory.id],
    run: async () => apply(await client().updateMemory({ id: memory.id, ...sent }, { headers })),
    resolve: async () => apply(await look(client, memory)),
  }
}

/** A version that the memory had before, or a removed memory, is no ground to overwrite it. */
const patchStale: Choice = ({ world, client, random }) => {
  const memory = oneOf(random, world.active())
  const stale =
    memory &&
    oneOf(
      random,
      [...memory.versions.keys()].filter(each => each !== memory.version),
    )
  if (!memory || !stale) return undefined
  return {
    name: 'patch of a stale version',
    touches: [memory.id],
    async run() {
      const headers = { 'if-match': `"${stale}"` }
      const { status } = await problemOf(client().updateMemory({ id: memory.id, importance: 1 }, { headers }))
      if (status !== 412)
        throw new Error(`Version ${stale} of ${memory.id} still counts, at ${memory.version}`)
    },
    resolve: async () => {},
  }
}

const archive: Choice = ({ world, client, random }) => {
  const memory = oneOf(random, world.active())
  if (!memory) return undefined
  const confirm = async () => {
    const answer = await look(client, memory)
    if (answer.state === 'archived')
      world.changed(answer, { state: 'archived', reason: answer.archived_reason })
    return answer
  }
  return {
    name: 'archive',
    touches: [memory.id],
    async run() {
      await client().deleteMemory({ id: memory.id })
      if ((await confirm()).archived_reason !== 'deleted') throw new Error(`${memory.id} is not archived`)
    },
    resolve: confirm,
  }
}

const restore: Choice = ({ world, client, random }) => {
  const memory = oneOf(random, world.archived())
  if (!memory) return undefined
  const apply = (answer: Awaited<ReturnType<Client['getMemory']>>) =>
    answer.state === 'active' && world.changed(answer, { state: 'active', reason: null })
  return {
    name: 'restore',
    touches: [memory.id],
    async run() {
      if (!apply(await client().restoreMemory({ id: memory.id }))) world.memory(memory.id)
    },
    resolve: async () => apply(await look(client, memory)),
  }
}

const removeForGood: Choice = ({ world, client, random }) => {
  const memory = oneOf(random, [...world.memories.values()])
  if (!memory) return undefined
  const { id } = memory
  return {
    name: 'hard delete',
    touches: [id],
    async run() {
      await client().deleteMemory({ id, hard: true })
      world.gone(id, 'hard delete')
    },
    async resolve() {
      const found = await client().listMemories(PAGE)
      if (!found.memories.some(each => each.id === id)) world.gone(id, 'hard delete')
    },
  }
}

const revert: Choice = ({ world, client, random }) => {
  const memory = oneOf(random, world.active())
  if (!memory || memory.versions.size < 2) return undefined
  const apply = (answer: Awaited<ReturnType<Client['getMemory']>>, to: number | undefined) => {
    if (answer.version === memory.version) return
    const fields = to === undefined ? fieldsOf(answer) : (memory.versions.get(to) as ModelMemory['fields'])
    same(fieldsOf(answer), fields)
    world.changed(answer, { fields })
  }
  return {
    name: 'revert',
    touches: [memory.id],
    async run() {
      const { versions } = await client().getMemoryHistory({ id: memory.id, limit: 50 })
      for (const { version, memory: said } of versions) same(fieldsOf(said), memory.versions.get(version))
      const to = oneOf(random, versions.slice(1))?.version
      if (to !== undefined) apply(await client().revertMemory({ id: memory.id, version: to }), to)
    },
    resolve: async () => apply(await look(client, memory), undefined),
  }
}

const connect: Choice = ({ world, client, random }) => {
  const source = oneOf(random, [...world.memories.values()])
  const target = oneOf(
    random,
    [...world.memories.values()].filter(each => each !== source),
  )
  const type = oneOf(random, relationshipTypes)
  if (!source || !target || !type) return undefined
  const strength = random() < 0.5 ? below(random, 11) / 10 : undefined
  const input = { source_id: source.id, target_id: target.id, relationship_type: type }
  const before = world.between(source.id, target.id).find(each => each.type === type)
  const apply = (said: number | null) => {
    const strengths = strength === undefined ? (before?.strengths ?? [null]) : [strength]
    if (!strengths.includes(said)) throw new Error(`The strength is ${said}, not one of ${strengths}`)
    world.connect({ source: source.id, target: target.id, type, origin: 'asserted', strengths: [said] })
  }
  return {
    name: 'connect',
    touches: [source.id, target.id],
    async run() {
      const call = client().createConnection({ ...input, ...(strength === undefined ? {} : { strength }) })
      if (source.state === 'active' && target.state === 'active')
        return apply((await call).connection.strength)
      same((await problemOf(call)).status, 409)
    },
    async resolve() {
      const [found] = (await client().listConnections(input)).connections
      if (found?.connection.origin === 'asserted') apply(found.connection.strength)
    },
  }
}

/** Removing a `related_to` rejects it. */
const disconnect: Choice = ({ world, client, random }) => {
  const connection = oneOf(random, [...world.connections.values()])
  if (!connection) return undefined
  const { source, target } = connection
  const ends = { source_id: source, target_id: target }
  return {
    name: 'disconnect',
    touches: [source, target],
    async run() {
      const { deleted } = await client().deleteConnection(ends)
      same(deleted, world.between(source, target).length)
      world.disconnect(source, target)
    },
    async resolve() {
      if ((await client().listConnections(ends)).total === 0) world.disconnect(source, target)
    },
  }
}

const recall: Choice = ({ world, client, random }) => {
  const memory = oneOf(random, [...world.memories.values()])
  if (!memory) return undefined
  const run = async () => {
    const answer = await client().getMemory({ id: memory.id })
    same([answer.version, answer.state, fieldsOf(answer)], [memory.version, memory.state, memory.fields])
  }
  return { name: 'recall', touches: [memory.id], run, resolve: run }
}

const look = (client: () => Client, { id }: ModelMemory) => client().getMemory({ id, record_recall: false })

export function same(found: unknown, expected: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`Found ${JSON.stringify(found)}, where the model has ${JSON.stringify(expected)}`)
}

/** Each as often as it is named. */
const choices: readonly Choice[] = [
  create,
  create,
  create,
  createSeveral,
  patch,
  patch,
  patchStale,
  archive,
  restore,
  restore,
  removeForGood,
  revert,
  connect,
  connect,
  connect,
  disconnect,
  recall,
]

export const chooseStep = (caller: Caller): Step =>
  oneOf(caller.random, choices)?.(caller) ?? (create(caller) as Step)
