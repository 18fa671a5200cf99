import { LRUCache } from 'lru-cache'
import { stemmer } from 'stemmer'
import { normalize } from '../../contract/normalize.ts'
import type { WordQuery } from '../../store/search/keyword.ts'
import { stopWordsIn } from './stop-words.ts'

/** The words that the full-text index leaves out (Lucene's English stop words). */
const stopWords = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
)

/** So many terms of a query are looked for. */
export const MAXIMUM_TERMS = 64
const MAXIMUM_PHRASES = 8
/** A term is compared word by word: of no more than so many, which between them may hold other signs. */
const LONGEST_TERM = { words: 16, characters: 256 }

/** What a query is searched for by words. */
export type Reading = {
  readonly terms: string[]
  /** What stands in double quotes. */
  readonly phrases: string[]
  /** What only holds the sentence together. */
  readonly left_out: string[]
  /** There were more terms or phrases than are looked for. */
  readonly cut: boolean
}

/** Whether a word of a query only holds it together. */
export const stopWordsOf = (query: string) => stopWordsIn(standingAlone(query))

export function readQuery(query: string): Reading {
  const { text, left_out } = withoutWords(query, stopWordsOf(query))
  const telling = queryTerms(text)
  const terms = telling.length > 0 ? telling : queryTerms(query)
  const phrases = phrasesOf(query)
  return {
    terms: terms.slice(0, MAXIMUM_TERMS),
    phrases: phrases.slice(0, MAXIMUM_PHRASES),
    left_out: telling.length > 0 ? left_out : [],
    cut: terms.length > MAXIMUM_TERMS || phrases.length > MAXIMUM_PHRASES,
  }
}

/** A phrase of stop words alone is none: the index does not hold them. */
function phrasesOf(query: string): string[] {
  const quoted = [...query.matchAll(QUOTED)].map(([, straight, curly]) => asTyped(straight ?? curly ?? ''))
  return [...new Set(quoted)].filter(phrase => queryTerms(phrase).length > 0)
}

const asTyped = (text: string) =>
  normalize(lowerCase(text), 'NFC').replaceAll(unsafe, ' ').replaceAll(/\s+/gu, ' ').trim()

/** What finds words and phrases of a query in the index. */
export const toWordQuery = ({ terms, phrases }: Pick<Reading, 'terms' | 'phrases'>): WordQuery => ({
  terms,
  phrases: phrases.map(phrase => [...new Set(spellings(phrase))]),
})

/** A query without those of its words that can be spared; as it is where none would be left. */
export function withoutWords(
  query: string,
  spared: (word: string) => boolean,
): { text: string; left_out: string[] } {
  const chunks = query.split(/\s+/u).map(chunk => ({ chunk, word: wordOf(chunk) }))
  const leaves = ({ word }: { word: string }) => word !== '' && spared(word)
  const text = chunks.flatMap(each => (leaves(each) ? [] : [each.chunk])).join(' ')
  return /[\p{L}\p{N}]/u.test(text)
    ? { text, left_out: [...new Set(chunks.filter(leaves).map(({ word }) => word))] }
    : { text: query, left_out: [] }
}

/** The words of a text as they are compared with others: in lower case, with straight apostrophes. */
export const wordsOf = (text: string): string[] => plain(text).match(words) ?? []

const standingAlone = (query: string) => query.split(/\s+/u).map(wordOf)

/** The one word between two blanks without the marks of a sentence around it; empty for a name with dots, a flag, C++. */
const wordOf = (chunk: string) => alone.exec(plain(chunk))?.[1] ?? ''

const plain = (text: string) => normalize(lowerCase(text), 'NFC').replaceAll('’', "'")

/** As the index does it, except for a final sigma, which the index keeps as it is written. */
const lowerCase = (text: string) => text.replaceAll('İ', 'i').toLowerCase()

