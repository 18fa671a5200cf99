import { primary } from './read-values.ts'
import { comes, deeper, expect, name, passes, peek, type Reader } from './reading.ts'
import { refuse } from './refusal.ts'
import type { Expression } from './tree.ts'

/** @throws Refusal */
export const expression = (reading: Reader): Expression => level(reading, 0)

/** From the operators that bind least to those that bind most; NOT, the tests and the signs stand between them. */
const levels: readonly (readonly string[])[] = [
  ['OR'],
  ['XOR'],
  ['AND'],
  [],
  ['=', '<>', '<=', '>=', '<', '>'],
  [],
  ['+', '-', '||'],
  ['*', '/', '%'],
  ['^'],
]
const NOT = 3
const TESTS = 5

function level(reading: Reader, at: number): Expression {
  if (at === NOT) return negated(reading)
  if (at === TESTS) return tested(reading)
  const operators = levels[at]
  if (!operators) return signed(reading)
  const first = level(reading, at + 1)
  const parts = [first]
  const used: string[] = []
  for (let each = operatorOf(reading, operators); each; each = operatorOf(reading, operators)) {
    used.push(each)
    parts.push(level(reading, at + 1))
  }
  return used.length === 0 ? first : { is: 'joined', at: first.at, operators: used, parts }
}

function operatorOf(reading: Reader, operators: readonly string[]): string | undefined {
  const found = operators.find(each => comes(reading, each))
  if (found) reading.at++
  return found
}

function negated(reading: Reader): Expression {
  const { at } = peek(reading)
  if (!passes(reading, 'NOT')) return level(reading, NOT + 1)
  return { is: 'not', at, of: deeper(reading, negated) }
}

function tested(reading: Reader): Expression {
  const of = level(reading, TESTS + 1)
  const { at } = peek(reading)
  if (comes(reading, '=~')) refuse(at, '=~ is not allowed; use CONTAINS, STARTS WITH or ENDS WITH')
  const test = ['IN', 'CONTAINS'].find(each => passes(reading, each)) ?? edge(reading)
  if (test) return { is: 'joined', at: of.at, operators: [test], parts: [of, level(reading, TESTS + 1)] }
  if (passes(reading, 'IS', 'NULL')) return { is: 'isNull', at: of.at, of }
  if (passes(reading, 'IS', 'NOT', 'NULL')) return { is: 'isNotNull', at: of.at, of }
  if (comes(reading, 'IS') || comes(reading, '::')) refuse(at, 'only IS NULL and IS NOT NULL are allowed')
  return of
}

function edge(reading: Reader): string | undefined {
  if (passes(reading, 'STARTS', 'WITH')) return 'STARTS WITH'
  return passes(reading, 'ENDS', 'WITH') ? 'ENDS WITH' : undefined
}

function signed(reading: Reader): Expression {
  const { at } = peek(reading)
  if (passes(reading, '+')) return deeper(reading, signed)
  return passes(reading, '-') ? { is: 'minus', at, of: deeper(reading, signed) } : postfixed(reading)
}

function postfixed(reading: Reader): Expression {
  let of = deeper(reading, primary)
  for (;;) {
    const { at } = peek(reading)
    if (passes(reading, '.')) of = { is: 'property', at, of, name: name(reading) }
    else if (passes(reading, '[')) of = deeper(reading, inner => indexed(inner, of))
    else if (comes(reading, ':') && !comes(reading, ':', '$')) {
      expect(reading, ':')
      of = { is: 'label', at, of, name: name(reading) }
    } else return of
  }
}

function indexed(reading: Reader, of: Expression): Expression {
  const { at } = peek(reading)
  const from = comes(reading, '..') ? undefined : expression(reading)
  if (!passes(reading, '..')) {
    expect(reading, ']')
    return { is: 'item', at, of, index: from as Expression }
  }
  const to = comes(reading, ']') ? undefined : expression(reading)
  expect(reading, ']')
  return { is: 'slice', at, of, from, to }
}
