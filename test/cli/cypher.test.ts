import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, inject, test } from 'vitest'
import { RefusedQueryError } from '../../src/cli/cypher/guard.ts'
import { parameterOf, type Query, runReadOnly } from '../../src/cli/cypher/run.ts'
import { mnemograph, startMnemograph } from '../support/cli.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()
const database = inject('neo4j')
const { uri, username, password } = database
const env = { NEO4J_URI: uri, NEO4J_USERNAME: username, NEO4J_PASSWORD: password }
beforeAll(async () => {
  const [first, second] = await Promise.all(
    ['A "cat"\nsleeps', 'A dog'].map(content =>
      service.client.createMemory(someMemory({ content, tags: ['pet'] })),
    ),
  )
  if (first && second)
    await service.client.createConnection({ source_id: first.id, target_id: second.id, strength: 1 })
})

const ask = (asked: string, query: Partial<Query> = {}) =>
  runReadOnly(database, {
    text: asked,
    parameters: { tenant: service.tenant },
    most: 10,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    ...query,
  })

test('the place of a fault is that in the query', async () => {
  const error = await ask('MATCH (m)\nRETURN m.content AND').catch(({ message }: Error) => message)
  expect(error).toContain('(line 2, column 21 (offset: 30))')
  expect(error).not.toContain('EXPLAIN')
})

test.each([
  ['MATCH (m:Memory {tenant: $tenant}) SET m.content = ""', 'writes'],
  ['CREATE (:Memory)', 'writes'],
  ['MATCH (m) CALL (m) { DETACH DELETE m } IN TRANSACTIONS', 'writes'],
  ['CALL db.createLabel("X")', 'writes'],
  ['LOAD CSV FROM "file:///etc/passwd" AS row RETURN row', 'LOAD CSV'],
  [
    'RETURN EXISTS { CALL () { LOAD CSV FROM "http://127.0.0.1:1/" AS row RETURN row } RETURN 1 } AS x',
    'LOAD CSV',
  ],
  ['SHOW TRANSACTIONS', 'SHOW TRANSACTIONS'],
  ['TERMINATE TRANSACTIONS "neo4j-transaction-1"', 'TERMINATE TRANSACTIONS'],
  ['SHOW SETTINGS', 'SHOW SETTINGS'],
  ['SHOW USERS', 'of the server'],
  ['SHOW DATABASES', 'SHOW DATABASES'],
  ['CREATE USER eve SET PASSWORD "abcdefgh"', 'of the server'],
  ['ALTER CURRENT USER SET PASSWORD FROM "x" TO "abcdefgh"', 'of the server'],
  ['DROP INDEX memory_by_created', 'of the server'],
  ['CREATE INDEX x FOR (m:Memory) ON (m.x)', 'of the server'],
  ['CALL dbms.listConfig()', 'dbms.listConfig'],
  ['CALL db.awaitIndexes(1)', 'db.awaitIndexes'],
  [
    'RETURN COLLECT { CALL dbms.listConnections() YIELD connectionId RETURN connectionId } AS x',
    'dbms.listConnections',
  ],
])('%s is refused, with words', async (text, words) => {
  const error = await ask(text).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(RefusedQueryError)
  expect((error as Error).message).toContain(words)
})

test.each([
  'MATCH (m:Memory) RETURN m; CREATE (:X)',
  'PROFILE CREATE (:X)',
  'CYPHER 5 EXPLAIN CREATE (:X) //',
])('%s finds no way around', async text => {
  await expect(ask(text)).rejects.toThrow()
  expect(await service.cypher('MATCH (x:X) RETURN x')).toEqual([])
})

test('what only reads is answered, with parameters, and no more of it than was asked for', async () => {
  const found = await ask('UNWIND range(1, $n) AS n RETURN n, $text AS text', {
    parameters: { n: parameterOf('50'), text: parameterOf('plain') },
  })
  expect(found.columns).toEqual(['n', 'text'])
  expect(found.rows.slice(0, 2)).toEqual([
    [1, 'plain'],
    [2, 'plain'],
  ])
  expect([found.rows.length, found.more]).toEqual([10, true])
  const { rows } = await ask(
    'CYPHER 25 MATCH p = (a:Memory {tenant: $tenant})-[r]->(b) RETURN p, a.createdAt AS at, 9007199254740993 AS big',
  )
  expect(rows).toEqual([
    [
      [
        {
          labels: ['Memory'],
          properties: expect.objectContaining({ content: 'A "cat"\nsleeps', version: 1 }),
        },
        { type: 'RELATED_TO', properties: expect.objectContaining({ strength: 1 }) },
        { labels: ['Memory'], properties: expect.objectContaining({ content: 'A dog' }) },
      ],
      expect.stringMatching(/^\d{4}-.*Z$/),
      '9007199254740993',
    ],
  ])
  expect((await ask('CALL db.labels()')).rows.flat()).toContain('Memory')
  expect((await ask('SHOW INDEXES YIELD name WHERE name = "memory_text" RETURN name')).rows).toEqual([
    ['memory_text'],
  ])
})

