import type { Found } from './hits.ts'

const DIGITS = 10_000

const round = (value: number) => Math.round(value * DIGITS) / DIGITS

/** A result as it is shown: no figure of a search means more than four digits. */
export const rounded = (result: Found): Found => ({ ...result, ...roundFigures(result) })

const roundFigures = ({ score, relevance, sources, explain }: Found) => ({
  score: round(score),
  relevance: round(relevance),
  sources: roundAll(sources),
  explain: explain && roundAll(explain),
})

/** The same value with each number in it rounded. */
function roundAll<Value>(value: Value): Value {
  if (typeof value === 'number') return round(value) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, roundAll(each)])) as Value
}
