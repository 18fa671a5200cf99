import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeKey, unescapeKey } from '../../integrations/importers/metadata-keys.ts'
import { metadata } from '../../src/contract/values.ts'

const strange = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('x', '-', 'h', '2', '0', '.', '_', ' ', '预'), maxLength: 20 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    '',
    'x-',
    'x--',
    'x-request-id',
    'x-Due-20-date',
    'x--9884.7b97-',
  ),
)

test('any key can be written as one that metadata takes, and read back', () => {
  fc.assert(
    fc.property(strange, key => {
      const escaped = escapeKey(key)
      if (escaped === undefined) return
      expect(unescapeKey(escaped)).toBe(key)
      expect(metadata.safeParse({ [escaped]: 1 }).success).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('a key that fits stays as it is', () => {
  for (const key of ['user_id', 'a.b-c', 'x-request-id', 'X-1']) expect(escapeKey(key)).toBe(key)
})
