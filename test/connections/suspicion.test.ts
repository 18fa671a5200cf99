import { expect, test } from 'vitest'
import { suspect } from '../../src/service/connections/suspicion/compare.ts'
import { type SuspectedPair, seenPairs, unseenPairs } from '../support/suspected-pairs.ts'

/** How many of the suspected pairs contradict each other, and how many of those that do are suspected. */
function measure(pairs: readonly SuspectedPair[]) {
  const suspected = pairs.filter(({ one, other }) => suspect(one, other) !== undefined)
  const right = suspected.filter(({ kind }) => kind === 'contradiction').length
  const all = pairs.filter(({ kind }) => kind === 'contradiction').length
  return { pairs: pairs.length, precision: right / suspected.length, recall: right / all }
}

test.each([
  ['seen', seenPairs],
  ['unseen', unseenPairs],
] as const)(
  'of the pairs that were %s, at least 8 of 10 that are suspected contradict each other',
  (name, pairs) => {
    const { precision, recall, pairs: count } = measure(pairs)
    process.stdout.write(`${name}: precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)}\n`)
    expect(count).toBeGreaterThanOrEqual(100)
    expect(precision).toBeGreaterThanOrEqual(0.8)
    expect(recall).toBeGreaterThanOrEqual(0.5)
  },
)

test.each([
  ['The trial lasts 2 weeks', 'The trial lasts 3 weeks', 'number'],
  ['The release is on Friday', 'The release is on Monday', 'date'],
  ['The file has 5 GB', 'The file has 5 MB', 'unit'],
  ['Grace lives in Lisbon', 'Grace lives in Oslo', 'place'],
  ['The lead of search is Ada', 'The lead of search is Linus', 'name'],
  ['The seats cost $5k', 'The seats cost $6000', 'number'],
  ['The budget is €1.5m', 'The budget is €1.5bn', 'number'],
  ['The wall is 5 m high', 'The wall is 6 m high', 'number'],
  ['The API supports XML', "The API doesn't support XML", 'negation'],
  ['Dark mode is enabled', 'Dark mode is disabled', 'opposite'],
])('“%s” and “%s” differ in a %s', (one, other, rule) => {
  expect(suspect(one, other)).toMatchObject({ rule, reason: expect.stringMatching(/.+\.$/) })
  expect(suspect(other, one)).toMatchObject({ rule })
})

test.each([
  ['Version 1.2 was deployed on 3 May', 'Version 1.3 was deployed on 4 May'],
  ['Ada met Grace on Monday in Ghent', 'Ada met Linus on Friday in Porto'],
  ['The same text', 'The same text'],
  ['The limit is 1,000 requests', 'The limit is 1000 requests'],
  ['The seats cost $5k', 'The seats cost $5000'],
  ['The budget is €1.5m', 'The budget is 1,500,000 euros'],
  ['The fund holds 5 thousand dollars', 'The fund holds $5,000'],
  ['The grant is £2bn', 'The grant is 2 billion pounds'],
  ['The list has 5k rows', 'The list has five thousand rows'],
  ['The trip costs 1.1k euros', 'The trip costs €1,100'],
  ['The road has 3 kilometers', 'The road has 3 km'],
])('“%s” and “%s” can both hold', (one, other) => expect(suspect(one, other)).toBeUndefined())
