import {
  comes,
  deeper,
  expect,
  isName,
  isSign,
  isWord,
  name,
  next,
  passes,
  peek,
  type Reader,
  several,
} from './reading.ts'
import { refuse } from './refusal.ts'
import type { Case, Comprehension, CypherQuery, Expression, MapEntry, Quantified, Reduced } from './tree.ts'

const expression = (reading: Reader): Expression => reading.nested.expression(reading)

/** What stands between operators: a value, a name, or something in brackets. @throws Refusal */
export function primary(reading: Reader): Expression {
  const token = peek(reading)
  const { at, kind, text } = token
  if (kind === 'integer' || kind === 'float') return { is: 'number', at, text: number(next(reading)) }
  if (kind === 'string') return { is: 'string', at, value: next(reading).text }
  if (passes(reading, '$')) return { is: 'parameter', at, name: parameter(reading) }
  if (isSign(token, '(')) return isPattern(reading) ? pattern(reading) : parenthesized(reading)
  if (isSign(token, '[')) return bracketed(reading)
  if (isSign(token, '{')) return { is: 'map', at, entries: entries(reading) }
  if (isName(token)) return named(reading)
  return refuse(
    at,
    kind === 'end' ? 'the query ends here, within an expression' : `${text} cannot stand here`,
  )
}

function number({ text, at }: { text: string; at: number }): string {
  if (text.length > 30) refuse(at, 'a number has at most 30 digits')
  return text
}

function parameter(reading: Reader): string {
  const { kind } = peek(reading)
  return kind === 'integer' ? next(reading).text : name(reading)
}

function parenthesized(reading: Reader): Expression {
  expect(reading, '(')
  const inner = expression(reading)
  expect(reading, ')')
  return inner
}

/** Whether a pattern begins at this bracket: a connection follows the one that closes it. */
function isPattern(reading: Reader): boolean {
  let depth = 0
  let at = 0
  do {
    const token = peek(reading, at++)
    if (token.kind === 'end') return false
    if (['(', '[', '{'].some(each => isSign(token, each))) depth++
    if ([')', ']', '}'].some(each => isSign(token, each))) depth--
  } while (depth > 0)
  const after = { ...reading, at: reading.at + at }
  return (
    comes(after, '-', '-') ||
    comes(after, '-', '[') ||
    comes(after, '<', '-', '-') ||
    comes(after, '<', '-', '[')
  )
}

/** A pattern as a condition asks whether it exists. */
function pattern(reading: Reader): Expression {
  const { at } = peek(reading)
  const path = deeper(reading, reading.nested.path)
  const query: CypherQuery = {
    at,
    union: 'UNION',
    parts: [[{ is: 'match', at, optional: false, patterns: [path], where: undefined }]],
  }
  return { is: 'subquery', at, word: 'EXISTS', query }
}

function bracketed(reading: Reader): Expression {
  const { at } = peek(reading)
  expect(reading, '[')
  if (passes(reading, ']')) return { is: 'list', at, items: [] }
  if (isName(peek(reading)) && isWord(peek(reading, 1), 'IN'))
    return { at, ...deeper(reading, comprehension) }
  const isNamed = isName(peek(reading)) && isSign(peek(reading, 1), '=')
  if (isNamed || (comes(reading, '(') && isPattern(reading))) return deeper(reading, patternComprehension)
  const items = deeper(reading, inner => several(inner, expression))
  expect(reading, ']')
  return { is: 'list', at, items }
}

function comprehension(reading: Reader): Comprehension {
  const variable = name(reading)
  expect(reading, 'IN')
  const list = expression(reading)
  const where = passes(reading, 'WHERE') ? expression(reading) : undefined
  const value = passes(reading, '|') ? expression(reading) : undefined
  expect(reading, ']')
  return { is: 'comprehension', variable, list, where, value }
}

/** `[(a)-->(b) | b.x]` means what `COLLECT { MATCH (a)-->(b) RETURN b.x }` does. */
function patternComprehension(reading: Reader): Expression {
  const { at } = peek(reading)
  const path = reading.nested.path(reading)
  const where = passes(reading, 'WHERE') ? expression(reading) : undefined
  expect(reading, '|')
  const value = expression(reading)
  expect(reading, ']')
  const items = [{ at, value, name: 'value', text: 'value' }]
  const query: CypherQuery = {
    at,
    union: 'UNION',
    parts: [
      [
        { is: 'match', at, optional: false, patterns: [path], where },
        {
          is: 'return',
          at,
          distinct: false,
          all: false,
          items,
          order: [],
          skip: undefined,
          limit: undefined,
        },
      ],
    ],
  }
  return { is: 'subquery', at, word: 'COLLECT', query }
}

export function entries(reading: Reader): MapEntry[] {
  expect(reading, '{')
  if (passes(reading, '}')) return []
  const all = deeper(reading, inner => several(inner, entry))
  expect(reading, '}')
  return all
}

