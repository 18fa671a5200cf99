import { seededRandom } from '../../tools/seeded-random.ts'

/** What is measured of one query from the rank of its one answer, 1 is best, undefined is not found. */
export const measures = {
  'recall@1': (rank: number | undefined) => Number(rank !== undefined && rank <= 1),
  'recall@10': (rank: number | undefined) => Number(rank !== undefined && rank <= 10),
  'nDCG@10': (rank: number | undefined) => (rank === undefined || rank > 10 ? 0 : 1 / Math.log2(1 + rank)),
} as const

export type Measure = keyof typeof measures
export type Interval = { readonly mean: number; readonly low: number; readonly high: number }

const RESAMPLES = 2_000
const SEED = 23

/** The mean and the middle 95 % of its means over resampled queries (percentile bootstrap). */
export function interval(values: readonly number[]): Interval {
  const random = seededRandom(SEED)
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0
    for (let at = 0; at < values.length; at++) sum += values[Math.floor(random() * values.length)] as number
    return sum / values.length
  }).sort((a, b) => a - b)
  const at = (share: number) => means[Math.round(share * (RESAMPLES - 1))] as number
  return { mean: meanOf(values), low: at(0.025), high: at(0.975) }
}

export const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length
