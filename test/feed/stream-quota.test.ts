import { expect, test } from 'vitest'
import { StreamQuota } from '../../src/service/feed/stream-quota.ts'

const take = (quota: StreamQuota, tenant: string, key: string, count: number) =>
  Array.from({ length: count }, () => quota.take({ tenant, key }))

test('open streams are limited for each key, for each tenant and in total', () => {
  const quota = new StreamQuota({ all: 6, ofKey: 2 })
  const [first] = take(quota, 'loud', 'one', 2)
  expect(() => take(quota, 'loud', 'one', 1)).toThrow('This key has 2 open streams')
  take(quota, 'loud', 'two', 2)
  expect(() => take(quota, 'loud', 'three', 1)).toThrow('This tenant has as many open streams')
  take(quota, 'quiet', 'one', 1)
  take(quota, 'other', 'one', 1)
  expect(() => take(quota, 'other', 'one', 1)).toThrow('its maximum of open streams')
  first?.[Symbol.dispose]()
  expect(take(quota, 'other', 'one', 1)).toHaveLength(1)
})

test('if one key may open all streams, so may its tenant', () => {
  expect(take(new StreamQuota({ all: 3, ofKey: 3 }), 'alone', 'one', 3)).toHaveLength(3)
})
