import { expect, test } from 'vitest'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `tag ${at}`)

test.each([
  ['fifty tags', numbered(50), numbered(50)],
  ['tags in their order and case', ['b', 'A', 'a', 'B'], ['b', 'A', 'a', 'B']],
  ['tags without the blanks around them', ['  a', 'b\t', '\u00a0c d '], ['a', 'b', 'c d']],
  ['each tag once, where it came first', ['b', 'a', ' b', 'a '], ['b', 'a']],
  ['a tag of 100 characters', ['x'.repeat(100)], ['x'.repeat(100)]],
  ['a tag of 100 emoji', ['🥖'.repeat(100)], ['🥖'.repeat(100)]],
  ['100 characters among blanks', [` ${'x'.repeat(100)} `], ['x'.repeat(100)]],
  ['a comma in a tag', ['a,b'], ['a,b']],
  ['no tags', [], []],
])('%s: kept', async (_, sent, kept) => {
  const { id, tags } = await service.client.createMemory(someMemory({ tags: sent }))
  expect(tags).toEqual(kept)
  await service.client.updateMemory({ id, tags: [] })
  expect((await service.client.updateMemory({ id, tags: sent })).tags).toEqual(kept)
})

test.each([
  ['fifty-one tags', numbered(51), '/tags'],
  ['fifty-one tags that are one and the same', Array(51).fill('a'), '/tags'],
  ['a tag of 101 characters', ['a', 'x'.repeat(101)], '/tags/1'],
  ['a tag of 101 emoji', ['🥖'.repeat(101)], '/tags/0'],
  ['an empty tag', [''], '/tags/0'],
  ['a blank tag', ['a', 'b', ' \n'], '/tags/2'],
  ['a tag with NUL', ['a\0'], '/tags/0'],
  ['a tag with half a character', ['\ud83e'], '/tags/0'],
  ['a tag that is a number', [7], '/tags/0'],
  ['a tag that is null', [null], '/tags/0'],
  ['one text in place of a list', 'a', '/tags'],
])('%s: refused', async (_, sent, pointer) => {
  const fields = { tags: sent } as { tags: string[] }
  const { id } = await service.client.createMemory(someMemory())
  const calls = [
    () => service.client.createMemory(someMemory(fields)),
    () => service.client.updateMemory({ id, ...fields }),
  ]
  for (const call of calls)
    expect(await problemOf(call())).toMatchObject({ status: 422, pointers: [pointer] })
})

test('the answer to too many tags names the bound', async () => {
  const problem = await problemOf(service.client.createMemory(someMemory({ tags: numbered(51) })))
  expect(problem.detail).toContain('50')
})
