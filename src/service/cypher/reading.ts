import { refuse } from './refusal.ts'
import { type Token, tokensOf } from './tokens.ts'
import type { Expression, PathPattern, Query } from './tree.ts'

const DEEPEST = 24

/** Where a reader of a query is. What stands inside an expression, and is none, is read by `nested`. */
export type Reading = {
  readonly query: string
  readonly tokens: readonly Token[]
  readonly nested: {
    readonly expression: (reading: Reading) => Expression
    readonly query: (reading: Reading) => Query
    readonly path: (reading: Reading) => PathPattern
  }
  at: number
  depth: number
}

export const startReading = (query: string, nested: Reading['nested']): Reading => ({
  query,
  tokens: tokensOf(query),
  nested,
  at: 0,
  depth: 0,
})

export const peek = ({ tokens, at }: Reading, ahead = 0): Token =>
  tokens[Math.min(at + ahead, tokens.length - 1)] as Token

export function next(reading: Reading): Token {
  const token = peek(reading)
  reading.at++
  return token
}

export const isSign = ({ kind, text }: Token, sign: string) => kind === 'symbol' && text === sign
export const isWord = ({ kind, text }: Token, word: string) => kind === 'name' && text.toUpperCase() === word

/** Whether these signs and words come next. */
export const comes = (reading: Reading, ...texts: readonly string[]): boolean =>
  texts.every((text, at) => {
    const token = peek(reading, at)
    return isSign(token, text) || isWord(token, text)
  })

/** Passes them, if they come next. */
export function passes(reading: Reading, ...texts: readonly string[]): boolean {
  const come = comes(reading, ...texts)
  if (come) reading.at += texts.length
  return come
}

export function expect(reading: Reading, ...texts: readonly string[]): void {
  for (const text of texts)
    if (!passes(reading, text)) {
      const { at, kind } = peek(reading)
      refuse(at, kind === 'end' ? `the query ends, and ${text} is missing` : `${text} is expected here`)
    }
}

export function name(reading: Reading): string {
  const { kind, text, at } = next(reading)
  if (kind !== 'name' && kind !== 'quoted') return refuse(at, 'a name is expected here')
  if (text.length > 100) refuse(at, 'a name has at most 100 characters')
  return text
}

export const isName = ({ kind }: Token) => kind === 'name' || kind === 'quoted'

/** One, or several between commas. */
export function several<T>(reading: Reading, one: (reading: Reading) => T): T[] {
  const all = [one(reading)]
  while (passes(reading, ',')) all.push(one(reading))
  return all
}

/** What stands inside something else. Deep nesting costs the database more than it is worth. */
export function deeper<T>(reading: Reading, read: (reading: Reading) => T): T {
  if (++reading.depth > DEEPEST) refuse(peek(reading).at, `a query may nest ${DEEPEST} deep`)
  const value = read(reading)
  reading.depth--
  return value
}
