import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { RelationshipType } from '../../src/contract/connections.ts'
import {
  canvas,
  graphs,
  heldAt,
  type ModelGraph,
  SIZE,
  validTimes,
  type Walk,
  walksFrom,
} from '../support/random-graph.ts'
import { runs } from '../support/runs.ts'
import { withService } from '../support/service.ts'

const service = withService()
let ids: string[]
let draw: (graph: ModelGraph) => Promise<void>
beforeAll(async () => {
  ;({ ids, draw } = await canvas(service))
})

const questions = fc
  .record({
    source: fc.nat(SIZE - 1),
    target: fc.nat(SIZE - 1),
    max_depth: fc.integer({ min: 1, max: 5 }),
    limit: fc.constantFrom(1, 3, 20),
    direction: fc.constantFrom('out' as const, 'in' as const, 'both' as const),
    relationship_types: fc.constantFrom<RelationshipType[] | undefined>(undefined, ['supports', 'caused_by']),
    valid_at: validTimes,
  })
  .filter(({ source, target }) => source !== target)
type Asked = typeof questions extends fc.Arbitrary<infer Value> ? Value : never

test('the best paths in any graph are those that trying every path finds', { timeout: 300_000 }, () =>
  fc.assert(
    fc.asyncProperty(graphs, fc.array(questions, { minLength: 6, maxLength: 6 }), async (graph, asked) => {
      await draw(graph)
      await Promise.all(asked.map(question => compare(graph, question)))
    }),
    { numRuns: runs(15) },
  ),
)

async function compare(graph: ModelGraph, { source, target, relationship_types, ...asked }: Asked) {
  const answer = await service.client.findPath({
    source_id: ids[source] as string,
    target_id: ids[target] as string,
    ...asked,
    ...(relationship_types ? { relationship_types } : {}),
  })
  const living = (at: number) => !graph.archived.includes(at) && !graph.expired.includes(at)
  const rules = {
    direction: asked.direction,
    types: relationship_types,
    held: heldAt[asked.valid_at],
    walkable: living,
  }
  const all = living(source) ? walksFrom(source, asked.max_depth, graph, rules) : []
  const expected = all.filter(({ places }) => places.at(-1) === target).sort(bestFirst)
  expect(
    answer.paths.map(({ score, length, memories }) => [score, length, memories.map(({ id }) => id)]),
  ).toEqual(
    expected
      .slice(0, asked.limit)
      .map(({ score, edges, places }) => [score, edges.length, places.map(at => ids[at])]),
  )
  expect(answer).toMatchObject({ source_id: ids[source], target_id: ids[target], truncated: false })
  for (const path of answer.paths) expect(expected.some(walk => sameEdges(walk, path.connections))).toBe(true)
}

const bestFirst = (a: Walk, b: Walk) =>
  b.score - a.score || a.edges.length - b.edges.length || (a.places.join() < b.places.join() ? -1 : 1)

const sameEdges = (
  { edges }: Walk,
  connections: readonly {
    source_id: string
    target_id: string
    relationship_type: string
    strength: number | null
  }[],
) =>
  JSON.stringify(edges.map(({ from, to, type, strength }) => [ids[from], ids[to], type, strength])) ===
  JSON.stringify(
    connections.map(each => [each.source_id, each.target_id, each.relationship_type, each.strength]),
  )
