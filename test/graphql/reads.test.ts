import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Memory } from '../../src/contract/memory.ts'
import { ask } from '../support/graphql.ts'
import { canvas, graphs, type ModelGraph } from '../support/random-graph.ts'
import { withService } from '../support/service.ts'

const service = withService()
let draw: (graph: ModelGraph) => Promise<void>
beforeAll(async () => {
  ;({ draw } = await canvas(service))
  await service.cypher(
    'MATCH (m:Memory {tenant: $tenant}) SET m.importance = toInteger(right(m.content, 1)) / 10.0',
    { tenant: service.tenant },
  )
})

const numbers = fc.uniqueArray(fc.nat(7), { minLength: 3, maxLength: 8 })
const walks = fc.record({ least: fc.nat(6), second: numbers, third: numbers, includeArchived: fc.boolean() })
type Asked = typeof walks extends fc.Arbitrary<infer Value> ? Value : never

test(
  'a query from a search along causes to what they support equals what REST gives step by step',
  {
    timeout: 120_000,
  },
  () =>
    fc.assert(
      fc.asyncProperty(graphs, walks, async (graph, walk) => {
        await draw(graph)
        expect(await byGraphql(walk)).toEqual(await byRest(walk))
      }),
      { numRuns: 15 },
    ),
)

async function byGraphql({ least, second, third, includeArchived }: Asked) {
  const { searchMemories } = await ask(
    service,
    `query ($archived: Boolean!, $least: Float, $second: MemoryWhere, $third: [String!]) @includeArchived(if: $archived) {
      searchMemories(query: "memory", searchType: KEYWORD, minImportance: $least, limit: 8) {
        results {
          score
          memory {
            content
            causedBy(where: $second, limit: 8) {
              content
              supports(where: { content: { in: $third } }, limit: 8) { content state }
              related: connections(direction: BOTH, types: [RELATED_TO], minStrength: 0.5) {
                connection { strength }
                memory { id }
              }
            }
          }
        }
      }
    }`,
    {
      variables: {
        archived: includeArchived,
        least: least / 10,
        second: { content: { in: second.map(contentOf) } },
        third: third.map(contentOf),
      },
    },
  )
  return searchMemories.results.map(
    ({ score, memory }: { score: number; memory: { content: string; causedBy: Step[] } }) => ({
      score,
      content: memory.content,
      causedBy: memory.causedBy
        .map(({ content, supports, related }) => ({
          content,
          supports: supports.toSorted(byContent),
          related: related.map(each => `${each.memory.id} ${each.connection.strength}`).toSorted(),
        }))
        .sort(byContent),
    }),
  )
}

type Step = {
  content: string
  supports: { content: string; state: string }[]
  related: { connection: { strength: number | null }; memory: { id: string } }[]
}

async function byRest({ least, second, third, includeArchived }: Asked) {
  const { results } = await service.client.searchMemories({
    query: 'memory',
    search_type: 'keyword',
    min_importance: least / 10,
    limit: 8,
  })
  return Promise.all(
    results.map(async ({ score, memory }) => {
      const causes = await neighbours(memory.id, 'caused_by', second, includeArchived)
      const causedBy = await Promise.all(
        causes.map(async ({ id, content }) => {
          const supports = await neighbours(id, 'supports', third, includeArchived)
          return {
            content,
            supports: supports
              .map(each => ({ content: each.content, state: each.state.toUpperCase() }))
              .sort(byContent),
            related: await edges(id, includeArchived),
          }
        }),
      )
      return { score, content: memory.content, causedBy: causedBy.sort(byContent) }
    }),
  )
}

async function neighbours(
  id: string,
  type: 'caused_by' | 'supports',
  among: number[],
  include_archived: boolean,
): Promise<Memory[]> {
  const { related } = await service.client.relatedMemories({
    id,
    relationship_types: [type],
    include_archived,
    valid_at: 'any',
    limit: 100,
  })
  return related.map(({ memory }) => memory).filter(({ content }) => among.map(contentOf).includes(content))
}

/** Each connection with the memory at its other end, where REST would walk to it. */
async function edges(id: string, include_archived: boolean): Promise<string[]> {
  const ways = await Promise.all(
    (['out', 'in'] as const).map(direction =>
      service.client.relatedMemories({
        id,
        direction,
        relationship_types: ['related_to'],
        min_strength: 0.5,
        include_archived,
        valid_at: 'any',
        limit: 100,
      }),
    ),
  )
  return ways
    .flatMap(({ related }) => related.map(({ memory, connection }) => `${memory.id} ${connection.strength}`))
    .sort()
}

const contentOf = (number: number) => `memory ${number}`
const byContent = (a: { content: string }, b: { content: string }) => (a.content < b.content ? -1 : 1)
