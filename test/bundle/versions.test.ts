import { expect, test } from 'vitest'
import { bundleLines, exported, imported, memoryLine, sumsOf } from '../../tools/bundle-lines.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()

/** A tenant with a memory of three versions, and a discovered connection that somebody rejected. */
async function tenantWithPast() {
  const { tenant, client } = service.newTenant()
  const { id } = await client.createMemory(someMemory({ content: 'first', tags: ['a'] }))
  await client.updateMemory({ id, content: 'second', metadata: { n: 1 } })
  await client.updateMemory({ id, content: 'third' })
  const [one, other] = await remember(client, ['the cat sleeps on the mat', 'the cat sleeps on the mat!'])
  await service.drain(tenant)
  const pair = [one?.id, other?.id] as [string, string]
  const { total } = await client.listConnections({ source_id: pair[0] })
  const ends = total > 0 ? pair : pair.toReversed()
  const [source_id, target_id] = ends as [string, string]
  await client.deleteConnection({ source_id, target_id })
  return { tenant, client, id, ends }
}

const sectionOf = (lines: readonly string[], section: string) =>
  lines.map(line => JSON.parse(line)).filter(line => line.section === section)

test.each(['merge', 'replace'] as const)(
  'earlier versions and rejected connections come with a bundle, in the mode %s',
  async mode => {
    const { client, id, ends } = await tenantWithPast()
    const lines = await exported(client)
    expect(sectionOf(lines, 'versions').map(({ version, content }) => [version, content])).toEqual([
      [1, 'first'],
      [2, 'second'],
    ])
    expect(sectionOf(lines, 'rejections')).toMatchObject([{ source_id: ends[0], target_id: ends[1] }])
    const tenant = freshTenant()
    const target = service.clientOf(tenant)
    const { totals } = await imported(target, lines, { mode })
    expect(totals).toMatchObject({ versions: { created: 2 }, rejections: { created: 1 } })
    expect(sumsOf(await exported(target))).toEqual(sumsOf(lines))
    const earlier = async (from: typeof client) => (await from.getMemoryHistory({ id })).versions.slice(1)
    expect(await earlier(target)).toEqual(await earlier(client))
    await target.rediscoverMemories()
    await service.drain(tenant)
    expect((await target.listConnections({ source_id: ends[0] as string })).connections).toEqual([])
    expect((await imported(target, lines, { mode })).totals).toMatchObject({
      versions: { created: 0, unchanged: 2 },
      rejections: { created: 0, unchanged: 1 },
    })
    expect((await target.revertMemory({ id, version: 1 })).content).toBe('first')
  },
)

test.each(['merge', 'replace'] as const)(
  'who made the current version, and why, comes with a bundle, and is compared, in the mode %s',
  async mode => {
    const { client, id } = await tenantWithPast()
    await client.revertMemory({ id, version: 1 })
    const lines = await exported(client)
    const target = service.clientOf(freshTenant())
    await imported(target, lines, { mode })
    const history = await client.getMemoryHistory({ id })
    expect(history.versions[0]).toMatchObject({ author: 'operator', reason: expect.stringMatching(/\S/) })
    expect(await target.getMemoryHistory({ id })).toEqual(history)
    expect(sumsOf(await exported(target))).toEqual(sumsOf(lines))
    const others = lines.map(line => line.replaceAll('"author":"operator"', '"author":"somebody else"'))
    expect(sumsOf(bundleLines(entries(others)))).not.toEqual(sumsOf(bundleLines(entries(lines))))
    await target.updateMemory({ id, content: 'a local change' })
    await imported(target, lines, { mode: 'replace' })
    const [current, local] = (await target.getMemoryHistory({ id })).versions
    expect(current).toMatchObject({ author: 'operator', reason: history.versions[0]?.reason })
    expect(local?.memory.content).toBe('a local change')
    const { totals } = await imported(target, lines, { mode: 'replace' })
    expect(totals.memories).toMatchObject({ created: 0, updated: 0 })
  },
)

/** The lines between the beginning and the manifest. */
const entries = (lines: readonly string[]) =>
  lines
    .map(line => JSON.parse(line))
    .filter(({ section }) => !['manifest', 'checkpoint', 'bundle', 'vectors'].includes(section))

test('an import leaves a version number that names another text here', async () => {
  const { client, id } = await tenantWithPast()
  const lines = await exported(client)
  await client.updateMemory({ id, content: 'fourth' })
  const changed = entries(lines)
  for (const line of changed) if (line.section === 'versions') line.content = 'another text'
  const { totals } = await imported(client, bundleLines(changed), { mode: 'merge' })
  expect(totals.versions).toMatchObject({ created: 0, kept: 2 })
  const { versions } = await client.getMemoryHistory({ id })
  expect(versions.map(({ memory }) => memory.content)).toEqual(['fourth', 'third', 'second', 'first'])
})

test('a bundle that was made before bundles had versions is imported', async () => {
  const client = service.clientOf(freshTenant())
  const lines = bundleLines([memoryLine()])
  const { sections, ...manifest } = JSON.parse(lines.pop() as string)
  const { versions: _, earlier_connections: __, rejections: ___, ...older } = sections
  lines.push(JSON.stringify({ ...manifest, sections: older }))
  expect((await imported(client, lines)).totals.memories.created).toBe(1)
})

test('a version of a memory that is nowhere is left out, and a trial changes nothing', async () => {
  const { client, id } = await tenantWithPast()
  const lines = await exported(client)
  const alone = sectionOf(lines, 'versions')
  const target = service.clientOf(freshTenant())
  const { left_out } = await imported(target, bundleLines(alone))
  expect(left_out).toMatchObject([
    { reason: 'missing_memory', id },
    { reason: 'missing_memory', id },
  ])
  const { totals } = await imported(target, lines, { dry_run: true })
  expect(totals).toMatchObject({ versions: { created: 2 }, rejections: { created: 1 } })
  expect((await target.getStats()).memories.total).toBe(0)
})
