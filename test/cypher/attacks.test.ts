import { expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, OPERATOR_KEY, problemOf, withService } from '../support/service.ts'
import { attacks } from './attacks.ts'

const service = withService()
const SECRET = 'a canary of the other tenant'

/** A neighbour with the same shape of graph: whatever one sees too much, shows its words. */
test('what is there: two tenants alike', async () => {
  for (const tenant of [service.tenant, freshTenant()]) {
    const client =
      tenant === service.tenant
        ? service.client
        : createClient({ baseUrl: service.baseUrl, apiKey: OPERATOR_KEY, tenant })
    const memories = await remember(client, [
      { content: tenant === service.tenant ? 'mine' : SECRET, tags: ['a'], source: 'canary', importance: 1 },
      { content: tenant === service.tenant ? 'mine too' : `${SECRET} too`, importance: 0.5 },
    ])
    await client.createConnection({
      source_id: memories[0]?.id as string,
      target_id: memories[1]?.id as string,
      relationship_type: 'supports',
    })
    await client.getMemory({ id: memories[0]?.id as string })
  }
})

const sees = (answer: unknown) => JSON.stringify(answer).includes('canary of')

test.each(attacks.map(query => [query]))('%s', async query => {
  const call = service.client.runCypher({ query, parameters: { map: { tenant: 'x' }, name: 'Job' } })
  const answer = await call.catch(async () => {
    const problem = await problemOf(call)
    expect([problem.status, problem.code]).toEqual([
      422,
      expect.stringMatching(/^cypher_|^validation_failed$/),
    ])
    return problem
  })
  expect(sees(answer)).toBe(false)
})

test('nothing was written, and only the tenant’s own was counted', async () => {
  const { rows } = await service.client.runCypher({
    query: 'MATCH (m) RETURN count(m) AS memories, count { (m)-->() } AS n',
  })
  expect(rows.length).toBeGreaterThan(0)
  const [left] = await service.cypher<{ n: number }>(
    'MATCH (n) WHERE n.hacked IS NOT NULL OR n:Hacked RETURN count(n) AS n',
  )
  expect(left?.n).toBe(0)
})
