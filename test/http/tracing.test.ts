import { expect, test } from 'vitest'
import { startModelEndpoint } from '../../tools/model-endpoint.ts'
import { workAgain } from '../chat-model/model-work.ts'
import { type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts'
import { freshTenant, startService, type TestService } from '../support/service.ts'
import { startReceiver } from '../webhooks/receiver.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'
const CONTENT = 'The heron waits by the water'

/** Runs `work` with a service that sends traces, and answers the spans of `TRACE`, or all. */
async function traced(settings: Record<string, string>, work: (service: TestService) => Promise<void>) {
  await using receiver = await startOtlpReceiver()
  {
    await using service = await startService({
      settings: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...settings },
    })
    await work(service)
  }
  return receiver.spans
}

const create = (service: TestService, tenant: string, traceparent?: string) =>
  service.request('/memories', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-tenant-id': tenant,
      ...(traceparent && { traceparent }),
    },
    body: JSON.stringify({ content: CONTENT, policy: 'long_term', ttl_seconds: 0 }),
  })

test('a trace goes from the request through its statements and the provider to the job that it queued', async () => {
  const tenant = freshTenant()
  const spans = await traced({ OTEL_SERVICE_NAME: 'memory-of-the-tests' }, async service => {
    expect((await create(service, tenant, `00-${TRACE}-${CALLER}-01`)).status).toBe(201)
    await service.drain(tenant)
  })
  const mine = spans.filter(({ trace }) => trace === TRACE)
  const [request] = named(mine, 'POST /memories')
  expect(request).toMatchObject({
    service: 'memory-of-the-tests',
    parent: CALLER,
    failed: false,
    attributes: { 'mnemograph.operation': 'createMemory', 'mnemograph.tenant': tenant },
  })
  const within = (name: string, parent?: ReceivedSpan) =>
    named(mine, name).filter(span => span.parent === parent?.id)
  expect(within('embed', request)).toHaveLength(1)
  const [job] = within('job discover', request)
  expect(job?.attributes['mnemograph.tenant']).toBe(tenant)
  const written = named(mine, 'neo4j write').map(span => String(span.attributes['db.query.text']))
  expect(written.some(text => text.includes('CREATE (m:Memory {'))).toBe(true)
  expect(within('neo4j read', job).length).toBeGreaterThan(0)
  expect(JSON.stringify(mine)).not.toContain(CONTENT)
})

test('of the traces that the service begins it records the part that is set, and a caller decides for its own', async () => {
  const tenant = freshTenant()
  const spans = await traced({ OTEL_TRACES_SAMPLER_ARG: '0' }, async service => {
    await create(service, tenant)
    await create(service, tenant, `00-${TRACE}-${CALLER}-00`)
    await create(service, tenant, `00-${TRACE}-${CALLER}-01`)
    await create(service, tenant, 'no traceparent')
  })
  expect(named(spans, 'POST /memories').map(({ parent }) => parent)).toEqual([CALLER])
})

test('a call to the chat model is part of the trace of its job, without what was said', async () => {
  const tenant = freshTenant()
  await using model = await startModelEndpoint(() => ({ facts: [] }))
  const settings = { SERVICE_MODEL: 'model-of-the-tests', SERVICE_MODEL_BASE_URL: model.url }
  const spans = await traced(settings, async service => {
    await service.clientOf(tenant).addTurns({
      session_id: 'a-walk',
      turns: [{ speaker: 'Ada', text: CONTENT, time: '2026-11-20T09:15:30Z' }],
    })
    await workAgain(service, tenant)
  })
  const [job] = named(spans, 'job extract')
  const asked = named(spans, 'chat model')
  expect(asked).toMatchObject([
    {
      parent: job?.id,
      attributes: { 'mnemograph.model': 'model-of-the-tests', 'mnemograph.prompt': 'extract' },
    },
  ])
  expect(JSON.stringify(spans)).not.toContain(CONTENT)
})

test('a request that fails is marked, and work of the service alone leaves no spans of statements', async () => {
  const spans = await traced({}, async service => {
    service.embeddings.fail({ status: 503 })
    const search = { query: 'a heron', search_type: 'semantic' }
    const answer = await service.request('/memories/search', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(search),
    })
    expect(answer.status).toBe(503)
    await service.worker.revive()
  })
  expect(named(spans, 'POST /memories/search')).toMatchObject([{ failed: true }])
  expect(named(spans, 'embed')).toMatchObject([{ failed: true }])
  const ids = new Set(spans.map(({ id }) => id))
  expect(spans.filter(({ name, parent }) => name.startsWith('neo4j') && !ids.has(parent))).toEqual([])
})

test('calls to the reranking model and to webhooks have spans, and those that fail are marked', async () => {
  const tenant = freshTenant()
  await using receiver = await startReceiver()
  receiver.answerWith(500)
  const settings = {
    SERVICE_RERANK_URL: 'http://127.0.0.1:9/rerank',
    SERVICE_WEBHOOK_NETWORKS: '127.0.0.0/8',
  }
  const spans = await traced(settings, async service => {
    const client = service.clientOf(tenant)
    await client.createWebhook({ url: receiver.url })
    expect((await create(service, tenant, `00-${TRACE}-${CALLER}-01`)).status).toBe(201)
    await client.searchMemories({ query: 'heron', search_type: 'keyword', rerank: true })
    await service.webhooks.runOnceOf(tenant)
  })
  expect(named(spans, 'rerank')).toMatchObject([{ failed: true }])
  expect(named(spans, 'webhook delivery')).toMatchObject([
    { failed: true, attributes: { 'mnemograph.tenant': tenant } },
  ])
  expect(JSON.stringify(spans)).not.toContain(receiver.url)
})

test('a collector that is down changes nothing for callers', async () => {
  const tenant = freshTenant()
  await using service = await startService({
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
  })
  expect((await create(service, tenant)).status).toBe(201)
})

const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter(span => span.name === name)