test('a query that takes too long is ended', async () => {
  const endless = 'UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(a + b)'
  await expect(ask(endless, { timeoutMs: 300 })).rejects.toMatchObject({
    code: expect.stringContaining('TransactionTimedOut'),
  })
})

test('Ctrl-C ends a query at once, here and in the database', async () => {
  const query = 'UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(a * b) AS interrupted'
  const running = () =>
    service.cypher('SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery = $query RETURN 1', { query })
  const child = startMnemograph(['cypher', query, '--timeout', '600'], { env })
  await expect.poll(running).toHaveLength(1)
  child.kill('SIGINT')
  const [said, end] = await Promise.all([text(child.stderr!), once(child, 'close')])
  expect([said, end]).toEqual(['Interrupted.\n', [130, null]])
  await expect.poll(running).toEqual([])
})

test('Ctrl-C ends the wait for a query that is still being typed', async () => {
  const child = startMnemograph(['cypher'], { env, input: '' })
  // More than a pipe holds: when all of it is taken, the command is reading.
  await new Promise(taken => child.stdin!.write('// a long beginning\n'.repeat(100_000), taken))
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([130, null])
})

test('the command shows a table or JSON, takes a query from standard input, and exits with a code for the outcome', async () => {
  const run = (words: string[], input?: string) =>
    mnemograph(['cypher', ...words], { env, ...(input === undefined ? {} : { input }) })
  const query =
    'MATCH (m:Memory {tenant: $tenant}) RETURN m.content AS content, m.tags AS tags, null AS gone ORDER BY content'
  const table = await run([query, '--tenant', service.tenant])
  expect(table).toMatchObject({ code: 0, err: '' })
  expect(table.out).toBe(
    'content         tags     gone\nA "cat" sleeps  ["pet"]  –\nA dog           ["pet"]  –\n',
  )
  const json = await run(['--json', '--limit', '1', '--param', `tenant=${service.tenant}`], `${query};\n`)
  expect(JSON.parse(json.out)).toEqual([{ content: 'A "cat"\nsleeps', tags: ['pet'], gone: null }])
  expect(json.err).toBe('These are the first 1 rows; --limit shows more.\n')
  const refused = await run(['CREATE (:X)'])
  expect(refused).toEqual({ code: 77, out: '', err: 'This only reads, and the query writes.\n' })
  expect(await run(['MATCH (m RETURN m'])).toMatchObject({ code: 65, out: '' })
  const nowhere = await mnemograph(['cypher', 'RETURN 1'], { env: { NEO4J_URI: 'bolt://127.0.0.1:1' } })
  expect(nowhere).toMatchObject({
    code: 69,
    out: '',
    err: expect.stringContaining('Neo4j cannot be reached'),
  })
})

test('with a key the command asks the service, and sees the graph of its tenant alone', async () => {
  const { key } = await service.client.createKey({ name: 'analyst', scopes: ['read', 'cypher'] })
  const run = (...words: string[]) => mnemograph(['cypher', '--url', service.url, '--api-key', key, ...words])
  const query = 'MATCH (m:Memory) WHERE m.content ENDS WITH $end RETURN m.content AS content'
  expect(await run(query, '--param', 'end=dog')).toEqual({ code: 0, out: 'content\nA dog\n', err: '' })
  const all = await run('--json', '--limit', '1', 'MATCH (m) RETURN m.id AS id')
  expect([JSON.parse(all.out).length, all.err]).toEqual([
    1,
    'These are the first 1 rows; --limit shows more.\n',
  ])
  expect(await run('CREATE (:X)')).toMatchObject({ code: 1, out: '' })
  expect(await run('RETURN 1', '--timeout', '5')).toMatchObject({ code: 64, out: '' })
})

test('the command shows how other programs connect', async () => {
  const { code, out } = await mnemograph(['cypher', '--connection', '--json'], { env })
  expect([code, JSON.parse(out)]).toEqual([0, { uri, username, password, database: 'neo4j' }])
  const { out: table } = await mnemograph(['cypher', '--connection'], { env })
  for (const value of [uri, username, password]) expect(table).toContain(value)
})
