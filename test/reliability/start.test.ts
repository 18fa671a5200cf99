import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { freePort } from '../../src/platform/neo4j/ports.ts'
import { connectDriver } from '../../src/store/neo4j/driver.ts'
import { acquireLease } from '../../src/store/neo4j/lease.ts'
import { migrate, readMigrations, requireVersion, SchemaError } from '../../src/store/neo4j/schema.ts'
import { startEmbeddingEndpoint } from '../../tools/embedding-endpoint.ts'
import { startBoltProxy } from '../support/bolt-proxy.ts'
import { spawnService } from '../support/child-service.ts'
import { emptyDatabase, returnDatabase } from '../support/own-database.ts'
import { DIMENSIONS, endpointSettings, OPERATOR_KEY, someMemory, startService } from '../support/service.ts'

const resources = new AsyncDisposableStack()
const neo4j = resources.use(connectDriver(inject('neo4j')))
const caller = () => ({ app: { neo4j }, signal: AbortSignal.timeout(60_000) })
afterAll(async () => {
  await resources.disposeAsync()
  await returnDatabase()
})

test('a service that starts before its database lives, is not ready, and serves once the database answers', async () => {
  await using proxy = await startBoltProxy(inject('neo4j').uri)
  await proxy.refuse()
  await using child = await startBehind(proxy.uri)
  await expect.poll(() => statusOf(`${child.base}/health`)).toBe(200)
  expect(await statusOf(`${child.base}/ready`)).toBe(503)
  expect(await statusOf(`${child.base}/openapi.json`)).toBe(200)
  const refused = await fetch(`${child.base}/api/v1/memories`)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('2')
  expect(await refused.json()).toMatchObject({ code: 'database_unavailable', status: 503 })

  await proxy.accept()
  await expect.poll(() => statusOf(`${child.base}/ready`)).toBe(200)
  const client = createClient({ baseUrl: `${child.base}/api/v1`, apiKey: OPERATOR_KEY, tenant: 'late' })
  expect(await client.createMemory(someMemory())).toMatchObject({ version: 1 })
  child.signal('SIGTERM')
  expect(await child.ended).toBe(0)
})

test('a service that is stopped while it waits for its database ends at once and well', async () => {
  await using proxy = await startBoltProxy(inject('neo4j').uri)
  await proxy.refuse()
  await using child = await startBehind(proxy.uri)
  await expect.poll(() => child.said()).toContain('Waiting for Neo4j')
  child.signal('SIGTERM')
  expect(await child.ended).toBe(0)
})

test('the program starts in production, and stops in good order', async () => {
  await using child = await startBehind(inject('neo4j').uri, {
    NODE_ENV: 'production',
    SERVICE_SERVER_API_KEY: OPERATOR_KEY.padEnd(32, '-'),
  })
  await expect.poll(() => statusOf(`${child.base}/ready`)).toBe(200)
  await child.address()
  child.signal('SIGTERM')
  expect(await child.ended).toBe(0)
})

/** Writes at the end which packages a program read. */
const listsPackages = `
  import { registerHooks } from 'node:module'
  const read = new Set()
  registerHooks({
    load(url, context, next) {
      read.add(/node_modules\\/((@[^/]+\\/)?[^/]+)/.exec(url)?.[1])
      return next(url, context)
    },
  })
  process.once('exit', () => console.log('read:', [...read].join(' ')))`

