import fc from 'fast-check'
import { expect, test } from 'vitest'
import { relatedConnections } from '../support/related-connections.ts'
import { byId, idOf, remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'
import { exactCosine, vectorOfNumbers } from '../support/vectors.ts'

const service = withService({
  vector: vectorOfNumbers,
  settings: { SERVICE_AUTO_DISCOVERY_THRESHOLD: '0.8' },
})

test('the threshold is inclusive, and nothing below it is connected', async () => {
  const client = service.client
  const contents = ['1 0', '0.8 0.6', '0.8 -0.6', '0.79999 0.60001333', '0.6 0.8', '0 1', '-1 0']
  const older = await remember(client, contents)
  const [newer] = await remember(client, ['2 0'])
  await service.drain()
  const { connections } = await client.listConnections({ source_id: newer?.id as string })
  const found = new Map(connections.map(({ connection }) => [connection.target_id, connection]))
  expect([...found.keys()].toSorted()).toEqual(older.slice(0, 3).map(idOf).toSorted())
  for (const [at, cosine] of [1, 0.8, 0.8].entries())
    expect(found.get(older[at]?.id as string)).toMatchObject({
      strength: expect.closeTo(cosine, 6),
      origin: 'discovered',
      model: 'embedding-of-the-tests',
      threshold: 0.8,
      relationship_type: 'related_to',
    })
})

test('a connection points from the newer memory to the older, whichever was discovered first', async () => {
  const { tenant, client } = service.newTenant()
  const [first] = await remember(client, ['5 5'])
  const [second] = await remember(client, ['6 6'])
  await service.cypher(
    `MATCH (j:Job {tenant: $tenant}) SET j.runAt = j.runAt + duration({hours: CASE j.memoryId WHEN $first THEN 1 ELSE 0 END})`,
    { tenant, first: first?.id },
  )
  await service.drain(tenant)
  expect(await relatedConnections(service, tenant)).toMatchObject([{ source: second?.id, target: first?.id }])
})

const coordinate = fc.integer({ min: -9, max: 9 })
const points = fc.uniqueArray(
  fc.tuple(coordinate, coordinate, coordinate).filter(point => point.some(value => value !== 0)),
  { minLength: 20, maxLength: 40 },
)

test(
  'in any cloud of memories exactly the pairs at or above the threshold are connected',
  { timeout: 300_000 },
  () =>
    fc.assert(
      fc.asyncProperty(points, async cloud => {
        const tenant = freshTenant()
        const memories = await remember(
          service.clientOf(tenant),
          cloud.map(point => point.join(' ')),
        )
        await service.drain(tenant)
        const pairs = memories.flatMap((one, at) =>
          memories.slice(at + 1).flatMap((other, next) => {
            const cosine = exactCosine(cloud[at] as number[], cloud[at + 1 + next] as number[])
            const [target, source] = [one.id, other.id].toSorted(byId) as [string, string]
            return cosine >= 0.8 - 1e-9 ? [{ source, target, strength: expect.closeTo(cosine, 5) }] : []
          }),
        )
        const edges = await relatedConnections(service, tenant)
        const order = (a: { source: string; target: string }, b: { source: string; target: string }) =>
          byId(a.source, b.source) || byId(a.target, b.target)
        expect(edges.toSorted(order)).toMatchObject(pairs.toSorted(order))
      }),
      { numRuns: 5, interruptAfterTimeLimit: 60_000 },
    ),
)
