import { setTimeout as pause } from 'node:timers/promises'
import type { ChildService } from '../support/child-service.ts'
import { OPERATOR_KEY, someMemory } from '../support/service.ts'
import { chaosClient, startLoad } from './clients.ts'
import { startPair } from './cluster/pair.ts'
import { drained, moreAcked, type Run, type Scenario, startRunService } from './run.ts'

const DELAY_MS = 50
const ENOUGH = 20

/** A cluster of two members, one of which is always a little behind; and a leader that is lost in the middle of writes. */
export const cluster: Scenario = {
  expected: ['reads of the member that is behind', 'stale without a bookmark', 'changes of the leader'],
  async run(run) {
    await using pair = await startPair(run.database, DELAY_MS)
    const settings = { NEO4J_URI: pair.uri, SERVICE_WARM_UP: 'off' }
    await using writing = await startRunService(run, settings)
    await staleReads(run, writing, settings)
    run.count('reads of the member that is behind', pair.reads())

    const tenant = run.tenant('a')
    const clients = Array.from({ length: 4 }, () =>
      chaosClient({ ...run, tenant, baseUrl: () => writing.baseUrl }),
    )
    const finish = startLoad(clients, run.random, 40)
    const changes = run.times(2, 10)
    try {
      // An even number, as the checker reads the database that led first.
      for (let at = 0; at < changes || at % 2 === 1; at++) {
        await moreAcked(run, ENOUGH)
        run.history.note({ at: 'fault', fault: 'another leader' })
        const began = performance.now()
        await pair.changeLeader()
        run.took('without a leader', performance.now() - began)
        run.count('changes of the leader')
      }
      await moreAcked(run, ENOUGH)
    } finally {
      await finish()
    }
    await drained(run, [tenant])
  },
}

/** One process writes, and another reads: with the bookmark of the write it sees the write, each time. */
async function staleReads(run: Run, writing: ChildService, settings: Record<string, string>) {
  await using reading = await startRunService(run, { ...settings, SERVICE_ROLE: 'api' })
  const tenant = run.tenant('read')
  const ask = async (service: ChildService, path: string, init: RequestInit = {}, bookmark = '') => {
    const headers = {
      authorization: `Bearer ${OPERATOR_KEY}`,
      'x-tenant-id': tenant,
      'content-type': 'application/json',
      ...(bookmark && { 'mnemograph-bookmark': bookmark }),
    }
    const response = await fetch(`${service.baseUrl}${path}`, { ...init, headers })
    if (!response.ok)
      throw new Error(`${path}: ${response.status} ${await response.text()} ${service.said()}`)
    const body = (await response.json()) as { id: string; content: string }
    return { ...body, bookmark: response.headers.get('mnemograph-bookmark') ?? '' }
  }
  const body = (content: string) => JSON.stringify({ content })
  const made = await ask(writing, '/memories', { method: 'POST', body: JSON.stringify(someMemory()) })
  const path = `/memories/${made.id}`
  await ask(reading, `${path}?record_recall=false`, {}, made.bookmark)
  for (let round = 0; round < run.times(50, 1000); round++) {
    const content = `version ${round}`
    const { bookmark } = await ask(writing, path, { method: 'PATCH', body: body(content) })
    const get = (service: ChildService, sent?: string) =>
      ask(service, `${path}?record_recall=false`, {}, sent)
    const [bare, own] = await Promise.all([get(reading), get(writing)])
    if (bare.content !== content) run.count('stale without a bookmark')
    if (own.content !== content) run.fail(`The process does not see its own write in round ${round}`)
    const seen = await get(reading, bookmark)
    if (seen.content !== content) run.fail(`A read with a bookmark is stale in round ${round}`)
    run.count('rounds of a write and its reads')
    await pause(run.random() * DELAY_MS)
  }
}