function entry(reading: Reader): MapEntry {
  const { at } = peek(reading)
  const key = name(reading)
  expect(reading, ':')
  return { at, name: key, value: expression(reading) }
}

const QUANTIFIERS = ['ALL', 'ANY', 'NONE', 'SINGLE']

function named(reading: Reader): Expression {
  const token = peek(reading)
  const { at } = token
  const word = token.kind === 'name' ? token.text.toUpperCase() : ''
  const after = peek(reading, 1)
  if (word === 'CASE' && !isSign(after, '.')) return { at, ...deeper(reading, cases) }
  if (isSign(after, '{') && ['EXISTS', 'COUNT', 'COLLECT'].includes(word)) return subquery(reading)
  if (isSign(after, '{')) return projection(reading)
  if (isSign(after, '(') && QUANTIFIERS.includes(word) && isWord(peek(reading, 3), 'IN'))
    return { at, ...deeper(reading, quantified) }
  if (isSign(after, '(') && word === 'REDUCE') return { at, ...deeper(reading, reduced) }
  if (isSign(after, '(') || (isSign(after, '.') && isCall(reading))) return call(reading)
  if (['TRUE', 'FALSE', 'NULL'].includes(word)) {
    reading.at++
    return { is: 'word', at, word: word.toLowerCase() as 'true' }
  }
  return { is: 'variable', at, name: name(reading) }
}

function isCall(reading: Reader): boolean {
  let at = 0
  while (isName(peek(reading, at)) && isSign(peek(reading, at + 1), '.')) at += 2
  return isName(peek(reading, at)) && isSign(peek(reading, at + 1), '(')
}

function call(reading: Reader): Expression {
  const { at } = peek(reading)
  let full = name(reading)
  while (passes(reading, '.')) full += `.${name(reading)}`
  if (/shortestpaths?$/i.test(full)) refuse(at, `${full} is allowed in MATCH alone`)
  expect(reading, '(')
  if (full.toLowerCase() === 'count' && passes(reading, '*', ')')) return { is: 'countAll', at }
  const distinct = passes(reading, 'DISTINCT')
  const given = comes(reading, ')') ? [] : several(reading, expression)
  expect(reading, ')')
  return { is: 'call', at, name: full.toLowerCase(), distinct, given }
}

function quantified(reading: Reader): Quantified {
  const word = name(reading).toLowerCase()
  expect(reading, '(')
  const variable = name(reading)
  expect(reading, 'IN')
  const list = expression(reading)
  expect(reading, 'WHERE')
  const where = expression(reading)
  expect(reading, ')')
  return { is: 'quantified', word, variable, list, where }
}

function reduced(reading: Reader): Reduced {
  name(reading)
  expect(reading, '(')
  const sum = name(reading)
  expect(reading, '=')
  const start = expression(reading)
  expect(reading, ',')
  const variable = name(reading)
  expect(reading, 'IN')
  const list = expression(reading)
  expect(reading, '|')
  const value = expression(reading)
  expect(reading, ')')
  return { is: 'reduced', sum, start, variable, list, value }
}

function cases(reading: Reader): Case {
  expect(reading, 'CASE')
  const of = comes(reading, 'WHEN') ? undefined : expression(reading)
  const whens: { when: Expression; value: Expression }[] = []
  while (passes(reading, 'WHEN')) {
    const when = expression(reading)
    expect(reading, 'THEN')
    whens.push({ when, value: expression(reading) })
  }
  if (whens.length === 0) expect(reading, 'WHEN')
  const otherwise = passes(reading, 'ELSE') ? expression(reading) : undefined
  expect(reading, 'END')
  return { is: 'case', of, whens, otherwise }
}

function projection(reading: Reader): Expression {
  const { at } = peek(reading)
  const of: Expression = { is: 'variable', at, name: name(reading) }
  expect(reading, '{')
  let all = false
  const given: MapEntry[] = []
  if (!comes(reading, '}'))
    do {
      const place = peek(reading).at
      if (passes(reading, '.', '*')) all = true
      else if (passes(reading, '.')) {
        const property = name(reading)
        given.push({ at: place, name: property, value: { is: 'property', at: place, of, name: property } })
      } else if (isSign(peek(reading, 1), ':')) given.push(deeper(reading, entry))
      else {
        const variable = name(reading)
        given.push({ at: place, name: variable, value: { is: 'variable', at: place, name: variable } })
      }
    } while (passes(reading, ','))
  expect(reading, '}')
  return { is: 'projection', at, of, all, entries: given }
}

function subquery(reading: Reader): Expression {
  const { at } = peek(reading)
  const word = name(reading).toUpperCase() as 'EXISTS'
  expect(reading, '{')
  const query = deeper(reading, inner => reading.nested.query(inner))
  expect(reading, '}')
  return { is: 'subquery', at, word, query }
}
