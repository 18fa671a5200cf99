import { expect, test } from 'vitest'
import { fuse } from '../../src/service/search/fusion.ts'
import type { Ranked } from '../../src/service/search/hits.ts'

/** Hits `a1`, `a2`, …, best first. */
const hits = (name: string, raws: readonly number[]): Ranked[] =>
  raws.map((raw, at) => ({ id: `${name}${at + 1}`, rank: at + 1, raw, relative: raw / (raws[0] || 1) }))

const leads = (raws: readonly number[], typicalCosine: number | null) =>
  fuse({ semantic: hits('a', raws), keyword: [], typicalCosine }).map(
    ({ explain }) => explain?.semantic?.lead,
  )

const falling = Array.from({ length: 30 }, (_, at) => 0.9 - at / 100)

test('a lead is the height over the 20th, as a share of that of the best over the typical', () => {
  const [best, second] = leads(falling, 0.4)
  expect(best).toBeCloseTo((0.9 - 0.71) / (0.9 - 0.4), 9)
  expect(second).toBeCloseTo((0.89 - 0.71) / (0.9 - 0.4), 9)
})

test('nothing leads from behind the 20th on, nor what is no nearer than typical', () => {
  expect(leads(falling, 0.4).slice(19)).toEqual(new Array(11).fill(0))
  expect(leads([0.5, 0.3, 0.1, -0.2], 0.2)).toEqual([1, expect.closeTo(1 / 3, 9), 0, 0])
  expect(leads([0.1, 0.05], 0.2)).toEqual([0, 0])
  expect(leads([-0.1, -0.2], null)).toEqual([0, 0])
})

test('where all are as near as is typical the ranks decide', () => {
  const answer = fuse({ semantic: hits('a', [0.5, 0.5, 0.5]), keyword: [], typicalCosine: 0.5 })
  expect(answer.map(({ id }) => id)).toEqual(['a1', 'a2', 'a3'])
})

test('the best of both kinds scores at most 1, and so does the best of the only one that was asked', () => {
  const [both] = fuse({ semantic: hits('a', [0.8]), keyword: hits('a', [7]), typicalCosine: 0.1 })
  const [meaning] = fuse({ semantic: hits('a', [0.8]), keyword: null, typicalCosine: 0.1 })
  const [words] = fuse({ semantic: null, keyword: hits('a', [7, 3]), typicalCosine: null })
  for (const hit of [both, meaning, words]) expect(hit?.score).toBeCloseTo(1, 12)
})

test('among few memories a cosine leads by itself, so that a word that only one has goes before what is hardly near', () => {
  expect(leads([0.3, 0.1, -0.1], null)).toEqual([0.3, 0.1, 0])
  const best = (raws: readonly number[]) =>
    fuse({ semantic: hits('s', raws), keyword: hits('k', [3]), typicalCosine: null })[0]?.id
  expect(best([0.25, 0.2])).toBe('k1')
  expect(best([0.9, 0.2])).toBe('s1')
})

test('a clear answer of one kind goes before an undecided other', () => {
  const undecided = hits(
    's',
    falling.map(raw => 0.6 + raw / 100),
  )
  const clear = hits('k', [12, 3, 2.9, ...new Array(20).fill(2.8)])
  const [first] = fuse({ semantic: undecided, keyword: clear, typicalCosine: 0.1 })
  expect(first?.id).toBe('k1')
})

test('of equal scores the lesser id goes first, and without hits there is no answer', () => {
  const one = hits('b', [0.7])
  const other = one.map(hit => ({ ...hit, id: 'a1' }))
  const answer = fuse({ semantic: [...one, ...other], keyword: null, typicalCosine: null })
  expect(answer.map(({ id }) => id)).toEqual(['a1', 'b1'])
  expect(fuse({ semantic: null, keyword: null, typicalCosine: null })).toEqual([])
})
