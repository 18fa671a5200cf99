import { expression } from './read-expressions.ts'
import { entries } from './read-values.ts'
import { comes, deeper, expect, isName, name, next, passes, peek, type Reader, several } from './reading.ts'
import { refuse } from './refusal.ts'
import type { GroupPattern, NodePattern, PathPattern, RelationshipPattern, Step } from './tree.ts'

/** `p = SHORTEST 2 (a)-->(b)`. @throws Refusal */
export function readPath(reading: Reader): PathPattern {
  const { at } = peek(reading)
  const variable =
    isName(peek(reading)) && comes({ ...reading, at: reading.at + 1 }, '=') ? name(reading) : undefined
  if (variable !== undefined) expect(reading, '=')
  const shortest = shortestWord(reading)
  if (shortest) {
    expect(reading, '(')
    const inner = steps(reading)
    expect(reading, ')')
    return { at, variable, selector: undefined, shortest, steps: inner }
  }
  return { at, variable, selector: selector(reading), shortest: undefined, steps: steps(reading) }
}

function shortestWord(reading: Reader): PathPattern['shortest'] {
  if (passes(reading, 'SHORTESTPATH')) return 'shortestPath'
  return passes(reading, 'ALLSHORTESTPATHS') ? 'allShortestPaths' : undefined
}

function selector(reading: Reader): string | undefined {
  const words: string[] = []
  if (passes(reading, 'ANY')) words.push('ANY')
  else if (passes(reading, 'ALL')) words.push('ALL')
  if (passes(reading, 'SHORTEST')) words.push('SHORTEST')
  if (words.length === 0) return undefined
  const count = words.join(' ') === 'ALL' ? undefined : counted(reading)
  if (count !== undefined) words.push(count)
  passes(reading, 'PATH') || passes(reading, 'PATHS')
  if (passes(reading, 'GROUP') || passes(reading, 'GROUPS')) words.push('GROUPS')
  return words.join(' ')
}

const MOST_STEPS = 100

function counted(reading: Reader): string | undefined {
  if (peek(reading).kind !== 'integer') return undefined
  const { text, at } = next(reading)
  if (!/^\d+$/.test(text) || Number(text) > MOST_STEPS) refuse(at, `write a number up to ${MOST_STEPS}`)
  return String(Number(text))
}

function steps(reading: Reader): Step[] {
  const all: Step[] = [opening(reading)]
  for (;;) {
    if (comes(reading, '(')) all.push(opening(reading))
    else if (comes(reading, '-') || comes(reading, '<', '-')) all.push(relationship(reading), node(reading))
    else return all
  }
}

function opening(reading: Reader): Step {
  const after = { ...reading, at: reading.at + 1 }
  const isGroup = comes(after, '(') || (isName(peek(after)) && comes({ ...after, at: after.at + 1 }, '='))
  return isGroup ? group(reading) : node(reading)
}

function group(reading: Reader): GroupPattern {
  const { at } = peek(reading)
  expect(reading, '(')
  const inner = deeper(reading, readPath)
  if (inner.selector || inner.shortest) refuse(inner.at, 'a shortest path cannot be a part of another path')
  const where = passes(reading, 'WHERE') ? expression(reading) : undefined
  expect(reading, ')')
  return {
    is: 'group',
    at,
    variable: inner.variable,
    steps: inner.steps,
    where,
    quantifier: quantifier(reading),
  }
}

function node(reading: Reader): NodePattern {
  const { at } = peek(reading)
  expect(reading, '(')
  const variable = isVariable(reading) ? name(reading) : undefined
  const label = passes(reading, ':') || passes(reading, 'IS') ? name(reading) : undefined
  const given = properties(reading)
  const where = passes(reading, 'WHERE') ? deeper(reading, expression) : undefined
  expect(reading, ')')
  return { is: 'node', at, variable, label, entries: given, where }
}

/** `WHERE` and `IS` may also be names. */
const isVariable = (reading: Reader) =>
  isName(peek(reading)) &&
  (!(comes(reading, 'WHERE') || comes(reading, 'IS')) || comes({ ...reading, at: reading.at + 1 }, ')'))

function properties(reading: Reader) {
  if (comes(reading, '$'))
    refuse(peek(reading).at, 'write the properties of a pattern one by one, not as a parameter')
  return comes(reading, '{') ? entries(reading) : []
}

function relationship(reading: Reader): RelationshipPattern {
  const { at } = peek(reading)
  const left = passes(reading, '<')
  expect(reading, '-')
  const inner = passes(reading, '[') ? bracketed(reading) : bare
  expect(reading, '-')
  const right = passes(reading, '>')
  return { is: 'relationship', at, left, right, ...inner, quantifier: quantifier(reading) }
}

const bare = { variable: undefined, types: [], length: undefined, entries: [], where: undefined }

function bracketed(reading: Reader) {
  const variable = isVariable(reading) && !comes(reading, ']') ? name(reading) : undefined
  const types: string[] = []
  if (passes(reading, ':') || passes(reading, 'IS'))
    do {
      passes(reading, ':')
      types.push(name(reading))
    } while (passes(reading, '|'))
  const length = passes(reading, '*') ? `*${repeats(reading)}` : undefined
  const given = properties(reading)
  const where = passes(reading, 'WHERE') ? deeper(reading, expression) : undefined
  expect(reading, ']')
  return { variable, types, length, entries: given, where }
}

function repeats(reading: Reader): string {
  const from = counted(reading) ?? ''
  if (!passes(reading, '..')) return from
  return `${from}..${counted(reading) ?? ''}`
}

function quantifier(reading: Reader): string | undefined {
  if (passes(reading, '+')) return '+'
  if (passes(reading, '*')) return '*'
  if (!passes(reading, '{')) return undefined
  const from = counted(reading)
  const isRange = passes(reading, ',')
  const to = isRange ? counted(reading) : undefined
  expect(reading, '}')
  if (!isRange && from === undefined) refuse(peek(reading).at, 'write how often: {2} or {1,3}')
  return isRange ? `{${from ?? ''},${to ?? ''}}` : `{${from}}`
}

export const patterns = (reading: Reader): PathPattern[] => several(reading, readPath)
