import { normalize } from '../../contract/normalize.ts'

export type Word = { readonly text: string; readonly weight: number }

/**
 * The words of a text in order, folded so that case, accents and compatibility forms do not matter. Joined names
 * give their parts too (`createServer`: three words). Scripts without spaces give overlapping pairs of characters.
 */
export function* lexicalWords(text: string): Generator<Word> {
  for (const [run] of normalize(text, 'NFKC').matchAll(RUNS))
    for (const part of partsOf(run)) {
      const word = fold(part)
      if (word) yield { text: word, weight: weightOf(word) }
    }
}

const SPACELESS =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}'
const RUNS = new RegExp(
  `[${SPACELESS}]+|(?:(?![${SPACELESS}])[\\p{L}\\p{N}\\p{M}])+(?:['’](?:(?![${SPACELESS}])[\\p{L}\\p{M}])+)*|\\p{Extended_Pictographic}`,
  'gu',
)
const STARTS_SPACELESS = new RegExp(`^[${SPACELESS}]`, 'u')
const HUMPS = /\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu

function partsOf(run: string): string[] {
  if (STARTS_SPACELESS.test(run)) return pairsOf([...run])
  if (!/\p{Ll}\p{Lu}/u.test(run)) return [run]
  return [run, ...(run.match(HUMPS) ?? [])]
}

const pairsOf = (characters: string[]): string[] =>
  characters.length === 1 ? characters : characters.slice(1).map((next, at) => `${characters[at]}${next}`)

const fold = (word: string): string =>
  normalize(normalize(word.toLowerCase().replace(/['’]/g, ''), 'NFD').replace(/[\u0300-\u036f]/g, ''), 'NFC')

const weightOf = (word: string): number => (STOP_WORDS.has(word) ? 0.15 : word.length < 3 ? 0.6 : 1)

/** The words that an English text cannot do without; they say little about what it is about. */
const STOP_WORDS = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by
  can could did do does doing down during each few for from further get got had has have having he her here hers him
  his how i if in into is it its itself just like may me more most must my no nor not now of off on once one only or
  other our out over own same shall she should so some such than that the their them then there these they this those
  through to too under until up us use used using very was we were what when where which while who whom why will with
  would you your yours dont doesnt didnt isnt arent wasnt werent cant couldnt wont wouldnt shouldnt im ive id ill youre
  youve theyre were thats lets`.split(/\s+/),
)
