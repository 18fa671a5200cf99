import type { Found } from './hits.ts'

/** By it a search by meaning loses 3 % of the answers to the questions of the bench, by which it was chosen. */
const BEARS = 0.15
/** A result with so much of the query in its own words is one that somebody looks for by its words. */
const SPOKEN = 0.5

/**
 * The results that bear on the query: the relevant ones, those with half of its words, and those near such a
 * result in its session, as what answers there often does not say what it is about.
 */
export function bearing(results: readonly Found[]): Found[] {
  const own = results.filter(
    ({ relevance, explain }) => relevance >= BEARS || (explain?.relevance?.share ?? 0) >= SPOKEN,
  )
  const ids = new Set(own.map(({ memory }) => memory.id))
  return results.filter(
    ({ memory, explain }) => ids.has(memory.id) || (explain?.session && ids.has(explain.session.next_to)),
  )
}
