/**
 * What GraphQL costs: a filtered query over three hops next to the same in Cypher over Bolt, in interleaved rounds, and
 * how long it takes to refuse each query of the attack corpus. `npm run bench:graphql`.
 */
import { deepStrictEqual } from 'node:assert'
import { attacks } from '../tools/graphql-attacks.ts'
import { circumstances, revision } from '../tools/run-conditions.ts'
import { run } from './graph.ts'
import { call } from './http.ts'
import { interleave, percentiles } from './rounds.ts'
import { KEY, sizes, startWorld, type World } from './world.ts'

const ROUNDS = 7
const REFUSALS = 20

const query = `query Hops($tag: String!, $least: Float!) {
  memories(where: { tags: { includes: $tag }, importance: { gte: $least } }, sort: [{ createdAt: DESC }], limit: 5) {
    content
    relatedTo(where: { importance: { gte: $least } }, limit: 5) {
      content
      causedBy(where: { importance: { gte: $least } }, limit: 5) {
        content
        supports(where: { importance: { gte: $least } }, limit: 5) {
          content
        }
      }
    }
  }
}`

/** With the tenant of a neighbour as a value Neo4j would look for it among all memories of the tenant. */
const shown = (m: string, tenant = '$tenant') =>
  `${m}.tenant = ${tenant} AND ${m}.state = 'active' AND ${m}.liveUntil > timestamp() AND ${m}.importance >= $least`

/** As one writes it who knows the indexes: the page comes in order from the one by creation. */
const cypher = `CYPHER 25
  MATCH (m:Memory) WHERE ${shown('m')} AND m.createdAt >= datetime({epochMillis: 0, timezone: 'Z'}) AND m.id IS NOT NULL AND $tag IN m.tags
  WITH m ORDER BY m.tenant DESC, m.state DESC, m.createdAt DESC, m.id DESC LIMIT 5
  RETURN m.content AS content, COLLECT {
    MATCH (m)-[:RELATED_TO]->(a:Memory) WHERE ${shown('a', 'm.tenant')}
    RETURN {content: a.content, causedBy: COLLECT {
      MATCH (a)-[:CAUSED_BY]->(b:Memory) WHERE ${shown('b', 'a.tenant')}
      RETURN {content: b.content, supports: COLLECT {
        MATCH (b)-[:SUPPORTS]->(c:Memory) WHERE ${shown('c', 'b.tenant')} RETURN {content: c.content} LIMIT 5
      }} LIMIT 5
    }} LIMIT 5
  } AS relatedTo`

async function measureHops({ size, driver, service, corpus }: World) {
  const { tenant } = corpus.memory(99)
  const variables = (at: number) => ({ tag: `tag${at % 20}`, least: 0.2 })
  const contestants = {
    service: (at: number) => ask(service.url, tenant, query, variables(at)),
    raw: (at: number) => run(driver, cypher, { tenant, ...variables(at) }, 'READ'),
  }
  const hops = await checkSame(contestants)
  const turns = { rounds: ROUNDS, warmUp: sizes[size].warmUp, say }
  say(`three hops, ${hops} memories in the answers of 20 calls`)
  await interleave([{ name: 'three hops', callers: 1, calls: 100, contestants }], turns)
  await interleave([{ name: 'three hops', callers: 8, calls: 200, contestants }], turns)
}

type Tree = { content: string; [relation: string]: unknown }

/** What takes turns must answer the same. */
async function checkSame({
  service,
  raw,
}: Record<'service' | 'raw', (at: number) => Promise<unknown>>): Promise<number> {
  let count = 0
  for (let at = 0; at < 20; at++) {
    const [byGraphql, byCypher] = await Promise.all([service(at), raw(at)])
    deepStrictEqual(sorted(byGraphql as Tree[]), sorted(byCypher as Tree[]))
    count += JSON.stringify(byCypher).split('"content"').length - 1
  }
  return count
}

const sorted = (trees: readonly Tree[]): Tree[] =>
  trees
    .map(tree =>
      Object.fromEntries(
        Object.entries(tree).map(([name, value]) => [name, Array.isArray(value) ? sorted(value) : value]),
      ),
    )
    .sort((a, b) => (String(a.content) < String(b.content) ? -1 : 1)) as Tree[]

async function ask(url: string, tenant: string, text: string, variables: object): Promise<unknown> {
  const { body } = await send(url, tenant, { query: text, variables })
  const { data, errors } = body as { data?: { memories: unknown }; errors?: unknown }
  if (errors) throw new Error(JSON.stringify(errors))
  return data?.memories
}

const send = (url: string, tenant: string, body: object) =>
  call(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'x-tenant-id': tenant },
    body,
  })

async function measureRefusals({ service }: World) {
  const rows: { name: string; p50: number; worst: number }[] = []
  for (const [name, text] of Object.entries(attacks)) {
    const times: number[] = []
    for (let at = 0; at < REFUSALS; at++) {
      const asked = performance.now()
      const { body } = await send(service.url, 'default', { query: text })
      times.push(performance.now() - asked)
      if (!(body as { errors?: unknown }).errors) throw new Error(`${name} was not refused`)
    }
    rows.push({ name, p50: percentiles(times).p50, worst: Math.max(...times) })
  }
  for (const { name, p50, worst } of rows.toSorted((a, b) => b.p50 - a.p50))
    say(`${p50.toFixed(1).padStart(7)} ms, ${worst.toFixed(1).padStart(7)} ms at worst: ${name}`)
}

for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(1))
const began = revision()
const say = (line: string) => process.stdout.write(`${line}\n`)
await using world = await startWorld('small', say)
await measureHops(world)
await measureRefusals(world)
say(JSON.stringify(circumstances(began)))
