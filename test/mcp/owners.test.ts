import { describe, expect, test } from 'vitest'
import { privateTenant } from '../../src/contract/private.ts'
import { ask, connectHttp, kinds, type McpClient } from '../support/mcp.ts'
import { rememberIds } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const service = withService()
const keyOf = async (owner: string) => (await service.client.createKey({ owner, scopes: ['write'] })).key
const headersOf = (key: string) => ({ authorization: `Bearer ${key}` })

const cases = kinds.flatMap(kind => (['all', 'small'] as const).map(profile => [kind, profile] as const))

describe.each(cases)('the client %s with the profile %s and a key of an owner', (kind, profile) => {
  test('stores for the owner or for all, finds, corrects and forgets both', async () => {
    const owner = `anna_${kind}_${profile}`.replaceAll(/\W/g, '_').toLowerCase()
    const connected = (key: string) => connectHttp(kind, service, headersOf(key), `?tools=${profile}`)
    await using client = asDisposable(await connected(await keyOf(owner)))
    await using other = asDisposable(await connected(await keyOf('ben')))
    const word = owner.replaceAll('_', '')
    const stored = await call(client, 'create_memory', { content: `The ferry ${word} leaves at nine` })
    const shared = await call(client, 'create_memory', {
      content: `The ferry ${word} has a cafe`,
      visibility: 'shared',
    })
    const ids = [stored, shared].map(({ fields }) => fields.id as string)
    expect([stored.fields.owner, shared.fields.owner]).toEqual([owner, undefined])
    expect([stored.text, shared.text].map(text => text.includes('private'))).toEqual([true, false])
    const found = await call(client, 'search_memories', { query: word, search_type: 'keyword' })
    for (const id of ids) expect(found.text).toContain(id)
    const theirs = await call(other, 'search_memories', { query: word, search_type: 'keyword' })
    expect(ids.map(id => theirs.text.includes(id))).toEqual([false, true])
    for (const id of ids) await call(client, 'update_memory', { id, tags: ['harbour'] })
    const { text } = await call(client, 'compose_context', { query: `ferry ${word}`, tags: ['harbour'] })
    expect(text).toContain('leaves at nine')
    expect(text).toContain('has a cafe')
    for (const name of ['get_memory', 'update_memory', 'delete_memory']) {
      const refused = await other.callTool({
        name,
        arguments: { id: ids[0], ...(name === 'update_memory' && { tags: ['x'] }) },
      })
      expect(refused.isError).toBe(true)
      expect(JSON.stringify(refused.content)).toContain('memory_not_found')
    }
    for (const id of ids) await call(client, 'delete_memory', { id })
    const left = await call(client, 'search_memories', { query: word, search_type: 'keyword' })
    for (const id of ids) expect(left.text).not.toContain(id)
  })
})

test('the resources of an owner are of both', async () => {
  const key = await keyOf('clara')
  const [own] = await rememberIds(service.clientOf('', key), ['a private thought'])
  const [shared] = await rememberIds(service.client, ['a shared thought'])
  const read = async (method: string, params: Record<string, unknown>, key_ = key) =>
    JSON.stringify(await ask(service, method, params, headersOf(key_)))
  const listed = await read('resources/list', {})
  const recent = await read('resources/read', { uri: 'memory://recent' })
  const overview = await read('resources/read', { uri: 'memory://context' })
  for (const text of [listed, recent, overview]) for (const id of [own, shared]) expect(text).toContain(id)
  expect(await read('resources/read', { uri: `memory://${own}` })).toContain('a private thought')
  const dan = await keyOf('dan')
  for (const uri of ['recent', 'context', own])
    expect(await read('resources/read', { uri: `memory://${uri}` }, dan)).not.toContain('a private thought')
})

test('a memory is stored privately only by a key of an owner', async () => {
  const key = (await service.client.createKey({ scopes: ['write'] })).key
  const args = { content: 'for me alone', visibility: 'private' }
  const refused = await ask(service, 'tools/call', { name: 'create_memory', arguments: args }, headersOf(key))
  expect(refused.result).toMatchObject({ isError: true })
  expect(JSON.stringify(refused.result)).toContain('visibility')
  const named = { ...headersOf(await keyOf('eve')), 'x-tenant-id': privateTenant(service.tenant, 'eve') }
  const stored = await ask(service, 'tools/call', { name: 'create_memory', arguments: args }, named)
  expect(stored.result?.structuredContent).toMatchObject({ owner: 'eve' })
})

async function call(client: McpClient, name: string, args: Record<string, unknown>) {
  const answer = await client.callTool({ name, arguments: args })
  const text = JSON.stringify(answer.content)
  expect(answer.isError, text).toBeFalsy()
  return { text, fields: answer.structuredContent as Record<string, unknown> }
}

const asDisposable = (client: McpClient) =>
  Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
