import { relationshipTypes } from '../../contract/connections.ts'
import { typeInGraph } from '../../store/neo4j/projections.ts'
import { functions } from './functions.ts'
import type { Tree } from './grammar.ts'
import { Refusal } from './refusal.ts'

const LABELS = ['Memory', 'Recall'] as const
const TYPES = relationshipTypes.map(typeInGraph)

/** The index that holds all nodes of a label by tenant. */
export const INDEXES = { Memory: 'tenant', Recall: 'tenant, at' } as const
export type Label = (typeof LABELS)[number]

/** Names that the service adds begin so. */
export const OWN = 'mnemograph_'

/** Rules whose meaning is that of their parts. */
export const transparent: ReadonlySet<string> = new Set(
  `returnBody returnItems returnItem groupBy orderItem ascToken descToken orderBy skip limit whereClause matchMode letItem
  orderBySkipLimitClause quantifier pathPatternPrefix nonNegativeIntegerSpecification pathMode groupToken pathToken leftArrow rightArrow
  arrowLine pathLength map expression expression11 expression10 expression9 expression8 expression7 comparisonExpression6 normalForm
  expression6 expression5 expression4 expression3 expression2 postFix property dynamicProperty expression1 literal caseExpression
  caseAlternative extendedCaseExpression extendedCaseAlternative extendedWhen normalizeFunction trimFunction propertyExistsPredicate
  parenthesizedExpression mapProjection mapProjectionElement countStar numberLiteral signedIntegerLiteral stringLiteral listLiteral
  propertyKeyName parameterName functionArgument functionName namespace symbolicNameString unescapedSymbolicNameString
  unescapedSymbolicNameString_ escapedSymbolicNameString symbolicVariableNameString unescapedSymbolicVariableNameString
  escapedSymbolicVariableNameString unescapedLabelSymbolicNameString labelExpression4 labelExpression3 labelExpression2 labelExpression1
  nodeLabels labelType type typePart typeName typeNullability typeListSuffix`.split(/\s+/),
)

export type Names = ReadonlySet<string>

export const part = (tree: Tree, rule: string) => tree.children.find(each => each.rule === rule)
export const parts = (tree: Tree, rule: string) => tree.children.filter(each => each.rule === rule)
export const token = (tree: Tree, name: string) => tree.children.find(each => each.token === name)

/** A part with none of these rules. */
export const otherThan = (tree: Tree, ...rules: readonly string[]) =>
  tree.children.find(each => each.rule !== null && !rules.includes(each.rule))

/** All parts with this rule, outside in and from left to right. */
export const subtrees = (tree: Tree, rule: string): Tree[] =>
  tree.children.flatMap(each => (each.rule === rule ? [each, ...subtrees(each, rule)] : subtrees(each, rule)))

/** The names that a WITH or RETURN leaves. */
export function namesOf(tree: Tree, bound: Names): Names {
  const items = subtrees(tree, 'returnItems')[0]
  if (!items) return bound
  const names = parts(items, 'returnItem').flatMap(item => {
    const alias = part(item, 'variable')
    return alias ? [nameOf(alias)] : /^[\w`]+$/.test(item.text) ? [item.text.replaceAll('`', '')] : []
  })
  return new Set(token(items, 'TIMES') ? [...bound, ...names] : names)
}

/** A name without its quotes. Others than plain ones could be mistaken for a part of a plan. */
export function nameOf({ text }: Tree): string {
  const name = text.startsWith('`') ? text.slice(1, -1) : text
  if (!/^[\p{L}\p{N}_ -]+$/u.test(name))
    throw new Refusal(`The name ${text.slice(0, 60)} may only have letters, digits, _, - and spaces.`)
  if (name.toLowerCase().startsWith(OWN)) throw new Refusal(`Names that begin with ${OWN} are the service’s.`)
  return name
}

export function labelOf(tree: Tree): Label {
  const name = tree.text.replace(/^(:|IS)/i, '')
  const label = LABELS.find(each => each === name)
  if (!label)
    throw new Refusal(`${where(tree)}: a node is a ${LABELS.join(' or a ')}, with one label and no other.`)
  return label
}

export function refuseOtherTypes(tree: Tree): void {
  const names = tree.text.replace(/^(:|IS)/i, '').split(/[|:()]+/)
  const other = names.find(name => name !== '' && !TYPES.includes(name))
  if (other !== undefined)
    throw new Refusal(`${where(tree)}: ${other} is no type of connection. There are ${TYPES.join(', ')}.`)
}

const LONGEST_RANGE = 1_000

/** Functions that are not known, and those that would make very long texts and lists. */
export function refuseOtherCalls(tree: Tree): void {
  const name = (part(tree, 'functionName') as Tree).text.toLowerCase()
  const given = parts(tree, 'functionArgument').map(({ text }) => text)
  const refuse = (rule: string) => new Refusal(`${where(tree)}: ${rule}.`)
  if (!functions.has(name)) throw refuse(`the function ${name.slice(0, 60)} is not allowed`)
  if (name === 'replace' && !/^(["']).{0,10}\1$/s.test(given[2] ?? ''))
    throw refuse('replace takes a text of at most 10 characters, written out')
  if (name !== 'range') return
  if (!given.every(each => /^-?\d{1,9}$/.test(each))) throw refuse('write the numbers of range as they are')
  if (Math.abs(Number(given[1]) - Number(given[0])) > LONGEST_RANGE)
    throw refuse(`a range may have ${LONGEST_RANGE} numbers`)
}

export const where = ({ from }: Tree) => `At character ${from + 1}`

const inWords = (rule: string) =>
  rule
    .replace(/(Clause|Expression|Pattern|Commands?)$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase()

export const refusal = (tree: Tree) =>
  new Refusal(
    `${where(tree)}: ${tree.rule ? inWords(tree.rule) : tree.text.slice(0, 40)} is not allowed here.`,
  )

/** Around the nodes and relationships of a pattern. */
export const wrapping: ReadonlySet<string> = new Set([
  'anonymousPattern',
  'patternElement',
  'parenthesizedPath',
  'pathPatternNonEmpty',
  'pattern',
  'patternExpression',
  'shortestPathExpression',
  'shortestPathPattern',
])

export const isNamed = (node: Tree, names: Names) => {
  const name = part(node, 'variable')
  return name !== undefined && names.has(nameOf(name))
}
