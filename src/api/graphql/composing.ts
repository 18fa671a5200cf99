import { type ASTNode, type DocumentNode, Kind, visit } from 'graphql'
import { normalize } from '../../contract/normalize.ts'

type Query = { document: DocumentNode; variables: Readonly<Record<string, unknown>> }

/** Fields whose texts the contract keeps in one form, whatever form they were typed in. A content keeps its own. */
const COMPOSED: ReadonlySet<string> = new Set(['tags', 'source', 'sessionId'])

/** Brings the texts of filters into the form of the fields that they are compared with. */
export function composeFilters({ document, variables }: Query): Query {
  const names = variablesOfFilters(document)
  return {
    document: visit(document, {
      ObjectField: node => (COMPOSED.has(node.name.value) ? composedText(node) : undefined),
      VariableDefinition: node => (names.has(node.variable.name.value) ? composedText(node) : undefined),
    }),
    variables: Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, composed(value, names.has(name))]),
    ),
  }
}

function variablesOfFilters(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>()
  const add = { Variable: ({ name }: { name: { value: string } }) => void names.add(name.value) }
  visit(document, { ObjectField: node => void (COMPOSED.has(node.name.value) && visit(node, add)) })
  return names
}

const composedText = <Node extends ASTNode>(node: Node): Node =>
  visit(node, { [Kind.STRING]: text => ({ ...text, value: normalize(text.value, 'NFC') }) })

/** A value with its filters, or all of it, in that form. */
function composed(value: unknown, isFilter: boolean): unknown {
  if (typeof value === 'string') return isFilter ? normalize(value, 'NFC') : value
  if (Array.isArray(value)) return value.map(each => composed(each, isFilter))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, composed(each, isFilter || COMPOSED.has(name))]),
  )
}
