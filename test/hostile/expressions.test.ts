import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expressionsIn, textsAgainst } from './expressions.ts'

const LENGTH = 8_000
/** Time that grows with the square of the length takes longer; what grows with the length takes 2 ms. */
const LONGEST_MS = 50

test('no regular expression of the code takes more than linear time for a text', () => {
  const expressions = expressionsIn(join(import.meta.dirname, '..', '..', 'src'))
  expect(expressions.length).toBeGreaterThan(80)
  const slow = expressions.flatMap(({ expression, file }) =>
    textsAgainst(expression, LENGTH)
      .filter(text => timeOf(expression, text) > LONGEST_MS && timeOf(expression, text) > LONGEST_MS)
      .map(text => `${expression} in ${file}: ${JSON.stringify(text.slice(0, 4))} repeated`),
  )
  expect(slow).toEqual([])
})

function timeOf({ source, flags }: RegExp, text: string): number {
  const everywhere = new RegExp(source, [...new Set([...flags, 'g'])].join(''))
  const began = performance.now()
  text.replaceAll(everywhere, '')
  return performance.now() - began
}
