import type { Kind } from './kinds.ts'
import { refuse } from './refusal.ts'
import { type Size, small } from './sizes.ts'
import type { CypherQuery, Expression } from './tree.ts'

/** A name that the caller uses, as it is written for the database. */
export type Variable = { readonly text: string; readonly kind: Kind; readonly size: Size }
export type Names = ReadonlyMap<string, Variable>

/** What may be named at a place. */
export type NameScope = {
  readonly names: Names
  /** Those of the outer query: every clause of a query in braces has them. */
  readonly outer: Names
  /** Whether Neo4j makes operators of a query in braces here, and no expression. */
  readonly queries: boolean
  /** Behind an aggregation or DISTINCT: columns by the expressions that they stand for. */
  readonly columns?: ReadonlyMap<string, Variable>
  /** What the columns were made of. */
  readonly before?: NameScope
}

/**
 * An expression as it is written. `yes` and `no` are how many conditions it and its opposite are, when the planner has made
 * them a conjunction.
 */
export type Fragment = {
  readonly text: string
  readonly kind: Kind
  readonly size: Size
  readonly yes: number
  readonly no: number
}

export type Projected = {
  readonly text: string
  readonly columns: readonly (Variable & { readonly name: string })[]
}

/** A query while it is written. */
export type Writing = {
  readonly hints: boolean
  readonly given: Readonly<Record<string, unknown>>
  readonly parameters: Map<string, unknown>
  readonly texts: Map<string, string>
  readonly counts: Record<keyof typeof most, number>
  fresh: number
  /** How many list operators stand around what is written, how often they compute it, and whether one of their lists is open. */
  around: { readonly lists: number; readonly times: number; readonly open: boolean }
  readonly query: (
    writing: Writing,
    query: CypherQuery,
    scope: NameScope,
    use: 'rows' | 'subquery' | 'result',
  ) => Projected
}

/** How much a query may have: the planner heeds no time limit. */
const most = {
  nodes: 10,
  apart: 6,
  lists: 16,
  conditions: 100,
  exclusive: 2,
  clauses: 60,
  subqueries: 16,
  items: 400,
}

const inWords: Readonly<Record<keyof typeof most, string>> = {
  nodes: 'nodes in its patterns',
  apart: 'patterns that begin at no node of an earlier one',
  lists: 'operators on lists',
  conditions: 'conditions',
  exclusive: 'XOR',
  clauses: 'clauses',
  subqueries: 'queries and patterns in expressions',
  items: 'values',
}

export const startCounts = () =>
  Object.fromEntries(Object.keys(most).map(each => [each, 0])) as Record<keyof typeof most, number>

export function count(writing: Writing, what: keyof typeof most, at: number): void {
  if (++writing.counts[what] > most[what]) refuse(at, `a query may have ${most[what]} ${inWords[what]}`)
}

const HEAVIEST = 200
/** Of all that is computed for one value: Neo4j does not stop within an expression. */
const MOST_WORK = 20_000
const MOST_SOUGHT = 1
const MOST_CONJUNCTIONS = 64
const TOO_MUCH = 'this would be computed too often within operators on lists: UNWIND one of the lists'

export function bounded({ around }: Writing, piece: Fragment, at: number): Fragment {
  if (piece.size.weight > HEAVIEST)
    refuse(at, 'this value could get very large: make it of fewer sums, ranges and lists')
  if (around.times * piece.size.weight > MOST_WORK) refuse(at, TOO_MUCH)
  if (piece.yes > MOST_CONJUNCTIONS || piece.no > MOST_CONJUNCTIONS)
    refuse(at, 'these conditions are too many when each AND is taken out of each OR: use fewer')
  return piece
}

/** A list as long as there are rows cannot be gone through for each item of another one. */
export function refuseOpen({ around }: Writing, { size }: Fragment, at: number): void {
  if (around.open && size.open > 0) refuse(at, TOO_MUCH)
}

/** In the worst case each place of a text is compared with all of what is sought. */
export function refuseLongSearch({ around }: Writing, pieces: readonly Fragment[], at: number): void {
  const work = pieces.reduce((product, { size }) => product * size.weight, around.times)
  if (work > MOST_SOUGHT)
    refuse(at, 'a text is sought in another one: use shorter texts here, or fewer operators on lists')
}

export const piece = (text: string, kind: Kind, size = small): Fragment => ({
  text,
  kind,
  size,
  yes: 1,
  no: 1,
})

/** Tenants give `$t` no other value. */
export const TENANT = '$t'

/** A value that the caller wrote, as a parameter: no text of a caller is a part of what the database reads. */
export function ownParameter(writing: Writing, value: string): string {
  const known = writing.texts.get(value)
  if (known !== undefined) return known
  const name = `s${writing.texts.size}`
  writing.texts.set(value, `$${name}`)
  writing.parameters.set(name, value)
  return `$${name}`
}

export function givenParameter(writing: Writing, name: string, at: number): string {
  if (name === 'tenant') return TENANT
  if (!Object.hasOwn(writing.given, name))
    refuse(at, `there is no value for the parameter ${name.slice(0, 40)}`)
  const names = Object.keys(writing.given)
  const own = `p${names.indexOf(name)}`
  writing.parameters.set(own, writing.given[name])
  return `$${own}`
}

/** A name for the database that nothing else has. The caller’s own stays visible in plans. */
export const freshName = (writing: Writing, name: string) =>
  `${/^[a-zA-Z]\w{0,30}$/.test(name) ? name : 'v'}_${++writing.fresh}`

export const declared = (scope: NameScope, more: Iterable<readonly [string, Variable]>): NameScope => ({
  ...scope,
  names: new Map([...scope.names, ...more]),
})

/** The same names where Neo4j would keep a query in braces within an expression. */
export const within = (scope: NameScope): NameScope => (scope.queries ? { ...scope, queries: false } : scope)

export type Write = (writing: Writing, tree: Expression, scope: NameScope) => Fragment
