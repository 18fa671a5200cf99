import { expect, test } from 'vitest'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

test.each([
  ['a single character', 'x'],
  ['100,000 bytes of ASCII', 'a'.repeat(100_000)],
  ['100,000 bytes in characters of two', 'é'.repeat(50_000)],
  ['100,000 bytes in characters of three, and one more', `${'面'.repeat(33_333)}a`],
  ['100,000 bytes in characters of four', '🥖'.repeat(25_000)],
  ['joined and combining characters', '👩‍👩‍👧‍👦 e\u0301 \u200f עברית'],
  ['control characters', 'a\u0001\u001f\u007f\u0085\u2028\ufeff'],
])('%s is stored and comes back as it was', async (_, content) => {
  const { id } = await service.client.createMemory(someMemory({ content }))
  expect((await service.client.getMemory({ id })).content === content).toBe(true)
})

test.each([
  ['nothing', ''],
  ['blanks', ' \t\r\n\u00a0\u3000'],
  ['100,001 bytes of ASCII', 'a'.repeat(100_001)],
  ['100,002 bytes in characters of two', 'é'.repeat(50_001)],
  ['100,004 bytes in characters of four', '🥖'.repeat(25_001)],
  ['a lone high surrogate', 'half \ud83e of it'],
  ['a lone low surrogate', 'half \udd56 of it'],
  ['NUL', 'a\0b'],
])('%s is no content', async (_, content) => {
  const problem = await problemOf(service.client.createMemory(someMemory({ content })))
  expect(problem).toMatchObject({ status: 422, code: 'validation_failed', pointers: ['/content'] })
})

test('the answer to a content that is too long names the bound', async () => {
  const problem = await problemOf(service.client.createMemory(someMemory({ content: 'a'.repeat(100_001) })))
  expect(problem.detail).toContain('100000 bytes')
})

test.each([
  ['a number', 7],
  ['a list', ['text']],
  ['an object', { text: 'text' }],
  ['true', true],
  ['null', null],
])('%s is no content', async (_, content: unknown) => {
  const body = { ...someMemory(), content: content as string }
  const problem = await problemOf(service.client.createMemory(body))
  expect(problem).toMatchObject({ status: 422, pointers: ['/content'] })
})
