import { expect, test } from 'vitest'
import { fuse } from '../../src/service/search/fusion.ts'
import type { Ranked } from '../../src/service/search/hits.ts'

const hits = (ids: readonly string[], raw = (at: number) => 0.9 - at / 100): Ranked[] =>
  ids.map((id, at) => ({ id, rank: at + 1, raw: raw(at), relative: raw(at) / raw(0) }))

test('the best of both lists scores 1, and so does the best of the only list that was searched', () => {
  const [both] = fuse({ semantic: hits(['a']), keyword: hits(['a']) })
  const [meaning] = fuse({ semantic: hits(['a']), keyword: null })
  const [words] = fuse({ semantic: null, keyword: hits(['a', 'b']) })
  for (const hit of [both, meaning, words]) expect(hit?.score).toBe(1)
})

test('a part is the weight of its list times 2 / (1 + rank)', () => {
  const scores = new Map(
    fuse({ semantic: hits(['a', 'b', 'c']), keyword: hits(['c', 'd']) }).map(({ id, score }) => [id, score]),
  )
  expect(scores.get('a')).toBeCloseTo(0.4, 12)
  expect(scores.get('b')).toBeCloseTo((0.4 * 2) / 3, 12)
  expect(scores.get('c')).toBeCloseTo((0.4 * 2) / 4 + 0.6, 12)
  expect(scores.get('d')).toBeCloseTo((0.6 * 2) / 3, 12)
})

test('a hit that both lists have goes before hits of one list with the same ranks', () => {
  const found = fuse({ semantic: hits(['s', 'both']), keyword: hits(['k', 'both']) })
  expect(found.map(({ id }) => id)).toEqual(['both', 'k', 's'])
})

test('only ranks count, however close or far apart the raw values are', () => {
  const order = (raw: (at: number) => number) =>
    fuse({ semantic: hits(['a', 'b', 'c'], raw), keyword: hits(['c', 'd', 'a']) }).map(({ id, score }) => [
      id,
      score,
    ])
  expect(order(at => 0.9 - at / 1_000)).toEqual(order(at => 0.9 / 10 ** at))
})

test('a neighbour of a strong hit counts by the rank of that hit, and the weights still sum to 1', () => {
  const lists = { semantic: hits(['a', 'b']), keyword: hits(['a', 'c']) }
  const found = new Map(
    fuse({
      ...lists,
      session: [
        { id: 'n', nextTo: 'a', rank: 1 },
        { id: 'c', nextTo: 'b', rank: 3 },
      ],
    }).map(({ id, ...scoring }) => [id, scoring]),
  )
  expect(found.get('a')?.score).toBeCloseTo(1 / 1.2, 12)
  expect(found.get('c')?.score).toBeCloseTo(((0.6 * 2) / 3 + (0.2 * 2) / 4) / 1.2, 12)
  expect(found.get('n')).toMatchObject({
    score: 0.2 / 1.2,
    sources: { semantic: null, keyword: null },
    explain: { semantic: null, keyword: null, session: { next_to: 'a', rank: 1, weight: 0.2 / 1.2 } },
  })
  expect(fuse({ ...lists, session: [] })).toEqual(fuse(lists))
})

test('no score is above 1, also where one list alone was searched', () => {
  const session = [{ id: 'a', nextTo: 'b', rank: 1 }]
  for (const lists of [
    { semantic: hits(['a']), keyword: hits(['a']) },
    { semantic: hits(['a']), keyword: null },
    { semantic: null, keyword: hits(['a']) },
  ])
    expect(fuse({ ...lists, session })[0]?.score).toBeCloseTo(1, 12)
})

test('the lower id goes first if scores are equal, and empty lists give no result', () => {
  const [one, other] = [hits(['b']), hits(['a1'])]
  const found = fuse({ semantic: [...one, ...other.map(hit => ({ ...hit, rank: 1 }))], keyword: null })
  expect(found.map(({ id }) => id)).toEqual(['a1', 'b'])
  expect(fuse({ semantic: null, keyword: null })).toEqual([])
})
