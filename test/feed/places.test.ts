import { expect, test } from 'vitest'
import { StreamQuota } from '../../src/service/feed/stream-quota.ts'

const take = (places: StreamQuota, tenant: string, key: string, count: number) =>
  Array.from({ length: count }, () => places.take({ tenant, key }))

test('a key has so many streams, a tenant leaves as many to others, and there are so many in all', () => {
  const places = new StreamQuota({ all: 6, ofKey: 2 })
  const [first] = take(places, 'loud', 'one', 2)
  expect(() => take(places, 'loud', 'one', 1)).toThrow('This key has 2 open streams')
  take(places, 'loud', 'two', 2)
  expect(() => take(places, 'loud', 'three', 1)).toThrow('for other tenants')
  take(places, 'quiet', 'one', 1)
  take(places, 'other', 'one', 1)
  expect(() => take(places, 'other', 'one', 1)).toThrow('as many open streams as it may')
  first?.[Symbol.dispose]()
  expect(take(places, 'other', 'one', 1)).toHaveLength(1)
})

test('where one key may have them all, so may its tenant', () => {
  expect(take(new StreamQuota({ all: 3, ofKey: 3 }), 'alone', 'one', 3)).toHaveLength(3)
})
