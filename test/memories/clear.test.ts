import { expect, test } from 'vitest'
import { ask as askGraphql } from '../support/graphql.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { ask } from '../support/mcp.ts'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

const given = {
  source: 'https://wiki.example/office',
  session_id: 'chat-1',
  valid_from: '2020-01-01T00:00:00.000Z',
  valid_until: '2021-01-01T00:00:00.000Z',
}
const cleared = { source: null, session_id: null, valid_from: null, valid_until: null }
const names = Object.keys(given) as (keyof typeof given)[]
const stored = async () =>
  (await service.client.createMemory(someMemory({ ...given, content: 'The office is open' }))).id
const memoryOf = (id: string) => service.client.getMemory({ id, record_recall: false })

test('source, session and validity can be cleared, and filters no longer find the memory by them', async () => {
  const id = await stored()
  const { version, ...memory } = await service.client.updateMemory({ id, clear: names })
  expect([memory, version]).toEqual([expect.objectContaining(cleared), 2])
  for (const filter of [{ source: given.source }, { session_id: given.session_id }])
    for (const search_type of ['keyword', 'semantic', 'hybrid'] as const) {
      const { results } = await service.client.searchMemories({
        query: 'office open',
        search_type,
        ...filter,
      })
      expect(results.map(each => each.memory.id)).not.toContain(id)
    }
  const { results } = await service.client.searchMemories({ query: 'office open', search_type: 'hybrid' })
  expect(results.map(each => each.memory.id)).toContain(id)
  const { versions } = await service.client.getMemoryHistory({ id })
  expect(versions[0]?.changed.toSorted()).toEqual(names.toSorted())
})

test('a field can be cleared while others are set, but not both at once', async () => {
  const id = await stored()
  const moved = { valid_from: '2022-01-01T00:00:00.000Z' }
  expect(await service.client.updateMemory({ id, clear: ['valid_until'], ...moved })).toMatchObject({
    ...given,
    ...moved,
    valid_until: null,
  })
  expect(
    await problemOf(service.client.updateMemory({ id, clear: ['source'], source: 'crm' })),
  ).toMatchObject({
    status: 422,
    pointers: ['/clear'],
  })
  expect(await problemOf(service.client.updateMemory({ id, clear: [] }))).toMatchObject({ status: 422 })
  expect(await problemOf(service.client.updateMemory({ id, clear: ['tags' as 'source'] }))).toMatchObject({
    status: 422,
    pointers: ['/clear/0'],
  })
  const response = await service.request(`/memories/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"source": null}',
  })
  expect(response.status).toBe(422)
})

test('a revert to a version without an end opens the end again', async () => {
  const { id } = await service.client.createMemory(someMemory({ valid_from: '2022-01-01T00:00:00.000Z' }))
  await service.client.updateMemory({
    id,
    valid_from: '2020-01-01T00:00:00.000Z',
    valid_until: '2021-01-01T00:00:00.000Z',
  })
  expect(await service.client.revertMemory({ id, version: 1 })).toMatchObject({
    valid_from: '2022-01-01T00:00:00.000Z',
    valid_until: null,
  })
})

test('GraphQL, agents and the command line clear fields too', async () => {
  const [one, two, three] = [await stored(), await stored(), await stored()]
  await askGraphql(
    service,
    `mutation { updateMemory(id: "${one}", clear: [SOURCE, SESSION_ID, VALID_FROM, VALID_UNTIL]) { memory { id } } }`,
  )
  await ask(service, 'tools/call', { name: 'update_memory', arguments: { id: two, clear: names } })
  await runInProcess(['edit', three, '--clear', 'source,session,valid-from,valid-until'], { service })
  for (const id of [one, two, three]) expect(await memoryOf(id)).toMatchObject(cleared)
  const wrong = await runInProcess(['edit', three, '--clear', 'content'], { service })
  expect(wrong).toMatchObject({ code: 64, err: expect.stringContaining('--clear is one of') })
})
