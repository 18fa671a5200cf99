import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundsFault } from '../../src/api/input-bounds.ts'
import { readJson } from '../../src/contract/json.ts'

const inBytes = (value: unknown) =>
  readJson(new TextEncoder().encode(JSON.stringify(value, null, 1))).tooLarge
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

describe('the bounds of JSON before and after it is parsed', () => {
  it.each([
    ['99,999 elements', Array(99_999).fill(1), false],
    ['100,000 elements', Array(100_000).fill(1), true],
    ['50,000 objects of one field', Array(50_000).fill({ a: 1 }), true],
    ['60,000 empty lists', Array(60_000).fill([]), false],
    ['128 levels', nested(128), false],
    ['129 levels', nested(129), true],
    ['a text of quotes, commas and brackets', '"\\,[{'.repeat(200_000), false],
  ])('%s', (_, value, isTooLarge) => {
    expect([boundsFault(value) !== undefined, inBytes(value) !== undefined]).toEqual([isTooLarge, isTooLarge])
  })

  it('agree on any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), value => {
        const many = Array(60_000).fill(value)
        expect(inBytes(many)).toBe(boundsFault(many))
      }),
      { numRuns: 20 },
    )
  })
})
