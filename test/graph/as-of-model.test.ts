import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { exportText } from '../support/graph-export.ts'
import { pastMoment } from '../support/past-moment.ts'
import { runs } from '../support/runs.ts'
import { byId, idOf, rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, withService } from '../support/service.ts'

const service = withService()

const place = fc.nat(3)
const type = fc.constantFrom('supports' as const, 'caused_by' as const)
const strength = fc.constantFrom(0.25, 0.5, 1)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change' as const), at: place }) },
  fc.record({ do: fc.constant('archive' as const), at: place }),
  fc.record({ do: fc.constant('restore' as const), at: place }),
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('connect' as const), at: place, to: place, type, strength }),
  },
  fc.record({ do: fc.constant('disconnect' as const), at: place, to: place, type }),
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never
const histories = fc.array(step, { minLength: 6, maxLength: 12 })

type Noted = { id: string; content: string; version: number; state: 'active' | 'archived' }
type Edge = { source: string; target: string; type: string; strength: number; holds: boolean }
/** What a plain recorder knows: the memories in the order of their creation, and the connections. */
type Recorded = { memories: Noted[]; edges: Edge[] }

test('whatever happened, each read as of each time shows what was so then', { timeout: 3_600_000 }, () =>
  fc.assert(
    fc.asyncProperty(histories, async steps => {
      const client = service.clientOf(freshTenant())
      const times: { at: string; was: Recorded }[] = []
      let now: Recorded = { memories: [], edges: [] }
      for (const [number, each] of steps.entries()) {
        now = await happen(client, now, each, number)
        times.push({ at: await pastMoment(service), was: now })
      }
      for (const { at, was } of times) await compare(client, at, was, now)
    }),
    { numRuns: runs(30) },
  ),
)

/** When the connection between two places holds: always, no longer, or not yet. */
const validities = [{}, { valid_until: '2000-01-01T00:00:00Z' }, { valid_from: '2100-01-01T00:00:00Z' }]

/** Does a step where it can be done, and records what there is after it. */
async function happen(
  client: Client,
  { memories, edges }: Recorded,
  each: Step,
  number: number,
): Promise<Recorded> {
  if (each.do === 'create') {
    if (memories.length > 3) return { memories, edges }
    const content = `note w${number}`
    const [id = ''] = await rememberIds(client, [content])
    return { memories: [...memories, { id, content, version: 1, state: 'active' }], edges }
  }
  const memory = memories[each.at]
  if (!memory) return { memories, edges }
  const { id } = memory
  const changed = (fields: Partial<Noted>): Recorded => ({
    memories: memories.map(one => (one === memory ? { ...one, ...fields, version: one.version + 1 } : one)),
    edges,
  })
  if (each.do === 'restore') {
    if (memory.state === 'active') return { memories, edges }
    await client.restoreMemory({ id })
    return changed({ state: 'active' })
  }
  if (memory.state === 'archived') return { memories, edges }
  if (each.do === 'change') {
    const content = `note w${number}`
    await client.updateMemory({ id, content })
    return changed({ content })
  }
  if (each.do === 'archive') {
    await client.deleteMemory({ id })
    return changed({ state: 'archived' })
  }
  const target = memories[each.to]
  if (!target || target === memory || target.state === 'archived') return { memories, edges }
  const ends = { source_id: id, target_id: target.id, relationship_type: each.type }
  const others = edges.filter(
    edge => edge.source !== id || edge.target !== target.id || edge.type !== each.type,
  )
  if (each.do === 'disconnect') {
    if (others.length < edges.length) await client.deleteConnection(ends)
    return { memories, edges: others }
  }
  const validity = (each.at + each.to) % validities.length
  await client.createConnection({ ...ends, ...validities[validity], strength: each.strength })
  const edge = {
    source: id,
    target: target.id,
    type: each.type,
    strength: each.strength,
    holds: validity === 0,
  }
  return { memories, edges: [...others, edge] }
}

async function compare(client: Client, as_of: string, was: Recorded, now: Recorded) {
  const active = was.memories.filter(({ state }) => state === 'active')
  await Promise.all([
    ...now.memories.map(({ id }) => compareMemory(client, as_of, id, was)),
    compareLists(client, as_of, was, active),
    compareWalks(client, as_of, was, active),
    compareExport(client, as_of, was, active),
  ])
}

