import { expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { ask } from '../support/graphql.ts'
import { rememberIds } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const service = withService()

const TEXT = 'Anna Weber sells both and lives in Ghent'

/** Two hits that only a third memory joins, which has nothing of the question. */
async function joined({ text = TEXT, strengths = [0.9, 0.8] }: { text?: string; strengths?: number[] } = {}) {
  const { tenant, client } = service.newTenant()
  const [red, loud, bridge] = await rememberIds(client, [
    { content: 'The samovar is red', tags: ['kitchen'] },
    { content: 'A samovar whistles at noon', tags: ['kitchen'] },
    { content: text, tags: ['kitchen'] },
  ])
  for (const [at, source_id] of [red, loud].entries())
    await client.createConnection({
      source_id,
      target_id: bridge,
      relationship_type: 'derived_from',
      strength: strengths[at] as number,
    })
  const compose = (input: Partial<Input<'composeContext'>> = {}) =>
    client.composeContext({ query: 'samovar', min_relevance: 0.45, ...input })
  const bridges = async (input: Partial<Input<'composeContext'>> = {}) =>
    (await compose(input)).sources.filter(({ role }) => role === 'bridge').map(({ memory_id }) => memory_id)
  return { tenant, client, red, loud, bridge, compose, bridges }
}

test('a context has the memory that joins two hits, marked with the two that it joins', async () => {
  const { tenant, red, loud, bridge, compose } = await joined()
  const { sources, text } = await compose()
  const hits = sources.filter(({ role }) => role === 'hit')
  expect(hits.map(({ memory_id }) => memory_id).toSorted()).toEqual([red, loud].toSorted())
  const [found] = sources.filter(({ memory_id }) => memory_id === bridge)
  expect(found).toMatchObject({
    role: 'bridge',
    beside_id: hits[0]?.memory_id,
    relationship_type: 'derived_from',
  })
  expect(found?.joins).toEqual(hits.map(({ memory_id }) => memory_id))
  expect(hits.map(({ joins }) => joins)).toEqual([null, null])
  const numbers = hits.map(({ number }) => `[${number}]`)
  expect(text).toMatch(
    new RegExp(`${bridge} .*, joins ${numbers.join(' and ').replaceAll(/[[\]]/g, '\\$&')}$`, 'm'),
  )
  const asked = `{ composeContext(query: "samovar", minRelevance: 0.45) { sources { role joins } } }`
  const { composeContext } = await ask(service, asked, { tenant })
  expect(composeContext.sources).toContainEqual({ role: 'BRIDGE', joins: found?.joins })
})

test('hits that are connected with each other need no bridge', async () => {
  const { client, red, loud, bridges } = await joined()
  await client.createConnection({ source_id: red, target_id: loud, relationship_type: 'supports' })
  expect(await bridges()).toEqual([])
})

test('what says no more than one of the two hits is no bridge', async () => {
  const { bridges } = await joined({ text: 'A whistles at noon' })
  expect(await bridges()).toEqual([])
})

test('the strongest path between two hits wins, also behind their three strongest neighbours', async () => {
  const { client, red, loud, bridge, bridges } = await joined({ strengths: [0.6, 0.6] })
  const [weak, ...others] = await rememberIds(client, [
    'Someone drew a picture',
    ...['Bread', 'Salt', 'Rye', 'Tea', 'Ink', 'Oak'].map(word => `${word} is far away`),
  ])
  for (const source_id of [red, loud])
    await client.createConnection({ source_id, target_id: weak, strength: 0.5 })
  for (const [at, target_id] of others.entries())
    await client.createConnection({ source_id: at < 3 ? red : loud, target_id, strength: 0.9 })
  expect(await bridges()).toEqual([bridge])
})

test('filters, archiving, validity, secrets and the budget keep a bridge out', async () => {
  const { client, red, bridge, bridges } = await joined()
  expect(await bridges({ tags: ['kitchen'] })).toEqual([bridge])
  await client.updateMemory({ id: bridge, tags: ['attic'] })
  expect([await bridges({ tags: ['kitchen'] }), await bridges()]).toEqual([[], [bridge]])
  expect(await bridges({ max_tokens: 120 })).toEqual([])
  const ends = { source_id: red, target_id: bridge, relationship_type: 'derived_from' } as const
  await client.createConnection({ ...ends, valid_until: '2020-01-01' })
  expect([await bridges(), await bridges({ valid_at: 'any' })]).toEqual([[], [bridge]])
  await client.createConnection({ ...ends, valid_from: '2020-01-01' })
  await client.updateMemory({ id: bridge, content: `${TEXT}. The password is tr0ub4dor&3.` })
  expect([await bridges(), await bridges({ include_sensitive: true })]).toEqual([[], [bridge]])
  await client.updateMemory({ id: bridge, content: TEXT })
  await client.deleteMemory({ id: bridge })
  expect(await bridges()).toEqual([])
  await client.restoreMemory({ id: bridge })
  expect(await bridges()).toEqual([bridge])
})

test('what contradicts a bridge stands below it, and without a question there are none', async () => {
  const { client, bridge, compose, bridges } = await joined()
  const [against] = await rememberIds(client, ['She moved to Porto'])
  await client.createConnection({ source_id: against, target_id: bridge, relationship_type: 'contradicts' })
  const { sources } = await compose()
  expect(sources.find(({ memory_id }) => memory_id === against)).toMatchObject({
    role: 'contradiction',
    beside_id: bridge,
  })
  expect(await bridges({ query: undefined as never })).toEqual([])
})
