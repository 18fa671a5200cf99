import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

const prefix = 'mnemograph_'
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15]

/** What the whole store has, read when somebody asks for the metrics. */
export type StoreFigures = {
  jobs: readonly { kind: string; state: string; count: number; oldest: number | null }[]
  waitingPlans: number
  tenants: number
  feedLag: number
}

export type Metrics = ReturnType<typeof createMetrics>

/** What a process counts and measures, for Prometheus. Each is recorded where the work is done. */
export function createMetrics() {
  const register = new Registry()
  const registers = [register]
  const histogram = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Histogram({ name: `${prefix}${name}`, help, labelNames, buckets: SECONDS, registers })
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `${prefix}${name}`, help, labelNames, registers })
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `${prefix}${name}`, help, labelNames, registers })
  const store = {
    jobs: gauge(
      'queue_jobs',
      'Jobs of all tenants by kind and state. At most 10,000 are counted in each state.',
      ['kind', 'state'],
    ),
    oldest: gauge('queue_oldest_seconds', 'Age of the oldest job that is not done.', ['kind', 'state']),
    waitingPlans: gauge('maintenance_waiting_plans', 'Maintenance plans that wait for a person.', []),
    tenants: gauge('tenants', 'Tenants that have memories.', []),
    feedLag: gauge('feed_lag_seconds', 'Age of the oldest change that no feed has numbered yet.', []),
    up: gauge('database_up', '1 if the database answered when the metrics were read, else 0.', []),
  }
  let hasDefaults = false
  return {
    requests: histogram('request_seconds', 'Seconds of a request until its answer was sent.', [
      'operation',
      'status',
    ]),
    searches: counter('searches_total', 'Searches by type.', ['type', 'degraded']),
    statements: histogram('statement_seconds', 'Seconds of a transaction in Neo4j, with its retries.', [
      'mode',
      'outcome',
    ]),
    transactions: gauge(
      'pool_transactions',
      'Transactions that hold one of the 100 connections to Neo4j, and those that wait until they may.',
      ['state'],
    ),
    jobs: counter('jobs_total', 'Attempts at a queued job by outcome.', ['kind', 'outcome']),
    deliveries: counter('webhook_deliveries_total', 'Attempts to deliver a change to a webhook by outcome.', [
      'outcome',
    ]),
    embeddings: histogram('embedding_seconds', 'Seconds of a call to the embedding provider.', [
      'kind',
      'outcome',
    ]),
    recallsDeferred: counter('recalls_deferred_total', 'Recalls that were not recorded at once.', []),
    recallsDropped: counter('recalls_dropped_total', 'Recalls that were given up.', []),
    modelCalls: histogram('model_seconds', 'Seconds of a call to the chat model.', ['kind', 'outcome']),
    modelTokens: counter('model_tokens_total', 'Tokens of the chat model that calls have used.', ['kind']),
    /** The text for Prometheus. Without figures the database did not answer. */
    async print(figures: StoreFigures | undefined): Promise<string> {
      // Only a process whose metrics are read pays for watching itself.
      if (!hasDefaults) collectDefaultMetrics({ register })
      hasDefaults = true
      store.up.set(figures ? 1 : 0)
      if (figures) setStore(store, figures)
      return register.metrics()
    },
    contentType: register.contentType,
    names: () => register.getMetricsAsArray().map(({ name }) => name),
  }
}

type StoreGauges = Record<'jobs' | 'oldest' | 'waitingPlans' | 'tenants' | 'feedLag', Gauge>

function setStore(gauges: StoreGauges, { jobs, waitingPlans, tenants, feedLag }: StoreFigures) {
  gauges.jobs.reset()
  gauges.oldest.reset()
  for (const { kind, state, count, oldest } of jobs) {
    gauges.jobs.set({ kind, state }, count)
    if (oldest !== null) gauges.oldest.set({ kind, state }, oldest)
  }
  gauges.waitingPlans.set(waitingPlans)
  gauges.tenants.set(tenants)
  gauges.feedLag.set(feedLag)
}
