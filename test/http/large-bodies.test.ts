import { expect, test } from 'vitest'
import { readJson, readJsonInSteps } from '../../src/contract/json.ts'
import { OPERATOR_KEY, someMemory, withService } from '../support/service.ts'

const service = withService()
const SIZE = 7_900_000
const PARALLEL = 6

/** With the steps at least. One long token takes one, by a search that takes a millisecond. */
const large: readonly [string, string, number][] = [
  ['one text', JSON.stringify({ x: 'x'.repeat(SIZE) }), 1],
  ['escapes', `{"x":"${'\\"\\\\'.repeat(SIZE / 4)}"}`, 1],
  ['blanks', `{${' '.repeat(SIZE)}"x":1}`, 100],
  ['one number', `{"x":${'1'.repeat(SIZE)}}`, 1],
  [
    'many names',
    `{${Array.from({ length: 90_000 }, (_, at) => `"${at}${'n'.repeat(78)}":1`).join(',')}}`,
    100,
  ],
  ['many texts', JSON.stringify({ x: Array.from({ length: 90_000 }, () => 'y'.repeat(80)) }), 100],
]

test.each(large)('a large body of %s is inspected in steps, with the same result', async (_, text, steps) => {
  const bytes = new TextEncoder().encode(text)
  let pauses = 0
  const read = await readJsonInSteps(bytes, async () => void pauses++)
  expect(read).toEqual(readJson(bytes))
  expect(pauses).toBeGreaterThanOrEqual(steps)
})

test('a text of backslashes and quotes is read as it is written', () => {
  for (const value of ['\\', '\\\\', '"', '\\"', '\\\\"x', '"\\', 'a\\"b\\\\"c'])
    expect(readJson(JSON.stringify({ [value]: [value, 1e300] }))).toEqual({
      value: { [value]: [value, 1e300] },
      fault: undefined,
    })
})

test.each([
  ['/api/v1/memories/batch', 'application/json', 422],
  ['/graphql', 'application/json', 400],
  ['/mcp', 'application/json', 400],
] as const)(
  'large bodies for %s that come together are answered, and short requests between them',
  async (path, type, status) => {
    const turns: string[] = []
    const send = async (body: string) => {
      const response = await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${OPERATOR_KEY}`,
          'content-type': type,
          accept: 'application/json, text/event-stream',
        },
        body,
      })
      await response.arrayBuffer()
      turns.push('large')
      return response.status
    }
    const [, manyNames] = large[4] as (typeof large)[number]
    const all = Promise.all(Array.from({ length: PARALLEL }, () => send(manyNames)))
    let isOver = false
    const over = all.finally(() => {
      isOver = true
    })
    while (!isOver) {
      expect((await service.request('/health')).status).toBe(200)
      turns.push('short')
    }
    expect(new Set(await over)).toEqual(new Set([status]))
    const between = turns.slice(turns.indexOf('large') + 1, turns.lastIndexOf('large'))
    expect(between.filter(turn => turn === 'short').length).toBeGreaterThanOrEqual(PARALLEL - 1)
    expect((await service.client.createMemory(someMemory())).id).toBeDefined()
  },
)
