import { expect, test } from 'vitest'
import { graphql } from '../support/graphql.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { ask } from '../support/mcp.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

type Scope = 'read' | 'write' | 'delete' | 'admin'
const keyOf = async (tenant: string, ...scopes: Scope[]) =>
  (await service.clientOf(tenant).createKey({ scopes })).key

const refusalsIn = async (tenant: string) =>
  (await service.clientOf(tenant).listAudit({ limit: 500 })).entries
    .filter(({ outcome }) => outcome !== 'ok')
    .map(({ operation, outcome }) => `${operation} ${outcome}`)
    .toReversed()

test('a refused operation is recorded with and without an idempotency key, in REST and GraphQL', async () => {
  const tenant = freshTenant()
  const key = await keyOf(tenant, 'write')
  const client = service.clientOf(tenant, key)
  const keyed = { headers: { 'idempotency-key': 'refused' } }
  for (const options of [undefined, keyed, keyed])
    expect(await problemOf(client.createKey({}, options))).toMatchObject({ code: 'forbidden' })
  expect(await problemOf(client.createWebhook({ url: 'https://hooks.invalid/' }, keyed))).toMatchObject({
    code: 'forbidden',
  })
  for (const argument of ['', '(idempotencyKey: "refused")'])
    await graphql(service, `mutation { createKey${argument} { id } }`, { key })
  expect(await refusalsIn(tenant)).toEqual([
    ...Array.from({ length: 3 }, () => 'createKey forbidden'),
    'createWebhook forbidden',
    ...Array.from({ length: 2 }, () => 'createKey forbidden'),
  ])
})

test('a refusal of an idempotency key is recorded, and a repeat that has its answer adds nothing', async () => {
  const { client } = service.newTenant()
  const keyed = { headers: { 'idempotency-key': 'once' } }
  const made = await client.createKey({ name: 'first' }, keyed)
  expect(await client.createKey({ name: 'first' }, keyed)).toEqual(made)
  expect(await problemOf(client.createKey({ name: 'other' }, keyed))).toMatchObject({
    code: 'idempotency_key_reused',
  })
  const { entries } = await client.listAudit({ operation: 'createKey' })
  expect(entries.map(({ outcome }) => outcome)).toEqual(['idempotency_key_reused', 'ok'])
})

test('a refused permanent deletion is recorded in MCP, and a refused key on the command line', async () => {
  const tenant = freshTenant()
  const { id } = await service.clientOf(tenant).createMemory(someMemory())
  const [reader, writer] = [await keyOf(tenant, 'read'), await keyOf(tenant, 'write')]
  for (const [key, hard] of [
    [reader, true],
    [reader, 'true'],
    [writer, true],
  ] as const) {
    const call = { name: 'delete_memory', arguments: { id, hard } }
    await ask(service, 'tools/call', call, { authorization: `Bearer ${key}` })
  }
  expect(await refusalsIn(tenant)).toEqual(Array.from({ length: 3 }, () => 'deleteMemory forbidden'))
  await runInProcess(['keys', 'create'], { service, tenant, key: reader })
  expect(await refusalsIn(tenant)).toHaveLength(4)
})
