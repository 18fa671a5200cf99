import neo4j, { type Driver } from 'neo4j-driver'
import { afterAll, expect, test } from 'vitest'
import { type Client, createClient } from '../../src/client.ts'
import { seededRandom } from '../../tools/seeded-random.ts'
import { emptyDatabase, returnDatabase } from '../support/own-database.ts'
import { seedOfRun } from '../support/runs.ts'
import { remember } from '../support/seed.ts'
import { OPERATOR_KEY, startService } from '../support/service.ts'
import { type Generated, generate } from './generated.ts'

/** MNEMOGRAPH_TEST_QUERIES=10000 runs as many. */
const queries = Number(process.env.MNEMOGRAPH_TEST_QUERIES ?? 75)

afterAll(returnDatabase)

/** The planner begins at other places in each of these, above all where a tenant is a small part of the database. */
const stores = [
  { store: 'few memories', memories: 6, connections: 8, others: 2 },
  { store: 'many memories and few connections', memories: 30, connections: 4, others: 1 },
  { store: 'few memories and many connections', memories: 8, connections: 40, others: 1 },
  { store: 'a small part of the database', memories: 6, connections: 8, others: 12 },
]

type Random = () => number
type Shape = (typeof stores)[number]

async function fill(client: Client, mark: string, { memories: count, connections }: Shape, random: Random) {
  const memories = await remember(
    client,
    Array.from({ length: count }, (_, at) => ({
      content: `${mark}${at}`,
      importance: Math.floor(random() * 5) / 4,
      kind: random() < 0.5 ? 'a' : 'b',
      tags: ['x', 'y'].filter(() => random() < 0.5),
    })),
  )
  const pairs = Array.from({ length: connections }, (_, at) => ({
    source_id: memories[Math.floor(random() * count)]?.id as string,
    target_id: memories[Math.floor(random() * count)]?.id as string,
    relationship_type: at % 2 === 0 ? ('supports' as const) : ('caused_by' as const),
  })).filter(({ source_id, target_id }) => source_id !== target_id)
  await client.createConnections({ connections: pairs })
}

test.each(stores)(
  `a tenant among others gets from generated queries what it would get alone, or a refusal: $store (seed ${seedOfRun})`,
  {
    timeout: 3 * 3_600_000,
  },
  async shape => {
    const database = await emptyDatabase()
    await using service = await startService({ database })
    await using driver = neo4j.driver(database.uri, neo4j.auth.basic(database.username, database.password), {
      disableLosslessIntegers: true,
    })
    const random = seededRandom(seedOfRun + stores.indexOf(shape))
    const clientOf = (tenant: string) =>
      createClient({ baseUrl: service.baseUrl, apiKey: OPERATOR_KEY, tenant })
    await fill(clientOf('alone'), 'm', shape, random)
    const generated = Array.from({ length: Math.ceil(queries / stores.length) }, () => generate(random))
    const alone = await all(generated, ({ plain }) => ofNeo4j(driver, plain))
    for (let other = 0; other < shape.others; other++)
      await fill(clientOf(`other-${other}`), `foreign${other}-`, shape, random)
    const client = clientOf('alone')
    const answers = await all(generated, ({ query }) => ofService(client, query))
    const counts = { alike: 0, refused: 0, failed: 0 }
    for (const [at, answer] of answers.entries()) {
      const { query } = generated[at] as Generated
      expect(JSON.stringify(answer), query).not.toContain('foreign')
      counts[sameOr(answer, alone[at], query)]++
    }
    expect(counts.alike, JSON.stringify(counts)).toBeGreaterThan(generated.length / 5)
  },
)

type Answer = { rows: readonly unknown[] } | { refused: string } | { failed: string }

/** Where Neo4j itself cannot run a query, and the service can, no rows of others are in the answer: that is all there is to say. */
function sameOr(answer: Answer | undefined, alone: Answer | undefined, query: string) {
  if (!answer || !alone || 'refused' in answer) return 'refused'
  if ('failed' in answer || !('rows' in alone)) return 'failed'
  expect(sorted(answer.rows), query).toEqual(sorted(alone.rows))
  return 'alike'
}

async function ofService(client: Client, query: string): Promise<Answer> {
  try {
    const { rows, truncated } = await client.runCypher({ query })
    return truncated ? { refused: 'truncated' } : { rows }
  } catch (error) {
    const { problem } = error as { problem?: { code: string; detail: string } }
    if (problem?.code === 'cypher_not_allowed') return { refused: problem.detail }
    if (problem?.code === 'cypher_failed') return { failed: problem.detail }
    throw new Error(query, { cause: error })
  }
}

async function ofNeo4j(driver: Driver, text: string): Promise<Answer> {
  try {
    const { records } = await driver.executeQuery(
      `CYPHER 25 ${text}`,
      {},
      { transactionConfig: { timeout: 10_000 } },
    )
    return { rows: records.map(record => record.toObject()) }
  } catch (error) {
    return { failed: String(error) }
  }
}

async function all<T>(values: readonly Generated[], answer: (value: Generated) => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  for (let at = 0; at < values.length; at += 2)
    answers.push(...(await Promise.all(values.slice(at, at + 2).map(answer))))
  return answers
}

/** The order of rows, and of lists that were collected, is not told. */
const sorted = (rows: readonly unknown[]) => rows.map(ordered).sort()

function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).sort().join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, each]) => `${name}:${ordered(each)}`)
    .join(',')}}`
}
