import { normalize } from '../../contract/normalize.ts'

/** Characters that say how a word is broken, joined or directed; the joiner of emoji is one only between letters. */
const INVISIBLE =
  /[\u00ad\u0640\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]|(?<=[\p{L}\p{M}])\u200d(?=\p{L})/gu
const APOSTROPHES = /[‘’‛ʹʻʼˈ′´ꞌ＇]/gu

/** Letters of one place on different Arabic keyboards, and those that are written for each other at the end of a word. */
const arabicForms: Readonly<Record<string, string>> = { ى: 'ي', ی: 'ي', ة: 'ه', ک: 'ك' }

/** A text in one form for all ways of writing it: without invisible characters, with one sign for all apostrophes. */
export const inPlainForm = (text: string): string =>
  isAscii.test(text)
    ? text
    : normalize(text.replaceAll(APOSTROPHES, "'"), 'NFKC')
        .replaceAll(INVISIBLE, '')
        .replaceAll(/[ىیةک]/gu, letter => arabicForms[letter] ?? letter)

const isAscii = /^\p{ASCII}*$/u

/** What is elided before a vowel in French, Italian and Catalan. */
const ELIDED =
  /^([cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu|un|all|dall|dell|nell|sull|coll|quell|quest|bell|sant|gl|cent|tutt|senz|anch|dov|com|cos)'(?=[\p{sc=Latin}\p{M}\d]{2})/u

/** The genitive of English, and endings that Turkish and Polish separate from a name. */
const SUFFIX =
  /^([\p{sc=Latin}\p{M}\d']{2,})'(?:s|[yns]?[aeıiuü](?:n|m|mız|miz|dan|den)?|[dt][ae](?:n|ki)?|n?[ıiuü]n|y?l[ae]|l[ae]r\p{L}{0,8}|[lsc][ıiuü]\p{L}{0,6}|n[dt]?[ae]n?|[dt][ıiuü]r|y[dms]\p{L}{1,6}|ki|ego|emu|em|owi)$/u

type Split = {
  readonly base: string
  /** What was elided, in full. */
  readonly before?: string
  /** Whether the base is the whole word, or all but a genitive. */
  readonly kept: boolean
}

/** A word in small letters without what an apostrophe joins to it: “l'eau” is “eau”, “ankara'ya” is “ankara”. */
export function splitAtApostrophe(word: string): Split {
  if (!word.includes("'")) return { base: word, kept: true }
  const before = ELIDED.exec(word)?.[1]
  const rest = before === undefined ? word : word.slice(before.length + 1)
  const base = SUFFIX.exec(rest)?.[1] ?? rest
  const kept = base === word || word === `${base}'s`
  return { base, kept, ...(before !== undefined && { before: inFull(before) }) }
}

const inFull = (elided: string) => (/.l$/.test(elided) ? `${elided}a` : `${elided}e`)
