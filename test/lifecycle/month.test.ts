import { expect, test } from 'vitest'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { age, contextOf } from '../support/lifecycle.ts'
import { ask } from '../support/mcp.ts'
import { idOf } from '../support/seed.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'

const service = withService()
const DAYS = 30
/** Of the memories of each kind. */
const COUNT = { usedShort: 20, unusedShort: 30, usedLong: 50, unusedLong: 100 } as const
type Kind = keyof typeof COUNT

test('a month of an agent: what it uses stays, and the rest fades as the table says', {
  timeout: 300_000,
}, async () => {
  const { tenant, client } = service.newTenant()
  const call = async (name: string, args: object) => {
    const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'x-tenant-id': tenant }
    const { result } = await ask(service, 'tools/call', { name, arguments: args }, headers)
    expect(result?.isError).toBeFalsy()
    return result?.structuredContent as never
  }
  const ids = {} as Record<Kind, string[]>
  for (const [kind, count] of Object.entries(COUNT) as [Kind, number][]) {
    const memories = Array.from({ length: count }, (_, at) => ({
      content: `${kind} word${kind}${at}`,
      tags: [kind],
      ...(kind.endsWith('Short') ? { policy: 'short_term' } : {}),
    }))
    const created: { memories: { id: string }[] } = await call('create_memories', { memories })
    ids[kind] = created.memories.map(idOf)
  }
  for (let day = 1; day <= DAYS; day++) {
    await age(service, tenant, 1)
    // Every third day a search for one kind, and a context for the other.
    if (day % 3 === 0) {
      await call('search_memories', {
        query: 'usedShort',
        search_type: 'keyword',
        tags: ['usedShort'],
        limit: 50,
      })
      await call('search_memories', {
        query: 'usedLong',
        search_type: 'keyword',
        tags: ['usedLong'],
        limit: 50,
      })
      await service.app.recalls.flush(service.app)
      await service.cypher('MATCH (m:Memory {tenant: $tenant}) SET m.recallBurstEnds = 0', { tenant })
    }
    await runScheduledMaintenance(contextOf(service, tenant))
  }
  const { memories } = await client.listMemories({ include_archived: true, limit: 200 })
  expect(memories).toHaveLength(200)
  const of = (kind: Kind) => memories.filter(({ id }) => ids[kind].includes(id))
  const states = (kind: Kind) => [
    ...new Set(of(kind).map(({ state, policy, archived_reason }) => [state, policy, archived_reason].join())),
  ]
  // Three recalls promote a short memory.
  expect(states('usedShort')).toEqual(['active,long_term,'])
  expect(states('usedLong')).toEqual(['active,long_term,'])
  expect(states('unusedShort')).toEqual(['archived,short_term,faded'])
  expect(states('unusedLong')).toEqual(['active,long_term,'])
  for (const { health } of of('usedLong')) expect(health).toBeGreaterThan(90)
  for (const { health } of of('unusedLong')) expect(health).toBeCloseTo(100 - 2 * DAYS, 0)
})