test('a service in production that is asked by REST alone bears no library of GraphQL or MCP', async () => {
  await using child = await startBehind(inject('neo4j').uri, {
    NODE_ENV: 'production',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(listsPackages)}`,
    SERVICE_SERVER_API_KEY: OPERATOR_KEY.padEnd(32, '-'),
  })
  await child.address()
  const headers = { authorization: `Bearer ${OPERATOR_KEY.padEnd(32, '-')}`, 'x-tenant-id': 'plain' }
  expect(await statusOf(`${child.base}/api/v1/memories`, { headers })).toBe(200)
  child.signal('SIGTERM')
  await child.ended
  const read = /read: (.+)/.exec(child.said())?.[1]?.split(' ') ?? []
  expect(read).toContain('neo4j-driver')
  expect(read.filter(name => /graphql|apollo|modelcontextprotocol/.test(name))).toEqual([])
})

test('a port that is taken is reported before a database is looked for', async () => {
  await using taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  await using child = await startBehind('bolt://127.0.0.1:1', { SERVICE_PORT: String(port) })
  expect(await child.ended).toBe(78)
  expect(child.said()).toContain(`SERVICE_PORT: 127.0.0.1:${port} is taken`)
  expect(child.said()).not.toMatch(/Waiting for Neo4j|^ +at /m)
})

test('a database that Neo4j does not have is reported by its setting', async () => {
  await using child = await startBehind(inject('neo4j').uri, { NEO4J_DATABASE: 'nope' })
  expect(await child.ended).toBe(78)
  expect(child.said()).toContain('Neo4j has no database nope: correct NEO4J_DATABASE')
  expect(child.said()).not.toMatch(/^ +at /m)
})

test('a migration that was changed after it had been applied is refused by name', async () => {
  const migrations = await readMigrations()
  await migrate(caller(), migrations)
  const changed = migrations.map((migration, at) =>
    at === 1 ? { ...migration, checksum: 'other' } : migration,
  )
  const refusal = migrate(caller(), changed)
  await expect(refusal).rejects.toThrow(SchemaError)
  await expect(refusal).rejects.toThrow('0002-connections was changed')
})

test('a database that a newer version has migrated is refused by name', async () => {
  const migrations = await readMigrations()
  const last = migrations.at(-1)?.name as string
  await migrate(caller(), migrations)
  await expect(migrate(caller(), migrations.slice(0, -1))).rejects.toThrow(
    `newer version of the service (${last}`,
  )
})

test.for([
  ['2026.02.0', true],
  ['2026.08.1', true],
  ['2027.01.0', true],
  ['5.27-aura', true],
  ['2026.01.4', false],
  ['2025.12.1', false],
  ['5.26.4', false],
  ['unknown', false],
] as const)('Neo4j %s is taken: %s', ([version, taken]) => {
  if (taken) expect(requireVersion(version)).toBe(version)
  else expect(() => requireVersion(version)).toThrow(`This is Neo4j ${version}; version 2026.02 or newer`)
})

test('an index of somebody else that has failed keeps no service from starting or being ready', async () => {
  // An index that is made or dropped takes from a database all plans of all who share it.
  const database = await emptyDatabase()
  await using own = connectDriver(database)
  const { driver } = own
  const name = `foreign_${randomUUID().replaceAll('-', '')}`
  const run = (text: string, parameters = {}) => driver.executeQuery(text, parameters)
  await run(`CREATE (:Foreign {${name}: $text})`, { text: 'x'.repeat(40_000) })
  await run(`CREATE INDEX ${name} FOR (f:Foreign) ON (f.${name})`)
  try {
    const stateOf = async () =>
      (await run(`SHOW INDEXES YIELD name, state WHERE name = '${name}'`)).records[0]?.get('state')
    await expect.poll(stateOf).toBe('FAILED')
    await using service = await startService({ database })
    expect(await service.client.getReadiness()).toMatchObject({ checks: { indexes: { status: 'up' } } })
  } finally {
    await run(`DROP INDEX ${name}`)
    await run(`MATCH (f:Foreign) WHERE f.${name} IS NOT NULL DELETE f`)
  }
})

test('one process at a time holds a lease', async () => {
  const name = `lease ${randomUUID()}`
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      await using _lease = await acquireLease(caller(), name)
      most = Math.max(most, ++inside)
      await neo4j.driver.executeQuery('RETURN 1')
      inside--
    }),
  )
  expect(most).toBe(1)
})

const statusOf = (url: string, init: RequestInit = {}) =>
  fetch(url, init).then(
    ({ status }) => status,
    () => 0,
  )

async function startBehind(uri: string, settings: Record<string, string> = {}) {
  const port = await freePort()
  const embeddings = resources.use(await startEmbeddingEndpoint({ dimensions: DIMENSIONS }))
  const child = spawnService({
    SERVICE_PORT: String(port),
    SERVICE_ROLE: 'api',
    NEO4J_URI: uri,
    NEO4J_PASSWORD: inject('neo4j').password,
    ...endpointSettings(embeddings.url),
    ...settings,
  })
  return { ...child, base: `http://127.0.0.1:${port}` }
}
