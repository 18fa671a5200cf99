import { expression } from './read-expressions.ts'
import { patterns, readPath } from './read-patterns.ts'
import {
  comes,
  deeper,
  expect,
  isSign,
  name,
  passes,
  peek,
  type Reader,
  several,
  startReading,
} from './reading.ts'
import { refuse } from './refusal.ts'
import type { Clause, CypherQuery, Item, Paging, Projection } from './tree.ts'

/** A query that reads. @throws Refusal where it is none */
export function readCypher(text: string): CypherQuery {
  const reading = startReading(text, { expression, query, path: readPath })
  const whole = query(reading)
  passes(reading, ';')
  const { kind, at, text: word } = peek(reading)
  if (kind !== 'end') refuse(at, `${word.slice(0, 40)} is not allowed here`)
  return whole
}

function query(reading: Reader): CypherQuery {
  const { at } = peek(reading)
  const parts = [clauses(reading)]
  let union: CypherQuery['union'] | undefined
  while (comes(reading, 'UNION')) {
    const place = peek(reading).at
    const each = unionWord(reading)
    if (union !== undefined && union !== each) refuse(place, 'use UNION or UNION ALL, not both')
    union = each
    parts.push(clauses(reading))
  }
  return { at, parts, union: union ?? 'UNION' }
}

function unionWord(reading: Reader): CypherQuery['union'] {
  expect(reading, 'UNION')
  if (passes(reading, 'ALL')) return 'UNION ALL'
  passes(reading, 'DISTINCT')
  return 'UNION'
}

function clauses(reading: Reader): Clause[] {
  const all: Clause[] = []
  // EXISTS, COUNT and COLLECT may have patterns alone.
  if (reading.depth > 0 && (isSign(peek(reading), '(') || isSign(peek(reading, 1), '=')))
    all.push(match(reading, peek(reading).at, false))
  for (let each = clause(reading); each; each = clause(reading)) all.push(each)
  if (all.length === 0) {
    const { kind, at, text } = peek(reading)
    refuse(at, kind === 'end' ? 'the query is empty here' : `${text.slice(0, 40)} is not allowed here`)
  }
  return all
}

function clause(reading: Reader): Clause | undefined {
  const { at } = peek(reading)
  if (passes(reading, 'MATCH')) return match(reading, at, false)
  if (passes(reading, 'OPTIONAL', 'MATCH')) return match(reading, at, true)
  if (passes(reading, 'WITH')) {
    const given = projection(reading)
    return { is: 'with', at, ...given, where: condition(reading) }
  }
  if (passes(reading, 'RETURN')) return { is: 'return', at, ...projection(reading) }
  if (passes(reading, 'UNWIND')) {
    const list = expression(reading)
    expect(reading, 'AS')
    return { is: 'unwind', at, list, variable: name(reading) }
  }
  if (passes(reading, 'FOR')) {
    const variable = name(reading)
    expect(reading, 'IN')
    return { is: 'unwind', at, list: expression(reading), variable }
  }
  if (passes(reading, 'LET')) return { is: 'let', at, items: several(reading, letItem) }
  if (passes(reading, 'FILTER')) {
    passes(reading, 'WHERE')
    return { is: 'filter', at, where: expression(reading) }
  }
  if (passes(reading, 'CALL')) return call(reading, at, false)
  if (passes(reading, 'OPTIONAL', 'CALL')) return call(reading, at, true)
  if (['ORDER', 'SKIP', 'OFFSET', 'LIMIT'].some(each => comes(reading, each)))
    return { is: 'page', at, ...page(reading) }
  return undefined
}

const condition = (reading: Reader) => (passes(reading, 'WHERE') ? expression(reading) : undefined)

function match(reading: Reader, at: number, optional: boolean): Clause {
  const given = patterns(reading)
  if (comes(reading, 'USING')) refuse(peek(reading).at, 'hints are not allowed: the service gives its own')
  return { is: 'match', at, optional, patterns: given, where: condition(reading) }
}

function letItem(reading: Reader) {
  const { at } = peek(reading)
  const variable = name(reading)
  expect(reading, '=')
  return { at, name: variable, value: expression(reading) }
}

function call(reading: Reader, at: number, optional: boolean): Clause {
  const takes = comes(reading, '(') ? scope(reading) : []
  if (!comes(reading, '{')) refuse(at, 'CALL is allowed with a query in braces, and not with a procedure')
  expect(reading, '{')
  const inner = deeper(reading, query)
  expect(reading, '}')
  return { is: 'call', at, optional, takes, query: inner }
}

function scope(reading: Reader) {
  expect(reading, '(')
  if (passes(reading, '*', ')')) return 'all'
  const takes = comes(reading, ')')
    ? []
    : several(reading, inner => ({ at: peek(inner).at, name: name(inner) }))
  expect(reading, ')')
  return takes
}

function projection(reading: Reader): Projection {
  const distinct = passes(reading, 'DISTINCT')
  const all = passes(reading, '*')
  const items = all && !passes(reading, ',') ? [] : several(reading, item)
  return { distinct, all, items, ...page(reading) }
}

function item(reading: Reader): Item {
  const { at } = peek(reading)
  const value = expression(reading)
  const { end } = peek(reading, -1)
  const alias = passes(reading, 'AS') ? name(reading) : undefined
  return { at, value, name: alias, text: reading.query.slice(at, end) }
}

function page(reading: Reader): Paging {
  const order = passes(reading, 'ORDER', 'BY') ? several(reading, orderItem) : []
  const skip = passes(reading, 'SKIP') || passes(reading, 'OFFSET') ? expression(reading) : undefined
  const limit = passes(reading, 'LIMIT') ? expression(reading) : undefined
  return { order, skip, limit }
}

function orderItem(reading: Reader) {
  const value = expression(reading)
  const descending = passes(reading, 'DESC') || passes(reading, 'DESCENDING')
  if (!descending) passes(reading, 'ASC') || passes(reading, 'ASCENDING')
  return { value, descending }
}
