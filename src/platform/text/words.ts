import { LRUCache } from 'lru-cache'
import { inPlainForm, splitAtApostrophe } from './apostrophes.ts'
import { fold, languages, possibleStems, stemOf } from './stems.ts'
import { languageOf, stopWordsOfLanguage } from './stop-words.ts'

/**
 * A unit of a text: a word, an identifier, or a run of a script without spaces. `parts` are its words in order, each as
 * it is written, in lower case. `whole` are the names that it can be asked for by.
 */
type Unit = {
  readonly parts: readonly string[]
  /** What an apostrophe cuts off before them, such as the article of “l'eau”. It tells the language. */
  readonly elided?: readonly string[]
  readonly whole: readonly string[]
  /** The letters of a run without spaces: one alone can be asked for. */
  readonly letters?: readonly string[]
}

/** The tokens of a text: its stems in order, and what it is also found by, each once. */
export type Tokens = { readonly stems: readonly string[]; readonly others: ReadonlySet<string> }

/** A longer token is cut off. */
const LONGEST = 100
/** So many words tell the language. */
const TELLING = 400

/** The one place where a text is cut into words: for the index, scores, relevance, highlights and common words. */
export function tokensOf(text: string): Tokens {
  const units = unitsOf(text)
  const language = languageOfUnits(units) ?? 'english'
  const stems: string[] = []
  const others = new Set<string>()
  for (const { parts, whole, letters = [] } of units) {
    for (const part of parts) {
      const stem = stemIn(part, language)
      stems.push(stem)
      if (part !== stem) others.add(cut(part))
    }
    for (const name of whole) others.add(cut(fold(name)))
    for (const each of letters) others.add(each)
  }
  return { stems, others }
}

/** The language of a text; null if its words do not tell. */
export const languageIn = (text: string) => languageOfUnits(unitsOf(text))

const languageOfUnits = (units: readonly Unit[]) =>
  languageOf(units.slice(0, TELLING).flatMap(({ parts, elided = [] }) => [...elided, ...parts]))

/** Keeps a phrase from going on from the stems into what follows them. */
export const END = '\ue000'

/** The tokens as the full-text index reads them, which cuts at blanks alone. */
export function indexedWords(text: string): string {
  const { stems, others } = tokensOf(text)
  return [...stems, END, ...others].join(' ')
}

/** The tokens of a text of which `indexedWords` are known: they are read in a twentieth of the time. */
export function indexedTokens(words: string): Tokens {
  const [stems = '', others = ''] = words.split(END)
  return { stems: listed(stems), others: new Set(listed(others)) }
}

/** The script of a text, and the language if its words tell: what two texts need to have words in common. */
export function writtenIn({ stems, others }: Tokens): {
  readonly script: string | undefined
  readonly language: string | null
} {
  const found = stems.flatMap(stem => scripts.find(([, script]) => script.test(stem))?.[0] ?? [])
  const most = [...Map.groupBy(found, script => script)].sort(([, a], [, b]) => b.length - a.length)[0]
  return { script: most?.[0], language: languageOf([...stems.slice(0, TELLING), ...others]) }
}

const scripts = ['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari', 'Hangul', 'Thai', 'Han'].map(
  script => [script, new RegExp(`^[\\p{scx=${script}}&&\\p{L}]`, 'v')] as const,
)

/** The stems that say what a text is about: no stop words, and no short numbers. */
export function tellingStems({ stems, others }: Tokens): Set<string> {
  const functional = stopStems(languageOf([...stems.slice(0, TELLING), ...others]) ?? 'english')
  return new Set(stems.filter(stem => telling.test(stem) && !functional.has(stem)))
}

const telling = /\p{L}\p{M}*\p{L}|\d{4}/u

const stopStemsOf = new Map<string, ReadonlySet<string>>()

function stopStems(language: string): ReadonlySet<string> {
  const known = stopStemsOf.get(language)
  if (known) return known
  const stems = new Set(stopWordsOfLanguage(language).map(word => stemIn(word, language)))
  stopStemsOf.set(language, stems)
  return stems
}

/** Of the indexed words of a long text so many characters of the stems, and as many of the others. */
export function cutWords(words: string, characters: number): string {
  if (words.length <= characters) return words
  const end = words.indexOf(END)
  return words.slice(0, Math.min(end, characters)) + words.slice(end, end + 1 + characters)
}

const listed = (tokens: string) => {
  const trimmed = tokens.trim()
  return trimmed === '' ? [] : trimmed.split(' ')
}

/**
 * A word of a query: a memory has it if it has one of the forms, or one of the names that the word is a part of. The word as
 * it is written makes it a better match.
 */
export type QueryWord = {
  readonly exact: string
  readonly forms: readonly string[]
  readonly names: readonly string[]
}

export const hasWords = (query: string): boolean => unitsOf(query).some(({ parts }) => parts.length > 0)

