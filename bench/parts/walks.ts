import neo4j from 'neo4j-driver'
import { relatedWithin } from '../contestants/raw-best.ts'
import { askOf, readable } from '../contestants/service.ts'
import { run } from '../graph.ts'
import { call as callOver } from '../http.ts'
import type { Findings, Options } from '../report.ts'
import { interleave, type Operation } from '../rounds.ts'
import { KEY, sizes, type World } from '../world.ts'

const WALKS = [
  { depth: 1, limit: 20 },
  { depth: 3, limit: 20 },
  { depth: 5, limit: 20 },
  { depth: 5, limit: 100 },
]
const CALLS = { 1: 40, 16: 192 } as const

/** `related` at several depths; paths and subgraphs, which have no plain form that answers the same. */
export async function measureWalks(
  world: World,
  { rounds = sizes[world.size].rounds }: Options,
): Promise<Findings> {
  const operations = await interleave(
    [
      ...WALKS.flatMap(walk => ([1, 16] as const).map(callers => related(world, walk, callers))),
      ...aroundMemories(world),
    ],
    { rounds, warmUp: sizes[world.size].warmUp, say: world.say },
  )
  return { operations, flags: `--rounds ${rounds}` }
}

function related(
  { corpus, driver, service }: World,
  { depth, limit }: (typeof WALKS)[number],
  callers: keyof typeof CALLS,
): Operation {
  const tenant = `${corpus.name}-big`
  const ask = askOf(service.url)
  const query = `depth=${depth}&limit=${limit}`
  return {
    name: `related, depth ${depth}, limit ${limit}`,
    callers,
    calls: CALLS[callers],
    contestants: {
      service: call => ask(tenant, 'GET', `/memories/${readable(corpus, call)}/related?${query}`),
      'raw-best': call =>
        run(
          driver,
          relatedWithin(depth),
          { tenant, id: readable(corpus, call), limit: neo4j.int(limit) },
          'READ',
        ),
    },
  }
}

function aroundMemories({ corpus, service }: World): Operation[] {
  const tenant = `${corpus.name}-big`
  const ask = askOf(service.url)
  const start = (call: number) => readable(corpus, call)
  const one = (name: string, run: (call: number) => Promise<unknown>): Operation => ({
    name,
    callers: 1,
    calls: CALLS[1],
    contestants: { service: run },
  })
  return [
    one('path, depth 5', call =>
      ask(tenant, 'GET', `/graph/path?source_id=${start(call)}&target_id=${start(call + 1)}`),
    ),
    one('subgraph (GraphQL), depth 2, limit 100', async call => {
      const headers = { authorization: `Bearer ${KEY}`, 'x-tenant-id': tenant }
      const body = { query: SUBGRAPH, variables: { ids: [start(call)] } }
      const answer = await callOver(`${service.url}/graphql`, { method: 'POST', headers, body })
      const { errors } = answer.body as { errors?: { message: string }[] }
      if (errors) throw new Error(errors.map(({ message }) => message).join('; '))
    }),
  ]
}

const SUBGRAPH = `query ($ids: [ID!]!) {
  subgraph(ids: $ids, depth: 2, limit: 100) { nodes { depth memory { id content } } edges { strength } truncated }
}`
