import { eitherOf, isPlain, itemOf, type Kind, listKind, nothing, plainKind } from './kinds.ts'
import { allShown, isLong, isPublic } from './properties.ts'
import { refuse } from './refusal.ts'
import {
  collected,
  heaviestOf,
  largest,
  listed,
  sizeOfGiven,
  stored,
  storedShort,
  together,
} from './sizes.ts'
import type { Case, Expression, MapEntry, Placed, Subquery } from './tree.ts'
import { writeCall } from './write-calls.ts'
import { writeComprehension, writeQuantified, writeReduced } from './write-lists.ts'
import { writeJoined } from './write-operators.ts'
import {
  bounded,
  count,
  type Fragment,
  givenParameter,
  type NameScope,
  ownParameter,
  piece,
  refuseOpen,
  TENANT,
  type Writing,
  within,
} from './writing.ts'

/** An expression as the database reads it. @throws Refusal for what is not known to show the tenant’s public fields alone */
export function writeExpression(writing: Writing, tree: Expression, scope: NameScope): Fragment {
  count(writing, 'items', tree.at)
  const value = asColumn(writing, tree, scope) ?? bounded(writing, written(writing, tree, scope), tree.at)
  if (tree.is !== 'variable') refuseOpen(writing, value, tree.at)
  return value
}

/** Behind an aggregation, what a column was made of means that column. */
function asColumn(writing: Writing, tree: Expression, { columns, before }: NameScope): Fragment | undefined {
  if (!columns || !before || ['number', 'string', 'word', 'parameter'].includes(tree.is)) return undefined
  try {
    const column = columns.get(writeExpression(writing, tree, before).text)
    return column && piece(column.text, column.kind, column.size)
  } catch {
    return undefined
  }
}

function written(writing: Writing, tree: Expression, scope: NameScope): Fragment {
  const write = (each: Expression, inner = scope) => writeExpression(writing, each, inner)
  switch (tree.is) {
    case 'number':
      return piece(tree.text, plainKind)
    case 'string':
      return piece(ownParameter(writing, tree.value), plainKind, sizeOfGiven(tree.value))
    case 'word':
      return piece(tree.word, tree.word === 'null' ? nothing : plainKind)
    case 'parameter':
      return piece(
        givenParameter(writing, tree.name, tree.at),
        plainKind,
        sizeOfGiven(writing.given[tree.name]),
      )
    case 'variable':
      return variable(scope, tree.name, tree.at)
    case 'property':
      return property(write(tree.of), tree.name, tree.at)
    case 'label':
      return labelled(write(tree.of), tree.name, tree.at)
    case 'item':
      return item(write(tree.of, within(scope)), write(tree.index, within(scope)), tree.at)
    case 'slice':
      return slice(writing, tree, within(scope))
    case 'list':
      return list(tree.items.map(each => write(each)))
    case 'map':
      return map(writing, tree.entries, scope)
    case 'projection':
      return projection(writing, tree, scope)
    case 'not': {
      const of = write(tree.of)
      return { ...piece(`(NOT ${of.text})`, plainKind), yes: of.no, no: of.yes }
    }
    case 'minus':
      return piece(`(-${write(tree.of).text})`, plainKind)
    case 'isNull':
    case 'isNotNull':
      count(writing, 'conditions', tree.at)
      return piece(`(${write(tree.of).text} IS ${tree.is === 'isNull' ? '' : 'NOT '}NULL)`, plainKind)
    case 'joined':
      return writeJoined(writing, tree, scope, writeExpression)
    case 'case':
      return cases(writing, tree, within(scope))
    case 'comprehension':
      return writeComprehension(writing, tree, scope, writeExpression)
    case 'quantified':
      return writeQuantified(writing, tree, scope, writeExpression)
    case 'reduced':
      return writeReduced(writing, tree, scope, writeExpression)
    case 'call':
      return writeCall(writing, tree, scope, writeExpression)
    case 'countAll':
      return piece('count(*)', plainKind)
    case 'subquery':
      return subquery(writing, tree, scope)
  }
}

function variable({ names }: NameScope, name: string, at: number): Fragment {
  const known = names.get(name)
  if (!known) return refuse(at, `${name} is not known here`)
  return piece(known.text, known.kind, known.size)
}

function property({ text, kind, size }: Fragment, name: string, at: number): Fragment {
  if (isPlain(kind)) return piece(`(${text}).${quoted(name)}`, plainKind, size)
  if (kind.is === 'map') return piece(`(${text}).${quoted(name)}`, kind.entries.get(name) ?? nothing, size)
  if (kind.is !== 'node' && kind.is !== 'connection')
    return refuse(
      at,
      `${name} cannot be read of this value: take the memory or the connection out of it first`,
    )
  if (name === 'tenant') return piece(`CASE WHEN ${text} IS NULL THEN null ELSE ${TENANT} END`, plainKind)
  if (!isPublic(kind, name)) refuse(at, `there is no public property ${name}`)
  return piece(`${text}.${name}`, plainKind, isLong(name) ? stored : storedShort)
}

