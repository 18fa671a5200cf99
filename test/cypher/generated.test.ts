import neo4j from 'neo4j-driver'
import { afterAll, expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { seededRandom } from '../../tools/seeded-random.ts'
import { emptyDatabase, returnDatabase } from '../support/own-database.ts'
import { remember } from '../support/seed.ts'
import { OPERATOR_KEY, startService } from '../support/service.ts'
import { generate } from './generated.ts'

/** MNEMOGRAPH_TEST_QUERIES=10000 runs as many. */
const queries = Number(process.env.MNEMOGRAPH_TEST_QUERIES ?? 75)
const seed = Number(process.env.MNEMOGRAPH_TEST_SEED ?? 45)

afterAll(returnDatabase)

async function fill(baseUrl: string, tenant: string, mark: string, random: () => number) {
  const client = createClient({ baseUrl, apiKey: OPERATOR_KEY, tenant })
  const memories = await remember(
    client,
    Array.from({ length: 10 }, (_, at) => ({
      content: `${mark}${at}`,
      importance: Math.floor(random() * 5) / 4,
      kind: random() < 0.5 ? 'a' : 'b',
      tags: ['x', 'y'].filter(() => random() < 0.5),
    })),
  )
  const connections = Array.from({ length: 18 }, (_, at) => ({
    source_id: memories[at % 10]?.id as string,
    target_id: memories[(at * 3 + 1 + Math.floor(random() * 2)) % 10]?.id as string,
    relationship_type: random() < 0.5 ? ('supports' as const) : ('caused_by' as const),
  })).filter(({ source_id, target_id }) => source_id !== target_id)
  await client.createConnections({ connections })
  return client
}

test(`a tenant among others gets from ${queries} generated queries what it would get alone (seed ${seed})`, {
  timeout: 3_600_000,
}, async () => {
  const database = await emptyDatabase()
  await using service = await startService({ database })
  const random = seededRandom(seed)
  const client = await fill(service.baseUrl, 'alone', 'm', random)
  const generated = Array.from({ length: queries }, () => generate(random))
  const alone = await answersOfNeo4j(
    database,
    generated.map(({ plain }) => plain),
  )
  for (const other of ['b', 'c']) await fill(service.baseUrl, `other-${other}`, `m${other}`, random)
  let refused = 0
  for (const [at, { query }] of generated.entries()) {
    const answer = await client.runCypher({ query }).catch(error => {
      if (error.problem?.code !== 'cypher_not_allowed') throw new Error(query, { cause: error })
      refused++
    })
    if (answer) expect(sorted(answer.rows), query).toEqual(sorted(alone[at] ?? []))
  }
  expect(refused).toBeLessThan(queries / 10)
})

async function answersOfNeo4j(
  { uri, username, password }: Awaited<ReturnType<typeof emptyDatabase>>,
  texts: readonly string[],
) {
  await using driver = neo4j.driver(uri, neo4j.auth.basic(username, password), {
    disableLosslessIntegers: true,
  })
  const answers: Record<string, unknown>[][] = []
  for (const text of texts) {
    const { records } = await driver.executeQuery(`CYPHER 25 ${text}`)
    answers.push(records.map(record => record.toObject()))
  }
  return answers
}

const sorted = (rows: readonly object[]) => rows.map(row => JSON.stringify(row)).sort()
