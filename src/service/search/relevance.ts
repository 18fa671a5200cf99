import { END, type QueryWord } from '../../platform/text/words.ts'
import { rarityOf } from './coverage.ts'

const K1 = 1.2
const B = 0.75
/** How much it adds that a word stands there as it is written. */
const EXACT = 0.2

/** How often the wanted tokens are among the stems of a text, of which there are `length`, and which are among its others. */
type Document = {
  readonly length: number
  readonly counts: ReadonlyMap<string, number>
  readonly others: ReadonlySet<string>
}

/** What is counted in a text, and how much it weighs. */
type Feature = {
  readonly weight: number
  readonly count: (document: Document) => number
  readonly rarity: (rarity: (token: string) => number) => number
}

/**
 * BM25 (Robertson and Zaragoza, 2009) of texts, as the index has them, for words: with the statistics of these texts alone, or
 * with how rare words are in more than these. Lucene counts words over all tenants; here the others stay out of a tenant's scores.
 * Other requests run at each `nextSlice`.
 */
export async function relevances(
  texts: readonly string[],
  words: readonly QueryWord[],
  nextSlice: () => Promise<void>,
  rarity?: (token: string) => number,
): Promise<number[]> {
  const wanted = wantedTokens(words)
  const documents: Document[] = []
  for (const text of texts) {
    await nextSlice()
    documents.push(read(text, wanted))
  }
  const meanLength = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length) || 1
  const scores = documents.map(() => 0)
  for (const feature of featuresOf(words)) {
    await nextSlice()
    const counts = documents.map(feature.count)
    const weight = feature.weight * (rarity ? feature.rarity(rarity) : rarityAmong(counts))
    for (const [index, count] of counts.entries()) {
      const length = K1 * (1 - B + (B * (documents[index]?.length ?? 0)) / meanLength)
      scores[index] = (scores[index] ?? 0) + weight * (count / (count + length))
    }
  }
  return scores
}

function rarityAmong(counts: readonly number[]): number {
  const matching = counts.filter(count => count > 0).length
  return Math.log(1 + (counts.length - matching + 0.5) / (matching + 0.5))
}

/**
 * A text as the index has it. It is searched for the few tokens of a query: to cut it into its own would take seven times as
 * long.
 */
function read(text: string, wanted: readonly string[]): Document {
  const end = text.indexOf(END)
  const counts = new Map<string, number>()
  const others = new Set<string>()
  for (const token of wanted)
    for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + token.length)) {
      if (!isEdge(text, at - 1) || !isEdge(text, at + token.length)) continue
      if (at > end) {
        others.add(token)
        break
      }
      counts.set(token, (counts.get(token) ?? 0) + 1)
    }
  return { length: blanksIn(text, end), counts, others }
}

function blanksIn(text: string, end: number): number {
  let count = 0
  for (let at = 0; at < end; at++) if (text.charCodeAt(at) === BLANK) count++
  return count
}

const BLANK = 32

const wantedTokens = (words: readonly QueryWord[]): string[] => [
  ...new Set(words.flatMap(({ exact, forms, names }) => [exact, ...forms, ...names]).filter(Boolean)),
]

/** Each word, each word as it is written, and each name that words are parts of. */
function featuresOf(words: readonly QueryWord[]): Feature[] {
  const names = [...new Set(words.flatMap(word => word.names))]
  return [
    ...words.map(word => ({
      weight: 1,
      count: (document: Document) => countOf(word, document),
      rarity: (rarity: (token: string) => number) => rarityOf(word, rarity),
    })),
    ...words.map(({ exact }) => one(exact, EXACT)),
    ...names.map(name => one(name, 1)),
  ]
}

const one = (token: string, weight: number): Feature => ({
  weight,
  count: document => occurrences(token, document),
  rarity: rarity => rarity(token),
})

const countOf = ({ forms, exact, names }: QueryWord, document: Document) =>
  forms.reduce((sum, form) => sum + (document.counts.get(form) ?? 0), 0) ||
  Number([exact, ...names].some(token => document.others.has(token)))

const occurrences = (token: string, { counts, others }: Document) =>
  counts.get(token) ?? Number(others.has(token))

const isEdge = (text: string, at: number) => at < 0 || at === text.length || text.charCodeAt(at) === BLANK
