import { expect, test } from 'vitest'
import { fuse, type Worded } from '../../src/service/search/fusion.ts'

const hits = (ids: readonly string[], { raw = (at: number) => 0.9 - at / 100, share = 1 } = {}): Worded[] =>
  ids.map((id, at) => ({ id, rank: at + 1, raw: raw(at), relative: raw(at) / raw(0), share }))

test('the best of both lists scores 1, and so does the best of the only list that was searched', () => {
  const [both] = fuse({ semantic: hits(['a']), keyword: hits(['a']) })
  const [meaning] = fuse({ semantic: hits(['a']), keyword: null })
  const [words] = fuse({ semantic: null, keyword: hits(['a', 'b'], { share: 0.1 }) })
  for (const hit of [both, meaning, words]) expect(hit?.score).toBe(1)
})

test('a part is the weight of its list times 3 / (2 + rank)', () => {
  const scores = new Map(
    fuse({ semantic: hits(['a', 'b', 'c']), keyword: hits(['c', 'd']) }).map(({ id, score }) => [id, score]),
  )
  expect(scores.get('a')).toBeCloseTo(0.5, 12)
  expect(scores.get('b')).toBeCloseTo((0.5 * 3) / 4, 12)
  expect(scores.get('c')).toBeCloseTo((0.5 * 3) / 5 + 0.5, 12)
  expect(scores.get('d')).toBeCloseTo((0.5 * 3) / 4, 12)
})

test('a hit by words counts as much as it covers of the query, of which .8 is all', () => {
  const score = (share: number) => fuse({ semantic: [], keyword: hits(['a'], { share }) })[0]?.score
  expect(score(0.2)).toBeCloseTo(0.125, 12)
  expect(score(0.8)).toBeCloseTo(0.5, 12)
  expect(score(1)).toBeCloseTo(0.5, 12)
})

test('what is nearest in meaning goes before what shares one common word', () => {
  const found = fuse({ semantic: hits(['answer', 'other']), keyword: hits(['chance'], { share: 0.1 }) })
  expect(found.map(({ id }) => id)).toEqual(['answer', 'other', 'chance'])
})

test('a hit that both lists have goes before hits of one list with the same ranks', () => {
  const found = fuse({ semantic: hits(['s', 'both']), keyword: hits(['k', 'both']) })
  expect(found.map(({ id }) => id)).toEqual(['both', 'k', 's'])
})

test('only ranks count, however close or far apart the raw values are', () => {
  const order = (raw: (at: number) => number) =>
    fuse({ semantic: hits(['a', 'b', 'c'], { raw }), keyword: hits(['c', 'd', 'a']) }).map(
      ({ id, score }) => [id, score],
    )
  expect(order(at => 0.9 - at / 1_000)).toEqual(order(at => 0.9 / 10 ** at))
})

test('a neighbour counts by the score of the strong hit, less with distance, by the best one only', () => {
  const lists = { semantic: hits(['a', 'b']), keyword: hits(['a', 'c']) }
  const [a, b] = [
    { nextTo: 'a', rank: 1, score: 1 },
    { nextTo: 'b', rank: 2, score: 0.375 },
  ]
  const found = new Map(
    fuse({
      ...lists,
      session: [
        { id: 'n', distance: 1, ...b },
        { id: 'n', distance: 2, ...a },
        { id: 'c', distance: 1, ...b },
      ],
    }).map(({ id, ...scoring }) => [id, scoring]),
  )
  expect(found.get('a')?.score).toBeCloseTo(1 / 1.3, 12)
  expect(found.get('c')?.score).toBeCloseTo(((0.5 * 3) / 4 + 0.3 * 0.375) / 1.3, 12)
  expect(found.get('n')).toMatchObject({
    score: (0.3 / 1.3) * 0.7,
    sources: { semantic: null, keyword: null },
    explain: {
      semantic: null,
      keyword: null,
      session: { next_to: 'a', rank: 1, distance: 2, score: 1, weight: 0.3 / 1.3 },
    },
  })
  expect(fuse({ ...lists, session: [] })).toEqual(fuse(lists))
})

test('no score is above 1, also where one list alone was searched', () => {
  const session = [{ id: 'a', nextTo: 'b', rank: 1, distance: 1, score: 1 }]
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
