import { stemmer as arabic } from '@orama/stemmers/arabic'
import { stemmer as danish } from '@orama/stemmers/danish'
import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as finnish } from '@orama/stemmers/finnish'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as greek } from '@orama/stemmers/greek'
import { stemmer as hungarian } from '@orama/stemmers/hungarian'
import { stemmer as indian } from '@orama/stemmers/indian'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as norwegian } from '@orama/stemmers/norwegian'
import { stemmer as snowballPortuguese } from '@orama/stemmers/portuguese'
import { stemmer as romanian } from '@orama/stemmers/romanian'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { stemmer as swedish } from '@orama/stemmers/swedish'
import { stemmer as turkish } from '@orama/stemmers/turkish'
import { LRUCache } from 'lru-cache'
import { stemmer as english } from 'stemmer'

/** Snowball keeps the plural of “reunião” apart. */
const portuguese = (word: string) => snowballPortuguese(word.replace(/[õã]es$/, 'ão'))

const latin: Readonly<Record<string, (word: string) => string>> = {
  ...{ danish, dutch, english, finnish, french, german, hungarian, italian },
  ...{ norwegian, portuguese, romanian, spanish, swedish, turkish },
}
export const languages: readonly string[] = Object.keys(latin)
const byScript: readonly (readonly [RegExp, (word: string) => string])[] = [
  [/^\p{sc=Cyrillic}/u, russian],
  [/^\p{sc=Arabic}/u, arabic],
  [/^\p{sc=Devanagari}/u, indian],
  [/^\p{sc=Greek}/u, greek],
]

/** V8 copies what it cuts out of a text as far as this; a longer word would keep the whole text in memory. */
const LONGEST_KEPT = 12

/** The stems of words in one language, or in all of them. Most words of a text stood in others before it. */
const kept = new Map<string, LRUCache<string, readonly string[]>>()
const EVERY = 'every'

/** The stem of a word in lower case, without accents: by its script, and in Latin script by the language of the text. */
export const stemOf = (word: string, language: string): string =>
  stemsOf(word, language, [language])[0] as string

/** The stems that a word of an unknown language can have. */
export const possibleStems = (word: string): readonly string[] => stemsOf(word, EVERY, languages)

function stemsOf(word: string, name: string, languages: readonly string[]): readonly string[] {
  const stems = kept.get(name) ?? new LRUCache<string, readonly string[]>({ max: 10_000 })
  kept.set(name, stems)
  const known = stems.get(word)
  if (known) return known
  const found = [...new Set(stemmersFor(word, languages).map(stem => fold(stem(word)) || word))]
  if (word.length <= LONGEST_KEPT) stems.set(word, found)
  return found
}

const asItIs = (word: string) => word

function stemmersFor(word: string, languages: readonly string[]) {
  if (/^[\p{sc=Latin}\p{M}']+$/u.test(word)) return languages.map(language => latin[language] ?? english)
  return [byScript.find(([script]) => script.test(word))?.[1] ?? asItIs]
}

/** Letters that Unicode does not take apart. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ı: 'i' },
}
const accented = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Hebrew}])\p{Mn}+/gu

/** A word without accents. The marks of other scripts are letters. */
export const fold = (word: string): string =>
  isAscii.test(word)
    ? word
    : word
        .normalize('NFD')
        .replaceAll(accented, '$1')
        .replaceAll(/[ßæœøđðþłı]/g, letter => plainLetters[letter] ?? letter)
        .normalize('NFC')

const isAscii = /^\p{ASCII}*$/u
