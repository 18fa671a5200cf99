import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/platform/metrics.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, OPERATOR_KEY, someMemory, withService } from '../support/service.ts'

const METRICS_KEY = 'a-key-for-the-metrics'
const service = withService({ settings: { SERVICE_METRICS_KEY: METRICS_KEY } })

const metrics = async (key: string) => {
  const response = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, text: await response.text() }
}

test('each metric is recorded where its work is done', async () => {
  const { tenant, client } = service.newTenant()
  await remember(client, ['a cat', 'a kitten'])
  await client.searchMemories({ query: 'cat', search_type: 'hybrid' })
  await service.drain(tenant)
  await client.createWebhook({ url: 'https://hooks.invalid/' })
  await remember(client, ['a change'])
  await service.webhooks.runOnceOf(tenant)
  await remember(service.clientOf(freshTenant()), ['a job that nobody does'])
  const { text } = await metrics(METRICS_KEY)
  // No chat model is set here.
  const recorded = createMetrics()
    .names()
    .filter(name => !name.startsWith('mnemograph_model_'))
  for (const name of recorded) expect(text).toMatch(new RegExp(`^${name}(_count)?(\\{.*\\})? \\d`, 'm'))
  expect(text).toMatch(/^mnemograph_request_seconds_count\{operation="createMemories",status="201"\} 3$/m)
  expect(text).toMatch(/^mnemograph_searches_total\{type="hybrid",degraded="false"\} 1$/m)
  expect(text).toMatch(/^mnemograph_jobs_total\{kind="discover",outcome="done"\} 2$/m)
  expect(text).toMatch(/^mnemograph_embedding_seconds_count\{kind="document",outcome="ok"\} [1-9]/m)
  expect(text).toMatch(/^mnemograph_statement_seconds_count\{mode="write",outcome="ok"\} [1-9]/m)
  expect(text).toMatch(/^mnemograph_webhook_deliveries_total\{outcome="retried"\} 1$/m)
  expect(text).toMatch(/^mnemograph_pool_transactions\{state="waiting"\} \d+$/m)
  expect(text).toMatch(/^mnemograph_database_up 1$/m)
  expect(text).toMatch(/^process_resident_memory_bytes \d/m)
  expect(text).not.toContain(tenant)
})

test('the statements of creates, of the worker and of recalls are measured too', async () => {
  const { tenant, client } = service.newTenant()
  const countOf = async (mode: string) => {
    const { text } = await metrics(METRICS_KEY)
    return Number(
      new RegExp(`statement_seconds_count\\{mode="${mode}",outcome="ok"\\} (\\d+)`).exec(text)?.[1] ?? 0,
    )
  }
  const writesOf = async (work: () => Promise<unknown>) => {
    const before = await countOf('write')
    await work()
    return (await countOf('write')) - before
  }
  expect(
    await writesOf(() => client.createMemory(someMemory({ content: 'a measured cat' }))),
  ).toBeGreaterThan(0)
  expect(await writesOf(() => service.drain(tenant))).toBeGreaterThan(1)
  const before = await countOf('write')
  await client.searchMemories({ query: 'measured', search_type: 'keyword', record_recall: true })
  await expect.poll(() => countOf('write')).toBeGreaterThan(before)
})

test('a provider that fails is counted', async () => {
  service.embeddings.fail({ status: 503 })
  await service.clientOf(freshTenant()).searchMemories({ query: 'an outage', search_type: 'hybrid' })
  service.embeddings.recover()
  const { text } = await metrics(OPERATOR_KEY)
  expect(text).toMatch(/^mnemograph_embedding_seconds_count\{kind="query",outcome="unavailable"\} [1-9]/m)
  expect(text).toMatch(/^mnemograph_searches_total\{type="hybrid",degraded="true"\} 1$/m)
})

test('only the operator and the key for it read the metrics, and that key reads nothing else', async () => {
  const { key } = await service.client.createKey({ scopes: ['read', 'write', 'admin'] })
  expect((await metrics('wrong')).status).toBe(401)
  expect((await metrics(key)).status).toBe(403)
  expect((await fetch(`${service.url}/metrics`)).status).toBe(401)
  const stats = await fetch(`${service.url}/api/v1/stats`, {
    headers: { authorization: `Bearer ${METRICS_KEY}` },
  })
  expect(stats.status).toBe(401)
})

test.each(['ops/prometheus/alerts.yml', 'ops/grafana/dashboard.json'])(
  '%s names metrics that exist, and all of them are watched somewhere',
  file => {
    const known = createMetrics().names()
    const named = [...readFileSync(file, 'utf8').matchAll(/mnemograph_\w+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    )
    expect(named.filter(name => !known.includes(name))).toEqual([])
    if (file.endsWith('.json')) expect(known.filter(name => !named.includes(name))).toEqual([])
  },
)
