import type { Client } from '../../src/client.ts'
import type { Output } from '../../src/contract/index.ts'
import { same } from './steps.ts'
import { fieldsOf, keyOf, type ListedConnection, type ModelConnection, type World } from './world.ts'

export async function listAll(client: Client): Promise<Output<'listMemories'>['memories']> {
  const all: Output<'listMemories'>['memories'] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.listMemories({
      limit: 200,
      include_archived: true,
      ...(cursor ? { cursor } : {}),
    })
    all.push(...page.memories)
    cursor = page.next_cursor
  }
  return all
}

async function listConnections(client: Client): Promise<ListedConnection[]> {
  const all: ListedConnection[] = []
  for (let total = 1; all.length < total; ) {
    const page = await client.listConnections({ limit: 500, offset: all.length })
    all.push(...page.connections)
    total = page.total
  }
  return all
}

/**
 * Holds the tenant against the model: every memory, every asserted connection. The discovered ones are taken over, as far as they
 * may be there; after discovery all of them must be.
 */
export async function compare(world: World, client: Client, when?: 'discovered'): Promise<void> {
  const memories = await listAll(client)
  same(memories.map(({ id }) => id).sort(), [...world.memories.keys()].sort())
  for (const answer of memories) {
    const { fields, state, reason, version } = world.memory(answer.id)
    same(
      [answer.id, fieldsOf(answer), answer.state, answer.archived_reason, answer.version],
      [answer.id, fields, state, reason, version],
    )
  }
  const listed = (await listConnections(client)).map(toModel)
  same(keysOf(listed, 'asserted'), keysOf([...world.connections.values()], 'asserted'))
  for (const found of listed) {
    const known = world.connections.get(keyOf(found))
    if (known && found.origin === 'asserted') {
      if (!known.strengths.includes(found.strengths[0] ?? null)) same(found, known)
      known.strengths = found.strengths
    }
  }
  takeOverDiscovered(world, listed)
  if (when === 'discovered') checkDiscovered(world)
}

const toModel = ({ source_id, connection }: ListedConnection): ModelConnection => ({
  source: source_id,
  target: connection.target_id,
  type: connection.relationship_type,
  origin: connection.origin,
  strengths: [connection.strength],
})

const keysOf = (connections: readonly ModelConnection[], origin: ModelConnection['origin']) =>
  connections
    .filter(each => each.origin === origin)
    .map(keyOf)
    .sort()

function takeOverDiscovered(world: World, listed: readonly ModelConnection[]): void {
  const found = new Map(
    listed.filter(({ origin }) => origin === 'discovered').map(each => [keyOf(each), each]),
  )
  for (const [key, { origin }] of world.connections)
    if (origin === 'discovered' && !found.has(key)) world.connections.delete(key)
  for (const [key, connection] of found) {
    if (world.connections.has(key)) continue
    if (world.isRejected(connection.source, connection.target))
      throw new Error(`${key} is discovered again, though it was rejected`)
    world.connect(connection)
  }
}

/** All pairs of active memories of one topic are related, unless somebody said no; and no others. */
function checkDiscovered(world: World): void {
  const topicOf = (id: string) => world.memory(id).fields.content.split(' ')[1]
  const related = new Set(
    [...world.connections.values()]
      .filter(({ type }) => type === 'related_to')
      .map(({ source, target }) => [source, target].sort().join()),
  )
  const active = world.active().map(({ id }) => id)
  for (const one of active)
    for (const other of active)
      if (one < other && topicOf(one) === topicOf(other)) {
        const pair = [one, other].sort().join()
        if (!related.has(pair) && !world.isRejected(one, other))
          throw new Error(`${pair} were not discovered`)
      }
  for (const { source, target, origin } of world.connections.values())
    if (origin === 'discovered' && topicOf(source) !== topicOf(target) && isActive(world, source, target))
      throw new Error(`${source} and ${target} are still related, though their texts no longer are`)
}

const isActive = (world: World, ...ids: string[]) => ids.every(id => world.memory(id).state === 'active')
