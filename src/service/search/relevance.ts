import { analyse } from './words.ts'

const K1 = 1.2
const B = 0.75

/** The words of a text in order, and the places at which each of them stands. */
type Document = { words: readonly string[]; places: ReadonlyMap<string, readonly number[]> }

/**
 * BM25 (Robertson and Zaragoza, 2009) of texts for terms, with the statistics of these texts alone, or with how rare
 * words are in more than these. Lucene counts words over all tenants; here the others stay out of a tenant's scores.
 * Other requests run at each `nextSlice`.
 */
export async function relevances(
  texts: readonly string[],
  terms: readonly string[],
  nextSlice: () => Promise<void>,
  rarityOf?: (word: string) => number,
): Promise<number[]> {
  const documents: Document[] = []
  for (const text of texts) {
    await nextSlice()
    documents.push(read(text))
  }
  const meanLength = documents.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, texts.length)
  const scores = documents.map(() => 0)
  for (const phrase of uniquePhrases(terms)) {
    const counts: number[] = []
    for (const document of documents) {
      await nextSlice()
      counts.push(occurrences(document, phrase))
    }
    const rarity = rarityOf ? Math.max(...phrase.map(rarityOf)) : rarityAmong(counts)
    for (const [index, count] of counts.entries()) {
      const length = K1 * (1 - B + (B * (documents[index]?.words.length ?? 0)) / (meanLength || 1))
      scores[index] = (scores[index] ?? 0) + rarity * (count / (count + length))
    }
  }
  return scores
}

function rarityAmong(counts: readonly number[]): number {
  const matching = counts.filter(count => count > 0).length
  return Math.log(1 + (counts.length - matching + 0.5) / (matching + 0.5))
}

function read(text: string): Document {
  const words = analyse(text)
  const places = new Map<string, number[]>()
  for (const [at, word] of words.entries()) {
    const known = places.get(word)
    if (known) known.push(at)
    else places.set(word, [at])
  }
  return { words, places }
}

const uniquePhrases = (terms: readonly string[]) =>
  [...new Map(terms.map(term => analyse(term)).map(phrase => [phrase.join(' '), phrase])).values()].filter(
    ({ length }) => length > 0,
  )

/** Looks only where the rarest word of the phrase stands. */
function occurrences({ words, places }: Document, phrase: readonly string[]): number {
  const [rarest] = phrase
    .map((word, offset) => ({ offset, at: places.get(word) ?? [] }))
    .sort((one, other) => one.at.length - other.at.length)
  if (!rarest) return 0
  let count = 0
  for (const at of rarest.at)
    if (phrase.every((word, offset) => words[at - rarest.offset + offset] === word)) count++
  return count
}
