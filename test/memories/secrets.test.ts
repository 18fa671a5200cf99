import { expect, test } from 'vitest'
import { bundleLines, connectionLine, memoryLine } from '../../tools/bundle-lines.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { someMemory, startService, withService } from '../support/service.ts'

const service = withService()

const TOKEN = `ghp_${'aB3'.repeat(12)}`
const SECRET = `Deploy with ${TOKEN}`
const OTHER = 'The password is tr0ub4dor&3.'

test('a memory names the kinds of its secrets, wherever they stand and however it is written', async () => {
  const { client } = service
  const created = await client.createMemory(
    someMemory({
      content: SECRET,
      metadata: { password: 'h4rd-to-guess' },
      source: 'https://a:h4rd1@host.example/',
    }),
  )
  expect(created.sensitive.toSorted()).toEqual([
    'access_token',
    'metadata:password',
    'source:credentials_in_url',
  ])
  const { memories } = await client.createMemories({
    memories: [someMemory({ content: OTHER }), someMemory({ content: 'Nothing to hide' })],
  })
  expect(memories.map(({ sensitive }) => sensitive)).toEqual([['password'], []])
  const { id } = created
  expect(await client.getMemory({ id })).toMatchObject({ content: SECRET, sensitive: created.sensitive })
  const patched = await client.updateMemory({ id, content: 'Deploy with care' })
  expect(patched.sensitive.toSorted()).toEqual(['metadata:password', 'source:credentials_in_url'])
  expect((await client.updateMemory({ id, metadata: {}, clear: ['source'] })).sensitive).toEqual([])
  expect((await client.updateMemory({ id, importance: 0.9 })).sensitive).toEqual([])
  expect((await client.revertMemory({ id, version: 1 })).sensitive).toHaveLength(3)
})

test('contexts leave them out and say so, unless they are asked for', async () => {
  const tags = ['harbour']
  const { id } = await service.client.createMemory(
    someMemory({ content: `The crane of the harbour opens with ${TOKEN}`, tags }),
  )
  const plain = await service.client.createMemory(
    someMemory({ content: 'The crane of the harbour is red', tags }),
  )
  const asked = { query: 'crane of the harbour', tags, min_relevance: 0 }
  const without = await service.client.composeContext(asked)
  expect(without.sources.map(({ memory_id }) => memory_id)).toEqual([plain.id])
  expect(without).toMatchObject({ sensitive_left_out: 1, text: expect.not.stringContaining(TOKEN) })
  const withThem = await service.client.composeContext({ ...asked, include_sensitive: true })
  expect(withThem.sources.map(({ memory_id }) => memory_id).toSorted()).toEqual([id, plain.id].toSorted())
  expect(withThem.sensitive_left_out).toBe(0)
  const unasked = await service.client.composeContext({ tags })
  expect(unasked).toMatchObject({ sensitive_left_out: 1, text: expect.not.stringContaining(TOKEN) })
})

test('a bundle is marked as it is recognised here, whatever it says', async () => {
  const line = memoryLine({ content: SECRET, sensitive: [] })
  await service.client.importBundle({ lines: bundleLines([line]), mode: 'merge' })
  expect((await service.client.getMemory({ id: line.id })).sensitive).toEqual(['access_token'])
})

test('a service that masks stores the kind in place of the secret', async () => {
  await using masking = await startService({ settings: { SERVICE_SECRETS: 'mask' } })
  const { client } = masking
  const created = await client.createMemory(
    someMemory({ content: SECRET, metadata: { password: 'h4rd-to-guess' } }),
  )
  expect(created).toMatchObject({
    content: 'Deploy with [masked: access_token]',
    metadata: { password: '[masked: password]' },
    sensitive: [],
  })
  const patched = await client.updateMemory({ id: created.id, content: OTHER })
  expect(patched.content).toBe('The password is [masked: password]')
  const line = memoryLine({ content: SECRET })
  await client.importBundle({ lines: bundleLines([line]), mode: 'merge' })
  expect((await client.getMemory({ id: line.id })).content).toBe('Deploy with [masked: access_token]')
  const { memories } = await client.listMemories({})
  expect(JSON.stringify(memories)).not.toContain(TOKEN)
  const ends = { source_id: created.id, target_id: line.id }
  const { connection } = await client.createConnection({ ...ends, reason: SECRET })
  expect(connection.reason).toBe('Deploy with [masked: access_token]')
  await client.importBundle({
    lines: bundleLines([connectionLine(line.id, created.id, { reason: SECRET })]),
    mode: 'merge',
  })
  const { connections } = await client.listConnections({ source_id: line.id })
  expect(connections[0]?.connection.reason).toBe(connection.reason)
})

test('a service that refuses says which field has which secret, and stores nothing', async () => {
  await using refusing = await startService({ settings: { SERVICE_SECRETS: 'refuse' } })
  const { client } = refusing
  const answer = await refusing.request('/memories/batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ memories: [someMemory(), someMemory({ content: SECRET })] }),
  })
  const problem = await expectProblem(answer, 'validation_failed')
  expect(problem.errors).toEqual([
    expect.objectContaining({ pointer: '/memories/1/content', code: 'secret' }),
  ])
  expect(JSON.stringify(problem)).not.toContain(TOKEN)
  const { id } = await client.createMemory(someMemory())
  await expect(client.updateMemory({ id, content: SECRET })).rejects.toMatchObject({
    problem: { code: 'validation_failed' },
  })
  const line = memoryLine({ content: SECRET })
  const connection = connectionLine(id, line.id, { reason: SECRET })
  const { left_out } = await client.importBundle({ lines: bundleLines([line, connection]), mode: 'merge' })
  expect(left_out).toEqual([
    { line: 2, reason: 'secret', id: line.id },
    { line: 3, reason: 'secret', id },
  ])
  expect((await client.listMemories({})).memories.map(memory => memory.id)).toEqual([id])
  const ends = { source_id: id, target_id: line.id, reason: SECRET }
  await expect(client.createConnections({ connections: [ends] })).rejects.toMatchObject({
    problem: { errors: [{ pointer: '/connections/0/reason', code: 'secret' }] },
  })
})
