import { beforeAll, expect, test } from 'vitest'
import { type RouteName, routeNames, routes } from '../../src/contract/index.ts'
import { type Scope, scopes } from '../../src/contract/route.ts'
import { grants } from '../../src/service/access/keys.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { graphql } from '../support/graphql.ts'
import { type Answer, post } from '../support/mcp.ts'
import { pathOf } from '../support/routes.ts'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()
const keys = new Map<Scope, string>()
beforeAll(async () => {
  for (const scope of scopes) keys.set(scope, (await service.client.createKey({ scopes: [scope] })).key)
})

const behindKey = routeNames.filter(name => routes[name].scope !== 'open')

test.each(scopes.flatMap(scope => behindKey.map(name => [scope, name] as const)))(
  'a key with the scope %s calls %s only where that scope is enough',
  async (scope, name) => {
    const needed = routes[name].scope as Scope
    const response = await call(name, keys.get(scope) as string)
    if (!grants[scope].includes(needed)) await expectProblem(response, 'forbidden')
    else if (needed !== 'admin') expect([401, 403]).not.toContain(response.status)
    expect(response.status).toBeLessThan(500)
  },
)

test('the operations are divided among the scopes as the contract has it', () => {
  const named = (scope: Scope) => behindKey.filter(name => routes[name].scope === scope)
  const { read, write } = { read: named('read'), write: named('write') }
  expect(read).toEqual(
    expect.arrayContaining([
      'getMemory',
      'listMemories',
      'searchMemories',
      'relatedMemories',
      'findPath',
      'listConnections',
      'getStats',
    ]),
  )
  expect(write).toEqual(
    expect.arrayContaining([
      'createMemory',
      'createMemories',
      'updateMemory',
      'deleteMemory',
      'restoreMemory',
      'createConnection',
      'deleteConnection',
    ]),
  )
  for (const name of ['createKey', 'listKeys', 'rotateKey', 'deleteKey', 'listJobs', 'retryJob'] as const)
    expect(routes[name].scope).toBe('admin')
  expect(read.filter(name => !['GET', 'POST'].includes(routes[name].method))).toEqual([])
})

test('a key may archive memories with the scope write, and remove them for good with the scope delete alone', async () => {
  const { id } = await service.client.createMemory(someMemory())
  const writer = service.clientOf('', keys.get('write'))
  expect(await writer.deleteMemory({ id })).toMatchObject({ state: 'archived' })
  const refused = await problemOf(writer.deleteMemory({ id, hard: true }))
  expect(refused).toMatchObject({ status: 403, code: 'forbidden' })
  expect(refused.detail).toContain('delete')
  const remover = service.clientOf('', keys.get('delete'))
  expect(await remover.deleteMemory({ id, hard: true })).toMatchObject({ state: 'deleted' })
})

test('the answer to a key that may not do this says which scope it lacks', async () => {
  const { detail } = await expectProblem(await call('createMemory', keys.get('read') as string), 'forbidden')
  expect(detail).toContain('write')
})

test('no other scope includes cypher, and it includes none', async () => {
  for (const scope of scopes)
    expect([scope, (await call('runCypher', keys.get(scope) as string)).status]).toEqual([
      scope,
      scope === 'cypher' ? 422 : 403,
    ])
  await expectProblem(await call('listMemories', keys.get('cypher') as string), 'forbidden')
  const { key } = await service.client.createKey({ scopes: ['cypher', 'read'] })
  expect(await service.clientOf('', key).getAccess()).toMatchObject({ scopes: ['read', 'cypher'] })
  expect(await service.client.getAccess()).toMatchObject({ scopes: [...scopes] })
})

test('a key without cypher learns how to get one from every API, and is not offered the tool', async () => {
  const key = keys.get('admin') as string
  const { detail } = await expectProblem(await call('runCypher', key), 'forbidden')
  const query = '{ runCypher(query: "RETURN 1 AS one") { columns } }'
  const { text } = await graphql(service, query, { key })
  const { result } = await tool(key, 'tools/call', {
    name: 'run_cypher',
    arguments: { query: 'RETURN 1 AS one' },
  })
  for (const told of [detail, text, JSON.stringify(result)]) expect(told).toContain('--scopes read,cypher')
  const offered = async (each: string) => JSON.stringify((await tool(each, 'tools/list', {})).result)
  expect(await offered(key)).not.toContain('run_cypher')
  expect(await offered(keys.get('cypher') as string)).toContain('run_cypher')
})

test('an administrator of a tenant gives the scope cypher only with a key that has it', async () => {
  const admin = service.clientOf('', keys.get('admin'))
  expect(await problemOf(admin.createKey({ scopes: ['read', 'cypher'] }))).toMatchObject({
    status: 403,
    code: 'forbidden',
    detail: expect.stringContaining('operator'),
  })
  const both = (await service.client.createKey({ scopes: ['admin', 'cypher'] })).key
  expect(await service.clientOf('', both).createKey({ scopes: ['read', 'cypher'] })).toMatchObject({
    scopes: ['read', 'cypher'],
  })
})

const tool = async (key: string, method: string, params: Record<string, unknown>) =>
  (await (await post(service, method, params, { authorization: `Bearer ${key}` })).json()) as Answer

const call = (name: RouteName, key: string) => {
  const { method } = routes[name]
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(service.baseUrl + pathOf(name), { method, headers, ...body })
}
