import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { beforeAll, expect, inject, test } from 'vitest'
import { folderOf, mnemograph } from '../support/cli.ts'
import { endpointSettings, withService } from '../support/service.ts'

const service = withService()
let settings: Record<string, string>
beforeAll(async () => {
  const { uri, username, password } = inject('neo4j')
  settings = {
    NEO4J_URI: uri,
    NEO4J_USERNAME: username,
    NEO4J_PASSWORD: password,
    ...endpointSettings(service.embeddings.url),
  }
})

type Finding = { check: string; status: string; message: string; remedy?: string }

async function doctor(env: Record<string, string> = {}, words: string[] = ['--url', service.url]) {
  const { code, out } = await mnemograph(['doctor', '--json', ...words], { env: { ...settings, ...env } })
  const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: Finding[] }
  const of = (check: string) => findings.filter(each => each.check === check)
  return { code, ok, findings, of }
}

test('where all is well every check says so', async () => {
  const { code, ok, findings, of } = await doctor()
  expect({ code, ok }).toEqual({ code: 0, ok: true })
  expect(findings.filter(({ status }) => status === 'failure')).toEqual([])
  for (const check of ['settings', 'neo4j', 'migrations', 'indexes', 'embeddings', 'clock', 'server'])
    expect(of(check)[0], check).toMatchObject({ status: 'ok' })
  for (const check of ['memory', 'queue', 'keys', 'disk']) expect(of(check).length, check).toBeGreaterThan(0)
})

test('with Neo4j and the service down it looks at what is left, and says what is down', async () => {
  const { code, of } = await doctor({ NEO4J_URI: 'bolt://127.0.0.1:1' }, ['--url', 'http://127.0.0.1:9'])
  expect(code).toBe(1)
  expect(of('neo4j')).toMatchObject([{ status: 'failure', remedy: expect.stringContaining('NEO4J_URI') }])
  for (const check of ['migrations', 'memory', 'queue', 'clock'])
    expect(of(check)).toMatchObject([{ status: 'skipped' }])
  expect(of('embeddings')).toMatchObject([{ status: 'ok' }])
  expect(of('server')).toMatchObject([
    { status: 'failure', message: expect.stringContaining('cannot be reached') },
  ])
})

test('a Neo4j that takes the connection and does not answer is reported as that, and delays nothing', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const { code, of } = await doctor({ NEO4J_URI: `bolt://127.0.0.1:${port}` })
  silent.close()
  expect(code).toBe(1)
  expect(of('neo4j')).toMatchObject([{ message: expect.stringContaining('is taken and not answered') }])
})

test('a managed Neo4j that has ended is reported as that', async () => {
  const SERVICE_DATA_DIR = folderOf({ 'neo4j/state.json': '{"port": 1, "password": "x"}' })
  const { of } = await doctor({ NEO4J_URI: '', SERVICE_DATA_DIR })
  expect(of('neo4j')).toMatchObject([
    { message: expect.stringContaining('does not run'), remedy: expect.stringContaining('mnemograph start') },
  ])
})

test.each([
  ['a refused key', { status: 401 } as const, 'refuses the credential', 'OPENAI_API_KEY'],
  ['a vector of another length', 'short' as const, '63 dimensions, not 64', 'SERVICE_EMBEDDING_DIMENSIONS'],
  ['no answer', 'down' as const, 'cannot be reached', 'OPENAI_BASE_URL'],
])('%s of the embedding provider is a failure', async (_, fault, says, remedy) => {
  service.embeddings.fail(fault)
  const { code, of } = await doctor()
  service.embeddings.recover()
  expect(code).toBe(1)
  expect(of('embeddings')).toMatchObject([
    { status: 'failure', message: expect.stringContaining(says), remedy: expect.stringContaining(remedy) },
  ])
})

test('pauses, failed work and expired keys are warnings, and do not fail', async () => {
  const { client, tenant } = service
  await client.pauseQueue({ until: new Date(Date.now() + 600_000).toISOString() })
  const kind = `k-${randomUUID()}`
  await service.cypher(
    `CREATE (:Job {id: $kind, kind: $kind, tenant: $tenant, state: 'failed', lastError: 'too hot', createdAt: datetime.realtime('Z'), runAt: datetime.realtime('Z')})`,
    { kind, tenant },
  )
  await service.cypher(
    `CREATE (:ApiKey {id: $kind, tenant: $tenant, scopes: ['read'], createdAt: datetime.realtime('Z'), expiresAt: datetime.realtime('Z') - duration('P1D')})`,
    { kind, tenant },
  )
  const { code, of } = await doctor()
  expect(code).toBe(0)
  const warnings = [...of('queue'), ...of('keys')].filter(({ message }) => message.includes(tenant))
  expect(warnings).toMatchObject([
    { status: 'warning', remedy: `mnemograph jobs resume --tenant ${tenant}` },
    {
      status: 'warning',
      message: expect.stringContaining('too hot'),
      remedy: expect.stringContaining(`--kind ${kind}`),
    },
    { status: 'warning', remedy: expect.stringContaining(`keys revoke ${kind}`) },
  ])
  await service.cypher('MATCH (n:Job|ApiKey {id: $kind}) DELETE n', { kind })
  await client.resumeQueue()
})

test('settings that a start would refuse are failures, each, and the rest is looked at', async () => {
  const { code, of } = await doctor({ NODE_ENV: 'production', SERVICE_PROT: '4545' })
  expect(code).toBe(1)
  expect(of('settings')).toMatchObject([
    { message: 'SERVICE_PROT is not a setting: check its spelling or unset it' },
  ])
  expect(of('keys').filter(({ status }) => status === 'failure')).toMatchObject([
    { message: 'SERVICE_SERVER_API_KEY is required in production' },
  ])
  expect(of('neo4j')).toMatchObject([{ status: 'ok' }])
  const unusable = await mnemograph(['doctor'], { env: { SERVICE_PORT: 'many' } })
  expect(unusable.code).toBe(1)
  expect(unusable.out).toMatch(/^failure +settings +SERVICE_PORT: must be a whole number\n +→ /)
})
