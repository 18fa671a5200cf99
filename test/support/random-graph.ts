import fc from 'fast-check'
import type { relationshipTypes } from '../../src/contract/connections.ts'
import { idOf, numbered, remember } from './seed.ts'
import type { TestService } from './service.ts'

/** An edge between memories by their numbers. */
type ModelEdge = {
  from: number
  to: number
  type: (typeof relationshipTypes)[number]
  strength: number | null
  /** When it holds: always, until 2020, or from 2100 on. */
  held: 'always' | 'past' | 'future'
}
export type ModelGraph = { edges: ModelEdge[]; archived: number[]; expired: number[] }

export const SIZE = 8

const place = fc.nat(SIZE - 1)
const edge: fc.Arbitrary<ModelEdge> = fc
  .record({
    from: place,
    to: place,
    type: fc.constantFrom('related_to', 'supports', 'caused_by'),
    strength: fc.constantFrom(null, 0, 0.1, 0.25, 0.5, 0.5, 0.7, 0.9, 1),
    held: fc.constantFrom('always' as const, 'always' as const, 'past' as const, 'future' as const),
  })
  .filter(({ from, to }) => from !== to)

/** Memory 0 is always there to start from. */
const graphsOf = (edges: { minLength: number; maxLength: number }): fc.Arbitrary<ModelGraph> =>
  fc.record({
    edges: fc.uniqueArray(edge, { ...edges, selector: ({ from, to, type }) => `${from} ${to} ${type}` }),
    archived: fc.uniqueArray(fc.integer({ min: 1, max: SIZE - 1 }), { maxLength: 2 }),
    expired: fc.uniqueArray(fc.integer({ min: 1, max: SIZE - 1 }), { maxLength: 1 }),
  })

export const graphs = graphsOf({ minLength: 4, maxLength: 18 })
/** With more paths than a walk looks at each of. */
export const denseGraphs = graphsOf({ minLength: 40, maxLength: 50 })

/** Which edges hold at a time that walks may ask for. */
export const heldAt = {
  any: ['always', 'past', 'future'],
  now: ['always'],
  '2010-01-01': ['always', 'past'],
  '2110-01-01': ['always', 'future'],
} as const satisfies Record<string, readonly ModelEdge['held'][]>

export const validTimes = fc.constantFrom(...(Object.keys(heldAt) as (keyof typeof heldAt)[]))

/** Memories that take the shape of one graph after another. Their ids are in ascending order. */
export async function canvas(service: TestService) {
  const memories = await remember(service.client, numbered(SIZE, 'memory'))
  const ids = memories.map(idOf).toSorted()
  const draw = async ({ edges, archived, expired }: ModelGraph) => {
    await service.cypher('MATCH (m:Memory {tenant: $tenant})-[r]-() DELETE r', { tenant: service.tenant })
    await service.cypher(shape, { tenant: service.tenant, ids, archived, expired })
    await service.cypher(connections, {
      tenant: service.tenant,
      edges: edges.map(({ from, to, type, strength, held }) => ({
        source: ids[from],
        target: ids[to],
        type: type.toUpperCase(),
        strength,
        validFrom: held === 'future' ? '2100-01-01T00:00:00Z' : null,
        validUntil: held === 'past' ? '2020-01-01T00:00:00Z' : null,
      })),
    })
  }
  return { ids, draw }
}

const shape = `UNWIND range(0, size($ids) - 1) AS at MATCH (m:Memory {tenant: $tenant, id: $ids[at]})
  SET m.state = CASE WHEN at IN $archived THEN 'archived' ELSE 'active' END,
    m.liveUntil = CASE WHEN at IN $archived OR at IN $expired THEN 0 ELSE 253402300799000 END`

const connections = `CYPHER 25 UNWIND $edges AS edge
  MATCH (a:Memory {tenant: $tenant, id: edge.source}), (b:Memory {tenant: $tenant, id: edge.target})
  CREATE (a)-[:$(edge.type) {key: a.id + ':' + b.id, tenant: $tenant, strength: edge.strength, origin: 'asserted',
    createdAt: datetime.realtime('Z'), validFrom: datetime(edge.validFrom), validUntil: datetime(edge.validUntil)}]->(b)`

type Rules = {
  direction: 'out' | 'in' | 'both'
  types: readonly string[] | undefined
  minStrength?: number | undefined
  /** When edges must hold. */
  held: readonly ModelEdge['held'][]
  walkable: (memory: number) => boolean
}

/** A walk from one memory, edge by edge; `score` is the product of the weights in the order of the walk. */
export type Walk = { places: number[]; edges: ModelEdge[]; score: number }

/** Every walk of at most `depth` edges that stays within the rules, by trying them all. */
export function walksFrom(start: number, depth: number, { edges }: ModelGraph, rules: Rules): Walk[] {
  const found: Walk[] = []
  const extend = (walk: Walk) => {
    if (walk.edges.length === depth) return
    for (const edge of edges)
      for (const next of stepOver(edge, walk.places.at(-1) as number, rules)) {
        const longer = {
          places: [...walk.places, next],
          edges: [...walk.edges, edge],
          score: walk.score * (edge.strength ?? 1),
        }
        if (walk.places.includes(next)) continue
        found.push(longer)
        extend(longer)
      }
  }
  extend({ places: [start], edges: [], score: 1 })
  return found
}

/** Where the edge leads from a memory, if the rules let it be crossed. */
function stepOver(
  edge: ModelEdge,
  at: number,
  { direction, types, minStrength = 0, held, walkable }: Rules,
): number[] {
  if (types && !types.includes(edge.type)) return []
  if ((edge.strength ?? 1) < minStrength || !held.includes(edge.held)) return []
  const ends = [
    ...(direction !== 'in' && edge.from === at ? [edge.to] : []),
    ...(direction !== 'out' && edge.to === at ? [edge.from] : []),
  ]
  return ends.filter(walkable)
}
