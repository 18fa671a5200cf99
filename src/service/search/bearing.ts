import type { Found } from './hits.ts'

/**
 * Relevances, chosen by the questions of the bench: by them a search loses 4 % of the answers. With a clear
 * result a search shows what is at least `likely`. Without one, it shows the best result alone, if that is not `faint`.
 */
const BEARS = { likely: 0.08, faint: 0.05 }
export const CLEAR = 0.7
/** A result with so much of the query in its own words is one that somebody looks for by its words. */
const SPOKEN = 0.6

/**
 * The results that bear on the query: the relevant ones, those with most of its words, and those near such a
 * result in its session, as what answers there often does not say what it is about. `best` is the highest relevance
 * of earlier pages, `clear` from which on a result is clear.
 */
export function bearing(
  results: readonly Found[],
  { best, clear }: { best: number; clear: number },
): Found[] {
  const highest = results.reduce((most, { relevance }) => Math.max(most, relevance), best)
  const least = highest >= clear ? BEARS.likely : Math.max(BEARS.faint, highest)
  const own = results.filter(
    ({ relevance, explain }) => relevance >= least || (explain?.relevance?.share ?? 0) >= SPOKEN,
  )
  const ids = new Set(own.map(({ memory }) => memory.id))
  return results.filter(
    ({ memory, explain }) => ids.has(memory.id) || (explain?.session && ids.has(explain.session.next_to)),
  )
}
