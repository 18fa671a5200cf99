import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { RelationshipType } from '../../src/contract/connections.ts'
import type { Output } from '../../src/contract/index.ts'
import {
  canvas,
  denseGraphs,
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

const walks = fc.record({
  start: fc.nat(SIZE - 1),
  depth: fc.integer({ min: 1, max: 5 }),
  limit: fc.constantFrom(1, 3, 100),
  direction: fc.constantFrom('out' as const, 'in' as const, 'both' as const),
  relationship_types: fc.constantFrom<RelationshipType[] | undefined>(
    undefined,
    ['related_to'],
    ['supports', 'caused_by'],
  ),
  min_strength: fc.constantFrom(undefined, 0.5),
  include_archived: fc.boolean(),
  valid_at: validTimes,
})
type Asked = typeof walks extends fc.Arbitrary<infer Value> ? Value : never

test.each([
  ['any', graphs, 15],
  ['a dense', denseGraphs, 5],
])(
  'a walk finds in %s graph what trying every path finds, in the same order',
  { timeout: 300_000 },
  (_, shapes, numRuns) =>
    fc.assert(
      fc.asyncProperty(shapes, fc.array(walks, { minLength: 6, maxLength: 6 }), async (graph, asked) => {
        await draw(graph)
        await Promise.all(asked.map(walk => compare(graph, walk)))
      }),
      { numRuns: runs(numRuns) },
    ),
)

async function compare(graph: ModelGraph, { start, relationship_types, min_strength, ...asked }: Asked) {
  const answer = await service.client.relatedMemories({
    id: ids[start] as string,
    ...asked,
    ...(relationship_types ? { relationship_types } : {}),
    ...(min_strength === undefined ? {} : { min_strength }),
  })
  const all = walksFrom(start, asked.depth, graph, {
    direction: asked.direction,
    types: relationship_types,
    minStrength: min_strength,
    held: heldAt[asked.valid_at],
    walkable: at => (graph.archived.includes(at) ? asked.include_archived : !graph.expired.includes(at)),
  })
  const expected = bestOfEach(all).slice(0, asked.limit)
  expect(
    answer.related.map(({ memory, depth, path_score }) => [ids.indexOf(memory.id), depth, path_score]),
  ).toEqual(expected.map(({ places, edges, score }) => [places.at(-1), edges.length, score]))
  expect(answer.truncated).toBe(false)
  for (const item of answer.related) expect(all.some(walk => endsWith(walk, item))).toBe(true)
}

/** Of the walks to each memory the strongest, of those the shortest; strongest first, then nearest, then by id. */
function bestOfEach(all: readonly Walk[]): Walk[] {
  const order = (a: Walk, b: Walk) => b.score - a.score || a.edges.length - b.edges.length
  const best = Map.groupBy(all.toSorted(order), ({ places }) => places.at(-1))
  return [...best.values()]
    .map(([first]) => first as Walk)
    .sort((a, b) => order(a, b) || (a.places.at(-1) ?? 0) - (b.places.at(-1) ?? 0))
}

/** Whether the walk ends with the connection that the answer names, with that depth and score. */
function endsWith(walk: Walk, item: Output<'relatedMemories'>['related'][number]): boolean {
  const edge = walk.edges.at(-1)
  const { connection, depth, path_score, memory } = item
  return (
    walk.edges.length === depth &&
    walk.score === path_score &&
    ids[walk.places.at(-1) as number] === memory.id &&
    ids[edge?.from as number] === connection.source_id &&
    ids[edge?.to as number] === connection.target_id &&
    edge?.type === connection.relationship_type &&
    edge.strength === connection.strength
  )
}
