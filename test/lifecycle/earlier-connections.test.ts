import { expect, test } from 'vitest'
import { retainEarlierConnections as retain } from '../../src/service/lifecycle/earlier-connections.ts'
import { contextOf } from '../support/lifecycle.ts'
import { rememberIds } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService({ settings: { SERVICE_HISTORY_VERSIONS: '3' } })

const left = async (tenant: string) =>
  (
    await service.cypher<{ strength: number }>(
      'MATCH (c:EarlierConnection {tenant: $of}) RETURN c.strength AS strength ORDER BY strength',
      { of: tenant },
    )
  ).map(({ strength }) => strength)

test('of many earlier connections a round looks at a bounded part, and the rounds together at all', async () => {
  const tenant = freshTenant()
  const [a, b] = await rememberIds(service.clientOf(tenant), ['one', 'two'])
  // Sources that are gone: all of theirs are over.
  await service.cypher(
    `MATCH (m:Memory {tenant: $of}) SET m.updatedAt = datetime('2026-01-01T00:00:00Z')
    WITH count(*) AS n UNWIND range(1, 45000) AS i
    CREATE (:EarlierConnection {tenant: $of, sourceId: 'gone-' + toString(i / 5), targetId: $b, type: 'SUPPORTS', strength: 0.5,
      until: datetime('2026-02-01T00:00:00Z')})`,
    { of: tenant, b },
  )
  await service.cypher(
    `UNWIND range(1, 5) AS i CREATE (:EarlierConnection {tenant: $of, sourceId: $a, targetId: $b, type: 'SUPPORTS', strength: 1.0 * i,
      until: datetime('2026-02-01T00:00:00Z') + duration({days: i})})`,
    { of: tenant, a, b },
  )
  await service.cypher('MERGE (f:Feed {tenant: $of}) ON CREATE SET f.last = 0, f.forgotten = 0', {
    of: tenant,
  })
  const counts: number[] = []
  for (let round = 0; round < 4; round++) {
    await retain(contextOf(service, tenant))
    counts.push((await left(tenant)).length)
  }
  // A source that two rounds share is looked at again in the next turn of rounds.
  expect(counts.slice(0, 2)).toEqual([25_005, 5_005])
  expect(await left(tenant)).toEqual([3, 4, 5])
  await retain(contextOf(service, tenant))
  expect(await left(tenant)).toEqual([3, 4, 5])
})