/**
 * The terms of a query: what stands between blanks, and the words inside of it. None holds a quote, a backslash or a
 * control character, so that a quoted term has no syntax left for Lucene's parser.
 */
export function queryTerms(query: string): string[] {
  const chunks = normalize(lowerCase(query), 'NFC').replaceAll(unsafe, ' ').split(/\s+/u)
  const terms = chunks.flatMap(chunk => [
    ...[chunk.replace(edges, '')].filter(isShort),
    ...(chunk.match(words) ?? []).flatMap(pieces),
  ])
  const telling = terms.filter(term => term !== '' && !stopWords.has(term))
  return [...new Set(telling.flatMap(spellings))]
}

const isShort = (term: string) =>
  term.length <= LONGEST_TERM.characters && (term.match(units) ?? []).length <= LONGEST_TERM.words

/** What is written without spaces is one word here and many for the index: it is cut where it is long, evenly. */
function pieces(word: string): string[] {
  const starts = [...word.matchAll(units)].map(({ index }) => index)
  const size = Math.ceil(starts.length / Math.ceil(starts.length / LONGEST_TERM.words))
  const cuts = starts.filter((_, at) => at > 0 && at % size === 0)
  return [0, ...cuts].map((start, at) => word.slice(start, cuts[at]))
}

/** The index keeps a text as it was typed: with either apostrophe, with composed or decomposed accents. */
const spellings = (term: string) =>
  sigmas(term.replaceAll('’', "'")).flatMap(each => [each, each.replaceAll("'", '’'), normalize(each, 'NFD')])

/** In the index a word in capitals ends in another sigma than one in small letters. */
function sigmas(term: string): string[] {
  const inside = term.replaceAll('ς', 'σ')
  return [term, inside, inside.replaceAll(lastSigma, 'ς')]
}

/**
 * A text for scoring: stemmed words in order, and single characters where words are not spaced. Names with dots and
 * underscores are split, so that a text with the whole name also has its parts.
 */
export const analyse = (text: string): string[] =>
  (plain(text).replaceAll('ς', 'σ').match(units) ?? []).filter(word => !stopWords.has(word)).map(stem)

/** V8 copies what it cuts out of a text as far as this; a longer word would keep the whole text in memory. */
const LONGEST_KEPT = 12

/** Most words of a text stood in others before it. */
const stems = new LRUCache<string, string>({ max: 10_000 })

function stem(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  const stemmed = /^[a-z']+$/.test(word) ? stemmer(word.replace(/'s$/, '')) : word
  if (word.length <= LONGEST_KEPT) stems.set(word, stemmed)
  return stemmed
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
const unsafe = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/gu
const QUOTED = /"([^"]{1,256})"|“([^“”]{1,256})”/gu
const edges = /^[^\p{L}\p{N}]+|(?<=[\p{L}\p{M}\p{N}])[^\p{L}\p{M}\p{N}]+$/gu
const words = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu
const alone = /^[¿¡("'“„‘«]*([\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*)[?!.,;:…)"'”“»]*$/u
const lastSigma = /σ(?![\p{L}\p{M}\p{N}])/gu

// Where the index takes a text apart that has no spaces (UAX #29): at each sign, or where the script changes.
const signs = '[\\p{sc=Han}\\p{sc=Hiragana}]'
const katakana = '[\\p{scx=Katakana}&&\\p{L}]'
const southEastAsian =
  '[[\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\p{sc=Tai_Le}\\p{sc=New_Tai_Lue}\\p{sc=Tai_Tham}\\p{sc=Tai_Viet}\\p{sc=Ahom}]&&[\\p{L}\\p{M}]]'
const letter = `[[\\p{L}\\p{M}\\p{N}]--[${signs}${katakana}${southEastAsian}]]`
const units = new RegExp(
  `${signs}\\p{M}*|${katakana}[${katakana}\\p{M}]*|${southEastAsian}[${southEastAsian}\\p{M}]*|${letter}+(?:'${letter}+)*`,
  'gv',
)
