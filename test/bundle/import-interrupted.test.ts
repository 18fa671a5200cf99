import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { bundleLines, imported, memoryLine } from '../../tools/bundle-lines.ts'
import { isBlocked } from '../support/blocked.ts'
import { folderOf, mnemograph, startMnemograph } from '../support/cli.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()

test('an import --replace that was interrupted while it removes the rest resumes the removal', async () => {
  const { tenant, client } = service.newTenant()
  const lines = bundleLines([memoryLine(), memoryLine()])
  await imported(client, lines)
  const { id } = await client.createMemory(someMemory({ content: 'not in it' }))
  await client.putPolicy({ name: 'own', health_decay: 3 })
  const bundle = bundleOf(lines)
  const words = ['import', bundle, '--replace', '--url', service.url, '--tenant', tenant]

  await using memory = await hold('MATCH (m:Memory {id: $id}) SET m.lock = true', { id })
  await using policy = await hold('MATCH (p:Policy {tenant: $tenant, name: "own"}) SET p.lock = true', {
    tenant,
  })
  const child = startMnemograph(words)
  const ended = once(child, 'close')
  // What takes the service longer than 4 seconds it answers before it is through; then it waits for the policy.
  await expect.poll(() => isBlocked(service, tenant, 4_000)).toBe(true)
  await memory.release()
  await expect.poll(() => existsSync(`${bundle}.progress`)).toBe(true)
  child.kill('SIGINT')
  expect(await ended).toEqual([130, null])
  await policy.release()

  const { code, out, err } = await mnemograph(words)
  expect([code, err]).toEqual([0, expect.stringContaining('Resuming after line 4 of 4')])
  expect(out).toContain('memories: 2 unchanged, 1 removed')
  expect((await client.getStats()).memories.total).toBe(2)
  expect((await client.listPolicies({})).policies.map(({ name }) => name)).not.toContain('own')
  expect(readdirSync(dirname(bundle))).toEqual(['all.ndjson'])
})

test.each([
  ['deleted', 'DETACH DELETE m', 1],
  [
    'removed by maintenance',
    "REMOVE m:Memory SET m:RemovedMemory, m.removedAt = datetime(), m.removedBy = 'run'",
    2,
  ],
])('an import that waits for a memory while it is %s brings it again', async (_, removal, version) => {
  const { tenant, client } = service.newTenant()
  const line = memoryLine()
  const lines = bundleLines([line, memoryLine({ content: 'another' })])
  await imported(client, lines)

  await using memory = await hold('MATCH (m:Memory {id: $id}) SET m.lock = true', { id: line.id })
  const importing = imported(client, lines)
  await expect.poll(() => isBlocked(service, tenant), { interval: 10 }).toBe(true)
  await memory.finish(`MATCH (m:Memory {id: $id}) ${removal}`)
  const { totals, left_out } = await importing
  expect([totals.memories, left_out]).toEqual([
    { created: 1, updated: 0, unchanged: 1, kept: 0, removed: 0 },
    [],
  ])
  expect(await client.getMemory({ id: line.id })).toMatchObject({ content: line.content, version })
  expect(await service.cypher('MATCH (m {id: $id}) WHERE m.lock RETURN m', { id: line.id })).toEqual([])
})

test('a bundle next to which nothing can be written is imported, and it says once that it could not go on', async () => {
  const tenant = freshTenant()
  // Of no meaning, but sent: enough of them for three parts.
  const checkpoints = Array.from({ length: 2_500 }, () => ({ section: 'checkpoint', cursor: '' }) as const)
  const bundle = bundleOf(bundleLines([memoryLine(), ...checkpoints]))
  mkdirSync(`${bundle}.progress`)
  const { code, err, out } = await mnemograph(['import', bundle, '--url', service.url, '--tenant', tenant])
  expect([code, out]).toEqual([0, expect.stringContaining('memories: 1 created')])
  expect(err.match(/cannot be kept .*after an interruption it starts again/g)).toHaveLength(1)
  expect((await service.clientOf(tenant).getStats()).memories.total).toBe(1)
})

const bundleOf = (lines: readonly string[]) =>
  join(folderOf({ 'all.ndjson': `${lines.join('\n')}\n` }), 'all.ndjson')

/** What a statement changes, as a transaction that does not end. */
async function hold(statement: string, parameters: Record<string, unknown>) {
  const { driver, database } = service.app.neo4j
  const session = driver.session({ database })
  const transaction = await session.beginTransaction()
  await transaction.run(statement, parameters)
  return {
    release: () => transaction.rollback(),
    async finish(more: string) {
      await transaction.run(more, parameters)
      await transaction.commit()
    },
    [Symbol.asyncDispose]: () => session.close(),
  }
}
