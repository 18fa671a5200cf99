import type { Found } from './hits.ts'

/** With a result that is clear, all that are. Otherwise the best alone, if it is not faint. */
const BEARS = { clear: 0.3, faint: 0.1 }
/** A result with so much of the query in its own words is one that somebody looks for by its words. */
const SPOKEN = 0.6

/**
 * The results that bear on the query: the relevant ones, those with most of its words, and those near such a
 * result in its session, as what answers there often does not say what it is about. `best` is the highest relevance
 * of earlier pages.
 */
export function bearing(results: readonly Found[], best: number): Found[] {
  const highest = results.reduce((most, { relevance }) => Math.max(most, relevance), best)
  const least = highest >= BEARS.clear ? BEARS.clear : Math.max(BEARS.faint, highest)
  const own = results.filter(
    ({ relevance, explain }) => relevance >= least || (explain?.relevance?.share ?? 0) >= SPOKEN,
  )
  const ids = new Set(own.map(({ memory }) => memory.id))
  return results.filter(
    ({ memory, explain }) => ids.has(memory.id) || (explain?.session && ids.has(explain.session.next_to)),
  )
}
