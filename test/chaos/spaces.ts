import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient } from '../../src/client.ts'
import type { ChildService } from '../support/child-service.ts'
import { OPERATOR_KEY } from '../support/service.ts'
import { chaosClient } from './clients.ts'
import { MODEL_CHANGES } from './history.ts'
import { drained, MODEL, type Run, type Scenario, startRunService, startRunWorker, until } from './run.ts'

const NEXT = { SERVICE_EMBEDDING_MODEL: 'next-model', SERVICE_EMBEDDING_DIMENSIONS: '48' }
const LENGTHS: Record<string, number> = { [MODEL]: 64, 'next-model': 48 }

/** So long the provider takes for a batch while the space is filled: a worker is killed between two batches. */
const FILLING_MS = 1_000

/**
 * The embedding model is changed while memories are written and searched: the new space is filled by a worker that is
 * killed on the way, then it is switched to, and back. Two replicas answer throughout, one with the old settings and
 * one with the new.
 */
export const spaces: Scenario = {
  expected: [
    'kills while the space was filled',
    'switches',
    'searches in the old model',
    'searches in the new model',
  ],
  async run(run) {
    const tenant = run.tenant('a')
    await using stack = new AsyncDisposableStack()
    const old = stack.use(await startRunService(run, { SERVICE_ROLE: 'api' }))
    await writtenBefore(run, tenant, old)
    const next = stack.use(await startRunService(run, { ...NEXT, SERVICE_ROLE: 'api' }))
    const load = startSearches(run, tenant, [old, next])
    const operator = createClient({ baseUrl: next.baseUrl, apiKey: OPERATOR_KEY, tenant })
    try {
      await change(run, tenant, operator)
    } finally {
      await load.finish()
    }
    stack.use(await startRunWorker(run))
    await drained(run, [tenant])
  },
}

/** The worker ends with it: nobody but those that are killed fills the new space. */
async function writtenBefore(run: Run, tenant: string, { baseUrl }: ChildService) {
  await using _worker = await startRunWorker(run)
  const writer = chaosClient({ ...run, tenant, baseUrl: () => baseUrl })
  for (let at = 0; at < (run.tier === 'full' ? 200 : 60); at++) await writer.deeds.batch()
  await drained(run, [tenant])
}

async function change(run: Run, tenant: string, operator: Client) {
  const state = async () => {
    const { active, spaces: all } = await operator.listEmbeddingSpaces()
    return { active, next: all.find(({ model }) => model === 'next-model') as (typeof all)[number] }
  }
  const before = await state()
  run.count('memories to fill', before.next.missing)
  const resumed = await fillWithKills(run, before.next.missing, async () => (await state()).next.ready)
  run.count('filled by those that were killed', resumed)
  await using _worker = await startRunWorker(run, NEXT)
  await until('the new space is full', async () => (await state()).next.missing === 0, 120_000)
  const { overlap } = await operator.compareEmbeddingSpaces({ id: before.next.id, sample: 50, nearest: 5 })
  if (overlap === null) throw new Error('The two spaces could not be compared')
  run.history.note({ at: 'fault', fault: MODEL_CHANGES })
  await discoveredUntilNow(run, tenant)
  await operator.switchEmbeddingSpace({ id: before.next.id })
  run.history.note({ at: 'fault', fault: 'switched to the new model' })
  run.count('switches')
  await pause(5_000)
  await drained(run, [tenant])
  await operator.switchEmbeddingSpace({ id: before.active })
  run.history.note({ at: 'fault', fault: 'rolled back' })
  run.count('switches')
  await pause(4_000)
}

/** Waits until all that has been written so far is connected by the old model. */
async function discoveredUntilNow({ database }: Run, tenant: string) {
  const [now] = await database.query<{ at: number }>('RETURN timestamp() AS at')
  const open = `MATCH (m:Memory) WHERE m.tenant = $tenant AND m.createdAt.epochMillis <= $at
    AND m.discoveredRevision IS NULL RETURN count(m) AS n`
  const isEmpty = async () => (await database.query<{ n: number }>(open, { tenant, ...now }))[0]?.n === 0
  await until('what was written is connected', isEmpty, 60_000)
}

/** Kills the filling worker when it has made some headway. Answers how much was there at the last kill. */
async function fillWithKills(run: Run, all: number, ready: () => Promise<number>): Promise<number> {
  const kills = run.tier === 'full' ? 3 : 1
  let there = await ready()
  for (let kill = 1; kill <= kills; kill++) {
    const enough = there + 1
    run.embeddings.setDelay(FILLING_MS)
    await using worker = await startRunWorker(run, NEXT)
    await until('the filling gets on', async () => (await ready()) >= enough, 60_000)
    await worker.kill()
    there = await ready()
    run.history.note({ at: 'fault', fault: `worker killed with ${there} of ${all} filled` })
    if (there < all) run.count('kills while the space was filled')
  }
  run.embeddings.setDelay(0)
  return there
}

/** Searches and writes at both replicas, again and again, until they are to finish. */
function startSearches(run: Run, tenant: string, replicas: readonly ChildService[]) {
  const stop = new AbortController()
  const loops = replicas.map(async ({ baseUrl }) => {
    const client = createClient({ baseUrl, apiKey: OPERATOR_KEY, tenant })
    const writer = chaosClient({ ...run, tenant, baseUrl: () => baseUrl })
    while (!stop.signal.aborted) {
      await search(run, tenant, client)
      if (run.random() < 0.2) await writer.deeds.create()
      await pause(30)
    }
  })
  return {
    async finish() {
      stop.abort()
      await Promise.all(loops)
    },
  }
}

async function search({ history, random, count, took }: Run, tenant: string, client: Client) {
  const query = `theme${Math.floor(random() * 20)} question ${Math.floor(random() * 1000)}`
  const began = performance.now()
  try {
    const { results, query: read } = await client.searchMemories({
      query,
      search_type: 'semantic',
      explain: true,
    })
    const hits = results.map(({ memory: { content, embedding }, score }) => ({
      content,
      score,
      model: embedding.model ?? '',
      dimensions: LENGTHS[embedding.model ?? ''] ?? 0,
    }))
    history.note({ at: 'search', tenant, texts: read?.semantic?.texts ?? [query], hits })
    count(hits[0]?.model === MODEL ? 'searches in the old model' : 'searches in the new model')
  } catch (error) {
    history.note({ at: 'search', tenant, texts: [query], hits: null, reason: String(error) })
  }
  took('a search', performance.now() - began)
}