async function compareMemory(client: Client, as_of: string, id: string, was: Recorded) {
  const known = was.memories.find(memory => memory.id === id)
  const asked = client.getMemory({ id, as_of })
  if (known) expect(await asked).toMatchObject(known)
  else expect(await problemOf(asked)).toMatchObject({ code: 'memory_not_found' })
}

async function compareLists(client: Client, as_of: string, was: Recorded, active: readonly Noted[]) {
  const all = await client.listMemories({ as_of, order: 'asc', include_archived: true })
  expect(all.memories.map(idOf)).toEqual(was.memories.map(idOf))
  expect(all.memories).toMatchObject(was.memories)
  const shown = await client.listMemories({ as_of, order: 'asc' })
  expect(shown.memories).toMatchObject(active)
  expect([shown.truncated, shown.memories.length]).toEqual([false, active.length])
  const found = await client.searchMemories({ as_of, search_type: 'keyword', query: 'notes' })
  expect(found.results.map(({ memory }) => [memory.id, memory.content]).toSorted()).toEqual(
    active.map(({ id, content }) => [id, content]).toSorted(),
  )
  for (const { id, content } of active.slice(0, 1)) {
    const { results } = await client.searchMemories({
      as_of,
      search_type: 'keyword',
      query: content.split(' ')[1] as string,
    })
    expect(results.map(({ memory }) => memory.id)).toEqual([id])
  }
  const { connections, total } = await client.listConnections({ as_of })
  expect(total).toBe(was.edges.length)
  expect(
    connections.map(({ source_id, connection }) => edgeText({ source: source_id, ...connection })).toSorted(),
  ).toEqual(
    was.edges
      .map(edge => edgeText({ ...edge, target_id: edge.target, relationship_type: edge.type }))
      .toSorted(),
  )
}

type Shown = { source: string; target_id: string; relationship_type: string; strength: number | null }
const edgeText = ({ source, target_id, relationship_type, strength }: Shown) =>
  `${source} ${relationship_type} ${target_id} ${strength}`

/** The best product of strengths of a way from a memory to each other, over active ones, of so many steps at most. */
function bestFrom(start: string, edges: readonly Edge[], active: readonly Noted[], depth: number) {
  const best = new Map<string, number>()
  const walk = (id: string, score: number, left: number, seen: readonly string[]) => {
    for (const { source, target, strength } of edges) {
      const next = source === id ? target : target === id ? source : undefined
      if (next === undefined || seen.includes(next) || !active.some(memory => memory.id === next)) continue
      best.set(next, Math.max(best.get(next) ?? 0, score * strength))
      if (left > 1) walk(next, score * strength, left - 1, [...seen, next])
    }
  }
  walk(start, 1, depth, [start])
  return best
}

async function compareWalks(client: Client, as_of: string, was: Recorded, active: readonly Noted[]) {
  const [first, second] = active
  if (!first) return
  const held = was.edges.filter(({ holds }) => holds)
  for (const [valid_at, edges] of [['any', was.edges] as const, ['now', held] as const]) {
    for (const depth of [1, 3]) {
      const { related } = await client.relatedMemories({
        id: first.id,
        as_of,
        valid_at,
        direction: 'both',
        depth,
      })
      const scores = related.map(({ memory, path_score }) => [memory.id, path_score] as const)
      expect(scores.toSorted(([a], [b]) => byId(a, b))).toEqual(
        [...bestFrom(first.id, edges, active, depth)].toSorted(([a], [b]) => byId(a, b)),
      )
    }
    if (!second) continue
    const { paths } = await client.findPath({ source_id: first.id, target_id: second.id, as_of, valid_at })
    expect(paths[0]?.score).toEqual(bestFrom(first.id, edges, active, 3).get(second.id))
  }
}

async function compareExport(client: Client, as_of: string, was: Recorded, active: readonly Noted[]) {
  const lines = (await exportText(client, { format: 'ndjson', as_of })).trim().split('\n').filter(Boolean)
  const rows = lines.map(line => JSON.parse(line))
  const ids = active.map(idOf)
  const nodes = rows.filter(({ content }) => content !== undefined)
  expect(nodes).toMatchObject(active)
  expect(nodes).toHaveLength(active.length)
  const inside = was.edges.filter(({ source, target }) => ids.includes(source) && ids.includes(target))
  expect(rows.length - nodes.length).toBe(inside.length)
}
