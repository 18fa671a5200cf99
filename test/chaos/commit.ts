import { startBoltProxy } from '../support/bolt-proxy.ts'
import { chaosClient, type Deed } from './clients.ts'
import { drained, type Scenario, startRunService, until } from './run.ts'

/** Which deed commits by which statement. */
const commits: readonly [Deed, string][] = [
  ['create', 'CREATE (m:Memory {'],
  ['batch', 'CREATE (m:Memory {'],
  ['keyed', 'MERGE (i:IdempotentRequest'],
  ['keyed', 'CREATE (m:Memory {'],
  ['keyed', 'i.answer = CASE'],
  ['patch', 'SET m += row.set'],
  ['archive', 'SET m += row.set'],
  ['restore', 'SET m += row.set'],
  ['connect', 'RETURN count(*) AS locked'],
  ['remove', 'DETACH DELETE m'],
  ['key', 'MERGE (k:ApiKey {id: $id})'],
  ['create', 'm.revision = row.revision'],
  ['create', 'SET m.discoveredRevision = row.revision'],
]

/** Jobs whose claim went unanswered rest until their lease ends: only in the full tier is there time for that. */
const claim: (typeof commits)[number] = ['create', "SET j.state = 'running', j.owner"]

const STATEMENT_MS = 20_000

/** The line to the database is cut after a commit and before its answer, for one statement after another. */
export const commit: Scenario = {
  expected: ['lines cut after the commit', 'writes acknowledged all the same'],
  async run(run) {
    const { tier, times, history, random, tenant } = run
    const chosen = tier === 'full' ? [...commits, claim] : commits
    const cuts = times(20, 200)
    const name = tenant('a')
    await using proxy = await startBoltProxy(run.database.uri)
    await using child = await startRunService(run, {
      NEO4J_URI: proxy.uri,
      SERVICE_EMBEDDING_WRITE_WAIT_MS: '0',
    })
    const client = chaosClient({ history, tenant: name, random, baseUrl: () => child.baseUrl })
    for (let at = 0; at < 6; at++) await client.deeds.batch()
    const uncut = new Set(chosen)
    for (let turn = 0; proxy.cuts() < cuts || (uncut.size > 0 && turn < 4 * cuts); turn++) {
      if (turn > 4 * cuts) throw new Error(`Only ${proxy.cuts()} of ${cuts} lines were cut`)
      const from = proxy.cuts() < cuts ? chosen : [...uncut]
      const pair = from[turn % from.length] as (typeof commits)[number]
      const [deed, at] = pair
      const cut = `cut: ${deed}, ${at}`
      // One that is never cut stays at zero, which fails the run.
      run.count(cut, 0)
      const before = proxy.cuts()
      proxy.set({ kind: 'lose', what: 'answer', at })
      const verdict = await client.deeds[deed]()
      // The worker's own statements come a little later.
      if (verdict) await until('the cut', async () => proxy.cuts() > before, STATEMENT_MS).catch(() => {})
      proxy.set({ kind: 'pass' })
      if (proxy.cuts() === before) continue
      history.note({ at: 'fault', fault: `answer lost: ${at}` })
      run.count(cut)
      uncut.delete(pair)
      if (verdict === 'acked') run.count('writes acknowledged all the same')
    }
    await drained(run, [name])
    run.count('lines cut after the commit', proxy.cuts())
  },
}