const quoted = (name: string) => `\`${name}\``

function labelled({ text, kind }: Fragment, name: string, at: number): Fragment {
  if (kind.is !== 'node') return refuse(at, 'only a memory or a recall has a label')
  if (name !== 'Memory' && name !== 'Recall') refuse(at, 'a node is a Memory or a Recall')
  return piece(`(${text}:${name})`, plainKind)
}

function item(of: Fragment, index: Fragment, at: number): Fragment {
  if (of.kind.is !== 'list' && !isPlain(of.kind))
    return refuse(at, 'name the property: brackets look into plain lists and maps alone')
  return piece(`${of.text}[${index.text}]`, itemOf(of.kind), heaviestOf(of.size))
}

function slice(writing: Writing, tree: Extract<Expression, { is: 'slice' }>, scope: NameScope): Fragment {
  const of = writeExpression(writing, tree.of, scope)
  const [from = '', to = ''] = [tree.from, tree.to].map(
    each => each && writeExpression(writing, each, scope).text,
  )
  return piece(`${of.text}[${from}..${to}]`, of.kind, of.size)
}

const list = (items: readonly Fragment[]): Fragment =>
  piece(
    `[${items.map(({ text }) => text).join(', ')}]`,
    listKind(eitherOf(items.map(({ kind }) => kind))),
    listed(items.map(({ size }) => size)),
  )

function entriesOf(writing: Writing, entries: readonly MapEntry[], scope: NameScope) {
  const names = entries.map(({ name }) => name)
  const pieces = entries.map(({ value }) => writeExpression(writing, value, scope))
  return {
    text: pieces.map(({ text }, at) => `${quoted(names[at] as string)}: ${text}`).join(', '),
    kinds: new Map(pieces.map(({ kind }, at) => [names[at] as string, kind])),
    size: listed(pieces.map(({ size }) => size)),
  }
}

function map(writing: Writing, entries: readonly MapEntry[], scope: NameScope): Fragment {
  const { text, kinds, size } = entriesOf(writing, entries, scope)
  return piece(`{${text}}`, mapOf(kinds), size)
}

const mapOf = (entries: ReadonlyMap<string, Kind>): Kind =>
  [...entries.values()].every(isPlain) ? plainKind : { is: 'map', entries }

function projection(
  writing: Writing,
  tree: Extract<Expression, { is: 'projection' }>,
  scope: NameScope,
): Fragment {
  const of = writeExpression(writing, tree.of, scope)
  const { text, kinds, size } = entriesOf(writing, tree.entries, scope)
  const { kind } = of
  const isOfGraph = kind.is === 'node' || kind.is === 'connection'
  if (!isOfGraph && !isPlain(kind))
    return refuse(tree.at, 'only a memory, a connection or a plain map has entries')
  const all = isOfGraph ? allShown(kind) : '.*'
  const inner = [tree.all ? all : '', text].filter(each => each !== '').join(', ')
  return piece(`${of.text} {${inner}}`, mapOf(kinds), together(tree.all ? [stored, size] : [size]))
}

function cases(writing: Writing, tree: Case, scope: NameScope): Fragment {
  const write = (each: Expression) => writeExpression(writing, each, scope)
  const of = tree.of ? ` ${write(tree.of).text}` : ''
  const whens = tree.whens.map(each => ({ when: write(each.when), value: write(each.value) }))
  const otherwise = tree.otherwise && write(tree.otherwise)
  const values = [...whens.map(({ value }) => value), ...(otherwise ? [otherwise] : [])]
  const text = whens.map(({ when, value }) => ` WHEN ${when.text} THEN ${value.text}`).join('')
  return piece(
    `CASE${of}${text}${otherwise ? ` ELSE ${otherwise.text}` : ''} END`,
    eitherOf(values.map(({ kind }) => kind)),
    largest(values.map(({ size }) => size)),
  )
}

function subquery(writing: Writing, tree: Subquery & Placed, scope: NameScope): Fragment {
  count(writing, 'subqueries', tree.at)
  if (!scope.queries)
    refuse(
      tree.at,
      'a pattern or a query in braces cannot stand within this expression: compute it in a WITH before',
    )
  const { text, columns } = writing.query(
    writing,
    tree.query,
    scope,
    tree.word === 'COLLECT' ? 'rows' : 'subquery',
  )
  const [column, ...more] = columns
  if (tree.word !== 'COLLECT') return piece(`${tree.word} { ${text} }`, plainKind)
  if (!column || more.length > 0) return refuse(tree.at, 'COLLECT returns one column')
  return piece(`COLLECT { ${text} }`, listKind(column.kind), collected(column.size))
}