/** A short query often does not tell its language: then a word has the stems of all of them. */
const SHORT = 8

/** The words of a query, each once. */
export function queryWords(query: string): QueryWord[] {
  const units = unitsOf(query)
  const parts = units.flatMap(each => each.parts)
  const language = languageOfUnits(units) ?? (parts.length > SHORT ? 'english' : null)
  const words = units.flatMap(({ parts, whole }) => {
    const names = whole.map(name => cut(fold(name)))
    return parts.map(part => ({ exact: cut(part), forms: formsOf(part, language), names }))
  })
  return [...new Map(words.map(each => [each.exact, each])).values()]
}

function formsOf(part: string, language: string | null): string[] {
  const stems = language
    ? [stemOf(cut(part), language), stemOf(cut(part), 'english')]
    : possibleStems(cut(part))
  return [...new Set(stems.map(cut))]
}

/** The stems of a phrase in their order, one text for each language that it can be in. */
export function phraseForms(phrase: string): string[] {
  const parts = unitsOf(phrase).flatMap(each => each.parts)
  const forms = languages.map(language => parts.map(part => stemIn(part, language)).join(' '))
  return [...new Set(parts.length === 1 ? [...parts.map(cut), ...forms] : forms)].filter(form => form !== '')
}

/** Cut before the stemmer too, which takes long for an endless word. */
const stemIn = (part: string, language: string) => cut(stemOf(cut(part), language))

const cut = (token: string) => (token.length > LONGEST ? token.slice(0, LONGEST).toWellFormed() : token)

const unitsOf = (text: string): Unit[] => inPlainForm(text).split(/\s+/u).flatMap(unitsBetweenBlanks)

/** V8 copies what it cuts out of a text as far as this; a longer piece would keep the whole text in memory. */
const LONGEST_KEPT = 12

/** Most of what stands between blanks stood in other texts before. */
const pieces = new LRUCache<string, readonly Unit[]>({ max: 20_000 })

function unitsBetweenBlanks(piece: string): readonly Unit[] {
  const known = pieces.get(piece)
  if (known) return known
  const units = [...piece.matchAll(unit)].map(({ 0: chunk, groups = {} }) =>
    groups.unspaced ? unspaced(chunk) : groups.sign ? sign(chunk) : named(chunk),
  )
  if (piece.length <= LONGEST_KEPT) pieces.set(piece, units)
  return units
}

const sign = (chunk: string): Unit => ({ parts: [lowerCase(chunk)], whole: [] })

/** Pairs of letters, as such scripts do not say where a word ends. */
function unspaced(run: string): Unit {
  const letters = run.match(oneLetter) ?? []
  const pairs = letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)
  return pairs.length > 0 ? { parts: pairs, whole: [], letters } : { parts: letters, whole: [] }
}

/** A name with signs inside, in capitals inside, or a plain word. */
function named(chunk: string): Unit {
  const lower = lowerCase(chunk)
  const written = (chunk.match(word) ?? []).flatMap(each => each.split(humps)).map(lowerCase)
  const split = written.map(splitAtApostrophe)
  const parts = split.map(({ base }) => base)
  const isCut = split.some(({ kept }) => !kept)
  const joined =
    parts.length > 1 || isCut ? [lower, ...lower.split('/').filter(name => /\w\W+\w/.test(name))] : []
  const version = /^v\d/.test(lower) ? [lower.slice(1)] : []
  const elided = split.flatMap(({ before }) => before ?? [])
  return { parts, whole: [...new Set([...joined, ...version])], ...(elided.length > 0 && { elided }) }
}

const lowerCase = (text: string) => text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ')

const unspacedScripts =
  '[[\\p{sc=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\p{sc=Tai_Le}\\p{sc=New_Tai_Lue}\\p{sc=Tai_Tham}\\p{sc=Tai_Viet}\\p{sc=Ahom}]&&[\\p{L}\\p{M}]]'
const letter = `[[\\p{L}\\p{M}\\p{N}]--${unspacedScripts}]`
const plainWord = `${letter}+(?:'${letter}+)*`
/** A sign with which no unit begins is passed over before scripts are looked up. Keycaps begin with # or *. */
const noBeginning = '(?![\\p{ASCII}--[0-9A-Za-z#*]]|[#*](?!\\u{FE0F}))'
const unit = new RegExp(
  `${noBeginning}(?:(?<unspaced>${unspacedScripts}[${unspacedScripts}\\p{M}]*)|(?<sign>${letter}+(?:\\+\\+|#)(?![\\p{L}\\p{N}])|\\p{RGI_Emoji}|[\\p{S}--\\p{ASCII}])|${plainWord}(?:[._\\-\\/:@+=]+${plainWord})*)`,
  'gv',
)
const word = new RegExp(plainWord, 'gv')
const oneLetter = /[\p{L}\p{N}]\p{M}*/gu
/** Between a small letter and a capital, and before the last of several capitals. */
const humps = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
