import { aggregates } from './aggregates.ts'
import { either, itemOf } from './kinds.ts'
import { refuse } from './refusal.ts'
import { heaviestOf, largest } from './sizes.ts'
import type { Clause, CypherQuery, Expression, Item, Paging, Projection } from './tree.ts'
import { writeExpression } from './write-expressions.ts'
import { writePatterns } from './write-patterns.ts'
import {
  count,
  declared,
  freshName,
  type NameScope,
  type Names,
  type Projected,
  type Variable,
  type Writing,
} from './writing.ts'

type Column = Variable & { readonly name: string }
/** What a clause is as text, and what may be named after it. */
type Done = { readonly text: string; readonly scope: NameScope; readonly columns?: readonly Column[] }
type Use = Parameters<Writing['query']>[3]

/** A query with the names of its columns. `result`: it is the whole one, and its columns are c0, c1, … @throws Refusal */
export function writeQuery(
  writing: Writing,
  { parts, union, at }: CypherQuery,
  scope: NameScope,
  use: Use,
): Projected {
  const written: Projected[] = []
  for (const clauses of parts) written.push(part(writing, clauses, scope, { use, first: written[0] }))
  const [first] = written as [Projected]
  const columns = first.columns.map((column, index) => {
    const all = written.map(each => each.columns[index] as Column)
    return {
      ...column,
      kind: all.map(({ kind }) => kind).reduce(either),
      size: largest(all.map(({ size }) => size)),
    }
  })
  if (use !== 'subquery' && columns.length === 0) refuse(at, 'a query ends with RETURN')
  return { text: written.map(({ text }) => text).join(` ${union} `), columns }
}

/** Clauses up to RETURN. Behind UNION the columns get the names of the first part. */
function part(
  writing: Writing,
  clauses: readonly Clause[],
  outer: NameScope,
  { use, first }: { use: Use; first: Projected | undefined },
): Projected {
  let scope: NameScope = { names: outer.names, outer: outer.names, queries: true }
  let columns: readonly Column[] = []
  const texts: string[] = []
  for (const [index, clause] of clauses.entries()) {
    count(writing, 'clauses', clause.at)
    const isLast = index === clauses.length - 1
    if (clause.is === 'return' && !isLast)
      refuse((clauses[index + 1] as Clause).at, 'nothing may follow RETURN')
    if (clause.is === 'return' && first) refuseOtherColumns(clause, scope, first)
    const done =
      clause.is === 'return'
        ? returned(writing, clause, scope, { use, first })
        : write(writing, clause, scope)
    texts.push(done.text)
    scope = done.scope
    columns = done.columns ?? []
  }
  if (first && columns.length !== first.columns.length)
    refuse(clauses[0]?.at ?? 0, 'the parts of a UNION return the same columns')
  return { text: texts.join(' '), columns }
}

function refuseOtherColumns(
  clause: Clause & { is: 'return' },
  scope: NameScope,
  { columns }: Projected,
): void {
  const names = namesOf(clause, scope).map(({ name }) => name)
  if (names.join('\n') !== columns.map(({ name }) => name).join('\n'))
    refuse(clause.at, 'the parts of a UNION return the same columns in the same order')
}

function write(writing: Writing, clause: Exclude<Clause, { is: 'return' }>, scope: NameScope): Done {
  switch (clause.is) {
    case 'match':
      return match(writing, clause, scope)
    case 'with':
      return projectedWith(writing, clause, scope)
    case 'unwind': {
      const list = writeExpression(writing, clause.list, scope)
      const item = { text: '', kind: itemOf(list.kind), size: heaviestOf(list.size) }
      const { text, scope: inner } = bind(writing, scope, { ...item, name: clause.variable, at: clause.at })
      return { text: `UNWIND ${list.text} AS ${text}`, scope: inner }
    }
    case 'let':
      return bound(writing, clause, scope)
    case 'filter':
      return { text: `FILTER ${writeExpression(writing, clause.where, scope).text}`, scope }
    case 'page':
      return { text: page(writing, clause, scope).trim(), scope }
    case 'call':
      return called(writing, clause, scope)
  }
}

function match(writing: Writing, clause: Clause & { is: 'match' }, scope: NameScope): Done {
  const { text, scope: inner, hints, conditions } = writePatterns(writing, clause.patterns, scope)
  const where = [...(clause.where ? [writeExpression(writing, clause.where, inner).text] : []), ...conditions]
  const condition = where.length > 0 ? ` WHERE ${where.join(' AND ')}` : ''
  return { text: `${clause.optional ? 'OPTIONAL ' : ''}MATCH ${text}${hints}${condition}`, scope: inner }
}

/** A name that nothing has yet. */
function bind(writing: Writing, scope: NameScope, { name, at, ...variable }: Column & { at: number }) {
  if (scope.names.has(name)) refuse(at, `${name} is known already: take another name`)
  const text = freshName(writing, name)
  return { text, scope: declared(scope, [[name, { ...variable, text }]]) }
}

