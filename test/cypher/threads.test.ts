import { expect, test } from 'vitest'
import type { Address } from '../../src/service/cypher/thread.ts'
import { CypherThreads } from '../../src/service/cypher/threads.ts'
import { contextOf } from '../support/lifecycle.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()
const address = {
  uri: 'bolt://127.0.0.1',
  username: 'neo4j',
  password: '',
  database: 'neo4j',
  readsLeader: false,
}

test.each<[what: string, address: Address]>([
  ['has an error as it begins', { ...address, uri: 'unknown://127.0.0.1' }],
  ['cannot be made', { ...address, uri: (() => {}) as never }],
])('a thread that %s is a problem with a reason in the log, and takes no permit', async (_, wrong) => {
  await using threads = new CypherThreads(service.app.neo4j, wrong)
  const errors: object[] = []
  const log = { ...service.app.log, error: (fields: object) => void errors.push(fields) }
  const ctx = { ...contextOf(service, freshTenant()), log: log as never }
  const query = { query: 'RETURN 1 AS one', parameters: {}, tenant: ctx.tenant, explain: false }
  // More than a tenant may have at once: each would wait for a permit that was kept.
  for (let asked = 0; asked < 6; asked++)
    await expect(threads.run(ctx, query)).rejects.toMatchObject({
      code: 'database_unavailable',
      message: 'The service cannot start a thread for this query now. The request may be repeated.',
    })
  expect(errors).toEqual(
    Array.from({ length: 6 }, () => ({ error: expect.stringMatching(/unknown|cloned/i) })),
  )
})
