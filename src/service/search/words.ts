import { normalize } from '../../contract/normalize.ts'
import { stopWordsIn } from '../../platform/text/stop-words.ts'
import { hasWords, phraseForms, type QueryWord, queryWords } from '../../platform/text/words.ts'
import type { WordQuery } from '../../store/search/keyword.ts'

/** So many words of a query are looked for. */
export const MAXIMUM_TERMS = 64
const MAXIMUM_PHRASES = 8

/** What a query is searched for by words. */
export type Reading = {
  readonly words: readonly QueryWord[]
  /** What stands in double quotes. */
  readonly phrases: readonly string[]
  /** What only holds the sentence together. */
  readonly left_out: readonly string[]
  /** There were more words or phrases than are looked for. */
  readonly cut: boolean
}

/** Whether a word of a query only holds it together. */
export const stopWordsOf = (query: string) => stopWordsIn(standingAlone(query))

export function readQuery(query: string): Reading {
  const { text, left_out } = withoutWords(query, stopWordsOf(query))
  const telling = queryWords(text)
  const words = telling.length > 0 ? telling : queryWords(query)
  const phrases = phrasesOf(query)
  return {
    words: words.slice(0, MAXIMUM_TERMS),
    phrases: phrases.slice(0, MAXIMUM_PHRASES),
    left_out: telling.length > 0 ? left_out : [],
    cut: words.length > MAXIMUM_TERMS || phrases.length > MAXIMUM_PHRASES,
  }
}

/** What `explain` shows of it. */
export const toKeywordReading = ({ words, phrases, left_out }: Reading) => ({
  terms: termsOf(words),
  phrases: [...phrases],
  left_out: [...left_out],
})

/** The words as they are written, and the names that they are parts of. */
const termsOf = (words: readonly QueryWord[]) => [
  ...new Set(words.flatMap(({ exact, names }) => [...names, exact])),
]

function phrasesOf(query: string): string[] {
  const quoted = [...withoutJson(query).matchAll(QUOTED)].map(([, straight, curly]) =>
    asTyped(straight ?? curly ?? ''),
  )
  return [...new Set(quoted)].filter(phrase => phraseForms(phrase).length > 0)
}

const asTyped = (text: string) =>
  plain(text)
    .replaceAll(/[\\\s]+/gu, ' ')
    .trim()

/** What finds words and phrases of a query in the index. */
export const toWordQuery = ({ words, phrases }: Pick<Reading, 'words' | 'phrases'>): WordQuery => ({
  terms: words.map(({ exact, forms, names }) => [...new Set([...forms, exact, ...names])]),
  phrases: phrases.map(phraseForms),
})

/** A query without those of its words that it can do without; as it is where none would be left. */
export function withoutWords(
  query: string,
  isOptional: (word: string) => boolean,
): { text: string; left_out: string[] } {
  const chunks = query.split(/\s+/u).map(chunk => ({ chunk, word: wordOf(chunk) }))
  const leaves = ({ word }: { word: string }) => word !== '' && isOptional(word)
  const text = chunks.flatMap(each => (leaves(each) ? [] : [each.chunk])).join(' ')
  return hasWords(text)
    ? { text, left_out: [...new Set(chunks.filter(leaves).map(({ word }) => word))] }
    : { text: query, left_out: [] }
}

export const standingAlone = (query: string) => query.split(/\s+/u).map(wordOf)

/** The one word between two blanks without the marks of a sentence around it; empty for a name with dots, a flag, C++. */
const wordOf = (chunk: string) => alone.exec(plain(chunk))?.[1] ?? ''

const plain = (text: string) => normalize(text.replaceAll('İ', 'i').toLowerCase(), 'NFC').replaceAll('’', "'")

/** A sign after a letter or a digit is one of inches or seconds. */
const QUOTED = /(?<![\p{L}\p{N}])"([^"]{1,256})"(?![\p{L}\p{N}])|“([^“”]{1,256})”/gu

/** The quotes of JSON enclose its names and texts: nobody asks for those words in this order. */
function withoutJson(query: string): string {
  const [from, to] = [query.search(/[{[]/), Math.max(query.lastIndexOf('}'), query.lastIndexOf(']'))]
  const inside = from < 0 || to < from ? '' : query.slice(from, to + 1)
  const outside = inside === '' || !IN_JSON.test(inside) ? query : query.replace(inside, ' ')
  return outside.replaceAll(NAMED, ' ')
}

/** A name before its value, or a text at the end of a list. */
const NAMED = /"[^"]{0,256}"\s{0,9}:\s{0,9}(?:"[^"]{0,256}"|[\d[{-]|true\b|false\b|null\b)/gu
const IN_JSON = /"[^"]{0,256}"\s{0,9}[:,\]}]/u
const alone = /^[¿¡("'“„‘«]*([\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*)[?!.,;:…)"'”“»]*$/u