function bound(writing: Writing, { items }: Clause & { is: 'let' }, outer: NameScope): Done {
  let scope = outer
  const texts = items.map(({ name, value, at }) => {
    const { text, kind, size } = writeExpression(writing, value, outer)
    const done = bind(writing, scope, { name, text: '', kind, size, at })
    scope = done.scope
    return `${done.text} = ${text}`
  })
  return { text: `LET ${texts.join(', ')}`, scope }
}

function called(
  writing: Writing,
  { takes, query, optional, at }: Clause & { is: 'call' },
  outer: NameScope,
): Done {
  const names: Names =
    takes === 'all' ? outer.names : new Map(takes.map(each => [each.name, taken(outer, each)] as const))
  const inner = writing.query(writing, query, { names, outer: names, queries: true }, 'rows')
  const scope = inner.columns.reduce((known, { name, ...column }) => {
    if (known.names.has(name)) refuse(at, `${name} is known already: take another name`)
    return declared(known, [[name, column]])
  }, outer)
  const imported = [...names.values()].map(({ text }) => text).join(', ')
  return { text: `${optional ? 'OPTIONAL ' : ''}CALL (${imported}) { ${inner.text} }`, scope }
}

const taken = ({ names }: NameScope, { name, at }: { name: string; at: number }) =>
  names.get(name) ?? refuse(at, `${name} is not known here`)

type Named = { readonly name: string; readonly value: Expression; readonly at: number }

/** The columns of a projection, `*` by the names that are known. */
function namesOf({ all, items, at }: Projection & { at: number }, scope: NameScope): Named[] {
  const known = all
    ? [...scope.names.keys()].filter(name => !items.some(each => each.name === name)).sort()
    : []
  if (all && known.length + items.length === 0) refuse(at, 'there is nothing that * could stand for')
  const named = [
    ...known.map(name => ({ name, value: { is: 'variable' as const, name, at }, at })),
    ...items.map(each => ({ name: nameOf(each), value: each.value, at: each.at })),
  ]
  for (const [index, { name, at: place }] of named.entries())
    if (named.findIndex(each => each.name === name) < index)
      refuse(place, `two columns have the name ${name.slice(0, 60)}`)
  return named
}

const nameOf = ({ name, value, text }: Item) => name ?? (value.is === 'variable' ? value.name : text)

/** Items as text, with what they leave and what ORDER BY and WHERE may name. */
function project(
  writing: Writing,
  clause: Projection & { at: number },
  scope: NameScope,
  textOf: (name: string, at: number) => string,
) {
  const made = namesOf(clause, scope).map(({ name, value }, at) => {
    const written = writeExpression(writing, value, scope)
    return { name, text: textOf(name, at), kind: written.kind, size: written.size, from: written.text }
  })
  const columns: Column[] = made.map(({ from: _, ...column }) => column)
  const aliases = columns.map(({ name, ...column }) => [name, column] as const)
  const isCut = clause.distinct || clause.items.some(({ value }) => aggregates(value))
  const later: NameScope = isCut
    ? {
        ...scope,
        names: new Map([...scope.outer, ...aliases]),
        columns: new Map(made.map(({ from, name: _, ...column }) => [from, column])),
        before: scope,
      }
    : declared(scope, aliases)
  const items = made.map(({ from, text }) => `${from} AS ${text}`).join(', ')
  return { text: `${clause.distinct ? 'DISTINCT ' : ''}${items}`, columns, aliases, later }
}

function projectedWith(writing: Writing, clause: Clause & { is: 'with' }, scope: NameScope): Done {
  for (const { name, value, at } of clause.items)
    if (name === undefined && value.is !== 'variable') refuse(at, 'give this a name, with AS')
  const { text, aliases, later } = project(writing, clause, scope, name => freshName(writing, name))
  const where = clause.where ? ` WHERE ${writeExpression(writing, clause.where, later).text}` : ''
  return {
    text: `WITH ${text}${page(writing, clause, later)}${where}`,
    scope: { names: new Map([...scope.outer, ...aliases]), outer: scope.outer, queries: true },
  }
}

function returned(
  writing: Writing,
  clause: Clause & { is: 'return' },
  scope: NameScope,
  { use, first }: { use: Use; first: Projected | undefined },
): Done {
  const { text, columns, later } = project(writing, clause, scope, (name, at) => {
    if (first) return (first.columns[at] as Column).text
    return use === 'result' ? `c${at}` : freshName(writing, name)
  })
  return { text: `RETURN ${text}${page(writing, clause, later)}`, scope: later, columns }
}

function page(writing: Writing, { order, skip, limit }: Paging, scope: NameScope): string {
  const by = order.map(
    ({ value, descending }) => `${writeExpression(writing, value, scope).text}${descending ? ' DESC' : ''}`,
  )
  const none: NameScope = { names: new Map(), outer: new Map(), queries: false }
  const [skipped, limited] = [skip, limit].map(each => each && writeExpression(writing, each, none).text)
  return [
    by.length > 0 ? ` ORDER BY ${by.join(', ')}` : '',
    skipped ? ` SKIP ${skipped}` : '',
    limited ? ` LIMIT ${limited}` : '',
  ].join('')
}
