import { expect, test } from 'vitest'
import { bundleLines, connectionLine, imported, memoryLine } from '../../tools/bundle-lines.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, problemOf, withService } from '../support/service.ts'

const service = withService()

test('an import can leave a memory that says the same in the place of a new one, with its connections', async () => {
  const client = service.clientOf(freshTenant())
  const [here] = await remember(client, ['The cat sleeps on the warm windowsill'])
  const twice = [memoryLine(), memoryLine({ content: 'twice' }), memoryLine({ content: 'twice' })] as const
  const [same, one, two] = twice
  const elsewhere = memoryLine({ source: 'elsewhere' })
  const drawn = [connectionLine(one.id, same.id), connectionLine(same.id, two.id)]
  const lines = bundleLines([...twice, elsewhere, ...drawn])
  const manner = { on_duplicate: 'return' } as const

  expect(await problemOf(client.importBundle({ lines, ...manner, mode: 'replace' }))).toMatchObject({
    status: 422,
  })
  // The second import is the first one again, after an interruption.
  for (const totals of [
    { created: 3, kept: 1 },
    { unchanged: 3, kept: 1 },
  ])
    expect((await imported(client, lines, { ...manner, size: 3 })).totals.memories).toMatchObject(totals)
  const { memories } = await client.listMemories({})
  expect(memories.map(({ id }) => id).toSorted()).toEqual([here?.id, one.id, two.id, elsewhere.id].toSorted())
  const { connections } = await client.listConnections({ relationship_type: 'supports' })
  expect(
    connections.map(({ source_id, connection }) => [source_id, connection.target_id]).toSorted(),
  ).toEqual(
    [
      [here?.id, two.id],
      [one.id, here?.id],
    ].toSorted(),
  )
  expect((await client.importBundle({ lines: lines.slice(0, 2), ...manner })).duplicates).toEqual([
    { id: same.id, duplicate_of: here?.id },
  ])
})

test('an import leaves out by default what another memory says, and stores both if asked or to replace', async () => {
  const client = service.clientOf(freshTenant())
  await remember(client, ['The cat sleeps on the warm windowsill'])
  const lines = bundleLines([memoryLine()])
  const created = async (manner: Parameters<typeof imported>[2]) =>
    (await imported(client, lines, { ...manner, dry_run: true })).totals.memories.created
  expect(await created({})).toBe(0)
  expect(await created({ on_duplicate: 'store' })).toBe(1)
  expect(await created({ mode: 'replace' })).toBe(1)
})

test('an import takes for the same what holds and lives as long, and of several the one that is kept', async () => {
  const client = service.clientOf(freshTenant())
  const [over, later] = ['2021-03-01T00:00:00.000Z', '2093-03-01T00:00:00.000Z']
  const stored = await remember(client, [
    { content: 'open' },
    { content: 'open', policy: 'pinned' },
    { content: 'over', valid_until: over },
    { content: 'ends', ttl_seconds: 3_600 },
  ])
  const lines = [
    memoryLine({ content: 'open' }),
    memoryLine({ content: 'open', valid_until: over }),
    memoryLine({ content: 'over', valid_until: over }),
    memoryLine({ content: 'over' }),
    memoryLine({ content: 'ends', ttl_seconds: 3_600, expires_at: stored[3]?.expires_at as string }),
    memoryLine({ content: 'ends', ttl_seconds: 3_600, expires_at: later }),
  ]
  const { duplicates } = await client.importBundle({ lines: bundleLines(lines), on_duplicate: 'return' })
  expect(
    duplicates.map(({ id, duplicate_of }) => [lines.findIndex(each => each.id === id), duplicate_of]),
  ).toEqual([
    [0, stored[1]?.id],
    [2, stored[2]?.id],
    [4, stored[3]?.id],
  ])
})
