import { refuse } from './refusal.ts'

type TokenKind = 'name' | 'quoted' | 'string' | 'integer' | 'float' | 'symbol' | 'end'

/** A token with its place; the text of a name or a string is without its quotes. */
export type CypherToken = {
  readonly kind: TokenKind
  readonly text: string
  readonly at: number
  readonly end: number
}

const SPACES = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy
const QUOTED = /`([\p{L}\p{N}_ -]{1,100})`/uy
const STRING = /'((?:[^'\\]|\\[\s\S])*)'|"((?:[^"\\]|\\[\s\S])*)"/y
const FLOAT = /(?:\d+\.\d+|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+/y
const INTEGER = /0x[0-9a-fA-F]+|0o[0-7]+|\d+/y
const SYMBOL = /\.\.|<>|<=|>=|=~|\+=|\|\||::|[-()[\]{}.,:;|=<>+*/%^$!&]/y

const kinds: readonly (readonly [TokenKind, RegExp])[] = [
  ['name', NAME],
  ['quoted', QUOTED],
  ['string', STRING],
  ['float', FLOAT],
  ['integer', INTEGER],
  ['symbol', SYMBOL],
]

/** Words, numbers and signs of a query, in time that grows with its length. @throws Refusal */
export function cypherTokens(query: string): CypherToken[] {
  const tokens: CypherToken[] = []
  let at = after(SPACES, query, 0)
  while (at < query.length) {
    const token = tokenAt(query, at)
    tokens.push(token)
    at = after(SPACES, query, token.end)
  }
  tokens.push({ kind: 'end', text: '', at: query.length, end: query.length })
  return tokens
}

function after(pattern: RegExp, query: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(query) ? pattern.lastIndex : at
}

function tokenAt(query: string, at: number): CypherToken {
  for (const [kind, pattern] of kinds) {
    pattern.lastIndex = at
    const found = pattern.exec(query)
    if (!found) continue
    const end = pattern.lastIndex
    const inner = found[1] ?? found[2]
    const text = kind === 'string' ? unescaped(inner ?? '', at) : (inner ?? found[0])
    return { kind, text, at, end }
  }
  if (query[at] === '`') return refuse(at, 'a name in quotes has 1 to 100 letters, digits, spaces, - and _')
  return refuse(at, 'this character cannot stand here')
}

const escapes: Readonly<Record<string, string>> = {
  ...{ '\\': '\\', "'": "'", '"': '"', '`': '`' },
  ...{ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' },
}

const unescaped = (text: string, at: number) =>
  text.replace(/\\(u[0-9a-fA-F]{4}|[\s\S])/g, (_, code: string) =>
    code.length === 5
      ? String.fromCharCode(Number.parseInt(code.slice(1), 16))
      : (escapes[code] ?? refuse(at, `\\${code} is no escape of a text`)),
  )
