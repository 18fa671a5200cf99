import { refuse } from './refusal.ts'
import { type CypherToken, cypherTokens } from './tokens.ts'
import type { CypherQuery, Expression, PathPattern } from './tree.ts'

const DEEPEST = 24

/** Where a reader of a query is. What stands inside an expression, and is none, is read by `nested`. */
export type Reader = {
  readonly query: string
  readonly tokens: readonly CypherToken[]
  readonly nested: {
    readonly expression: (reading: Reader) => Expression
    readonly query: (reading: Reader) => CypherQuery
    readonly path: (reading: Reader) => PathPattern
  }
  at: number
  depth: number
}

export const startReading = (query: string, nested: Reader['nested']): Reader => ({
  query,
  tokens: cypherTokens(query),
  nested,
  at: 0,
  depth: 0,
})

export const peek = ({ tokens, at }: Reader, ahead = 0): CypherToken =>
  tokens[Math.min(at + ahead, tokens.length - 1)] as CypherToken

export function next(reading: Reader): CypherToken {
  const token = peek(reading)
  reading.at++
  return token
}

export const isSign = ({ kind, text }: CypherToken, sign: string) => kind === 'symbol' && text === sign
export const isWord = ({ kind, text }: CypherToken, word: string) =>
  kind === 'name' && text.toUpperCase() === word

/** Whether these signs and words come next. */
export const comes = (reading: Reader, ...texts: readonly string[]): boolean =>
  texts.every((text, at) => {
    const token = peek(reading, at)
    return isSign(token, text) || isWord(token, text)
  })

/** Passes them, if they come next. */
export function passes(reading: Reader, ...texts: readonly string[]): boolean {
  const come = comes(reading, ...texts)
  if (come) reading.at += texts.length
  return come
}

export function expect(reading: Reader, ...texts: readonly string[]): void {
  for (const text of texts)
    if (!passes(reading, text)) {
      const { at, kind } = peek(reading)
      refuse(at, kind === 'end' ? `the query ends, and ${text} is missing` : `${text} is expected here`)
    }
}

export function name(reading: Reader): string {
  const { kind, text, at } = next(reading)
  if (kind !== 'name' && kind !== 'quoted') return refuse(at, 'a name is expected here')
  if (text.length > 100) refuse(at, 'a name has at most 100 characters')
  return text
}

export const isName = ({ kind }: CypherToken) => kind === 'name' || kind === 'quoted'

/** One, or several between commas. */
export function several<T>(reading: Reader, one: (reading: Reader) => T): T[] {
  const all = [one(reading)]
  while (passes(reading, ',')) all.push(one(reading))
  return all
}

/** What stands inside something else. Deep nesting costs the database more than it is worth. */
export function deeper<T>(reading: Reader, read: (reading: Reader) => T): T {
  if (++reading.depth > DEEPEST) refuse(peek(reading).at, `a query may nest ${DEEPEST} deep`)
  const value = read(reading)
  reading.depth--
  return value
}
