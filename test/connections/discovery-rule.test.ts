import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

/** Without a threshold of the operator the rule of the tenant decides. The vectors are those of the words. */
const service = withService({
  settings: { SERVICE_AUTO_DISCOVERY_THRESHOLD: '' },
  vector: (text, dimensions) => {
    const vector = new Array<number>(dimensions).fill(0)
    for (const word of text.toLowerCase().match(/\p{L}{4,}/gu) ?? [])
      vector[[...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % dimensions, 7)]! += 1
    return vector.some(value => value !== 0) ? vector : vector.with(0, 1)
  },
})

type Found = { one: string; other: string; strength: number; reason: string }
const found = (tenant: string) =>
  service.cypher<Found>(
    `MATCH (m:Memory {tenant: $tenant})-[r:RELATED_TO]->(n:Memory)
    WITH CASE WHEN m.content < n.content THEN [m.content, n.content] ELSE [n.content, m.content] END AS pair, r
    RETURN pair[0] AS one, pair[1] AS other, r.strength AS strength, r.reason AS reason ORDER BY one, other`,
    { tenant },
  )
const pairsOf = (rows: readonly Found[]) => rows.map(({ one, other }) => `${one} | ${other}`)

const samples = new URL('../../samples/memories.yaml', import.meta.url)
const texts = (parse(readFileSync(samples, 'utf8')) as { memories: { content: string }[] }).memories.map(
  ({ content }) => content,
)

test('the same texts are connected in the same way, whatever the order and the pace of their writes', async () => {
  const [forth, back, mixed] = [freshTenant(), freshTenant(), freshTenant()]
  await remember(service.clientOf(forth), texts)
  await service.drain(forth)
  for (let at = texts.length; at > 0; at -= 10) {
    await remember(service.clientOf(back), texts.slice(Math.max(0, at - 10), at).toReversed())
    await service.drain(back)
  }
  await remember(
    service.clientOf(mixed),
    texts.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1)),
  )
  await service.drain(mixed)
  const first = pairsOf(await found(forth))
  expect(first.length).toBeGreaterThan(15)
  expect(pairsOf(await found(back))).toEqual(first)
  expect(pairsOf(await found(mixed))).toEqual(first)
})

test('a connection says why the pair counts', async () => {
  const tenant = freshTenant()
  await remember(service.clientOf(tenant), texts)
  await service.drain(tenant)
  const pair = (await found(tenant)).find(
    ({ one, other }) => one.startsWith('If the database refuses') && other.startsWith('When the database'),
  )
  expect(pair?.reason).toMatch(/^Near, and both have .*“refuses”/)
})

test('texts of one form are not connected by their form', async () => {
  const tenant = freshTenant()
  const form = Array.from(
    { length: 120 },
    (_, at) => `Small talk number ${at} about the weather in district ${at % 8}`,
  )
  await remember(service.clientOf(tenant), form)
  await service.drain(tenant)
  expect(await found(tenant)).toEqual([])
  expect((await service.clientOf(tenant).getStats()).queue).toMatchObject({ depth: 0, failed: 0 })
})

test('in a small tenant the threshold of the model decides alone, until it has more memories', async () => {
  const { tenant, client } = service.newTenant()
  const forms = Array.from({ length: 4 }, (_, at) => `Weather in district ${at} today`)
  await remember(client, forms)
  await service.drain(tenant)
  expect(await found(tenant)).toHaveLength(6)
  await remember(
    client,
    Array.from({ length: 30 }, (_, at) => `Weather in district ${at + 4} today`),
  )
  await service.drain(tenant)
  expect(await found(tenant)).toEqual([])
})

test('two memories that say nearly the same are connected, also alone in their tenant', async () => {
  const tenant = freshTenant()
  await remember(service.clientOf(tenant), [
    'Sourdough bread needs patience',
    'Sourdough bread needs much patience',
  ])
  await service.drain(tenant)
  expect(await found(tenant)).toHaveLength(1)
})
