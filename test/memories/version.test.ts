import { expect, test } from 'vitest'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

test.each(['"1"', '"9", "1"', '*'])('a change with If-Match %s fits a memory at version 1', async etag => {
  const { id } = await service.client.createMemory(someMemory())
  expect(await service.client.updateMemory({ id, importance: 1 }, ifMatch(etag))).toMatchObject({
    version: 2,
  })
})

test.each(['"2"', 'W/"1"', '1', '"1', '"01"', '"0000000001"', 'nonsense'])(
  'a change with If-Match %s does not fit a memory at version 1',
  async etag => {
    const { id } = await service.client.createMemory(someMemory())
    const problem = await problemOf(service.client.updateMemory({ id, importance: 1 }, ifMatch(etag)))
    expect(problem).toMatchObject({ status: 412, code: 'version_mismatch' })
    expect(await service.client.getMemory({ id })).toMatchObject({ version: 1, importance: 0.5 })
  },
)

test('of many who change the same version only one succeeds', async () => {
  const { id } = await service.client.createMemory(someMemory())
  const tries = Array.from({ length: 8 }, (_, at) =>
    service.client.updateMemory({ id, importance: at / 10 }, ifMatch('"1"')),
  )
  const outcomes = await Promise.allSettled(tries)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await service.client.getMemory({ id })).toMatchObject({ version: 2 })
})

test.each([false, true])(
  'a delete with If-Match that does not fit deletes nothing (hard: %s)',
  async hard => {
    const { id } = await service.client.createMemory(someMemory())
    const problem = await problemOf(service.client.deleteMemory({ id, hard }, ifMatch('"2"')))
    expect(problem).toMatchObject({ status: 412, code: 'version_mismatch' })
    expect(await service.client.getMemory({ id })).toMatchObject({ state: 'active', version: 1 })
    expect(await service.client.deleteMemory({ id, hard }, ifMatch('"1"'))).toMatchObject({ hard })
  },
)

test('an unknown memory is unknown, whatever If-Match says', async () => {
  const id = '00000000-0000-7000-8000-000000000000'
  const problem = await problemOf(service.client.updateMemory({ id, importance: 1 }, ifMatch('"1"')))
  expect(problem).toMatchObject({ status: 404, code: 'memory_not_found' })
})

const ifMatch = (etag: string) => ({ headers: { 'if-match': etag } })
