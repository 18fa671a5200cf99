import { analyse } from './words.ts'

const K1 = 1.2
const B = 0.75

/**
 * BM25 (Robertson and Zaragoza, 2009) of texts for terms, with the statistics of these texts alone. Lucene counts
 * words over all tenants; where all matches of a tenant are at hand, its own counts keep the others out of its scores.
 */
export function relevances(texts: readonly string[], terms: readonly string[]): number[] {
  const documents = texts.map(analyse)
  const meanLength = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length)
  const scores = documents.map(() => 0)
  for (const phrase of uniquePhrases(terms)) {
    const counts = documents.map(document => occurrences(document, phrase))
    const matching = counts.filter(count => count > 0).length
    const rarity = Math.log(1 + (documents.length - matching + 0.5) / (matching + 0.5))
    for (const [index, count] of counts.entries()) {
      const length = K1 * (1 - B + (B * (documents[index]?.length ?? 0)) / (meanLength || 1))
      scores[index] = (scores[index] ?? 0) + rarity * (count / (count + length))
    }
  }
  return scores
}

const uniquePhrases = (terms: readonly string[]) =>
  [...new Map(terms.map(term => analyse(term)).map(phrase => [phrase.join(' '), phrase])).values()].filter(
    ({ length }) => length > 0,
  )

function occurrences(document: readonly string[], phrase: readonly string[]): number {
  let count = 0
  for (
    let start = document.indexOf(phrase[0] as string);
    start >= 0;
    start = document.indexOf(phrase[0] as string, start + 1)
  )
    if (phrase.every((word, offset) => document[start + offset] === word)) count++
  return count
}
