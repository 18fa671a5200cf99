import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  Kind,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { misfit } from './errors.ts'
import { argumentsOf, fragmentsOf } from './limits.ts'

type Asked = {
  schema: GraphQLSchema
  document: DocumentNode
  variables: Readonly<Record<string, unknown>>
}

/**
 * Refuses what the library behind the graph would answer wrongly (seen in 7.6.3): no answer is better than a wrong one.
 * And names that the service gives itself.
 * @throws GraphQLError that says how to ask instead
 */
export function checkShapes({ schema, document, variables }: Asked) {
  const info = new TypeInfo(schema)
  const fieldsOf = reader(document)
  visit(
    document,
    visitWithTypeInfo(info, {
      Variable: ({ name }) => checkName(name.value),
      Field(node) {
        if (node.alias) checkName(node.alias.value)
        const field = info.getFieldDef()
        if (!field || !node.selectionSet || !isRelated(getNamedType(field.type).name)) return
        if (!fieldsOf(node.selectionSet).some(({ name }) => name.value === 'aggregate')) return
        checkFigures(node, argumentsOf(field, node, variables).where)
      },
      SelectionSet(node) {
        const type = info.getParentType()?.name ?? ''
        if (isPart(type)) checkPart(fieldsOf(node), type)
      },
    }),
  )
}

/** What the library answers beside memories; a test holds that no type is missed. */
export const isPart = (type: string) =>
  isFigure(type) || /^(Memory\w*(Edge|Relationship)|ConnectionProperties|PageInfo)$/.test(type)

/** Of these it reads each field once. */
const isFigure = (type: string) =>
  /^(MemoriesConnection|Memory[A-Z]\w+Connection|Memory\w*Aggregate\w*|\w+AggregateSelection|Count(Connection)?)$/.test(
    type,
  )

/** Of these it answers nothing, or fails, where no field of theirs is asked for. */
const needsField = /(Edge|Relationship|Properties|AggregateNode)$/

const isRelated = (type: string) => /^Memory[A-Z]\w+Connection$/.test(type)

/** The fields of a selection, those of its fragments too. */
function reader(document: DocumentNode) {
  const fragments = fragmentsOf(document)
  return function read(set: SelectionSetNode, seen = new Set<string>()): FieldNode[] {
    return set.selections.flatMap(selection => {
      if (selection.kind === Kind.FIELD) return [selection]
      if (selection.kind === Kind.INLINE_FRAGMENT) return read(selection.selectionSet, seen)
      const fragment = fragments.get(selection.name.value)
      if (!fragment || seen.has(selection.name.value)) return []
      seen.add(selection.name.value)
      return read(fragment.selectionSet, seen)
    })
  }
}

function checkPart(fields: readonly FieldNode[], type: string) {
  if (needsField.test(type) && fields.every(({ name }) => name.value === '__typename'))
    throw misfit(`Ask for a field of ${type} beside __typename.`, fields)
  if (!isFigure(type)) return
  for (const [name, same] of Map.groupBy(fields, each => each.name.value))
    if (new Set(same.map(({ alias }) => alias?.value ?? name)).size > 1)
      throw misfit(`Ask for ${name} of ${type} once, not under two names.`, same)
}

function checkFigures(node: FieldNode, where: unknown) {
  const outside = ['AND', 'OR', 'NOT'].filter(name => Object.hasOwn(Object(where), name))
  if (outside.length > 0)
    throw misfit(
      `With aggregate ${outside.join(', ')} must stand inside of node or edge: where: { node: { ${outside[0]}: … } }.`,
      [node],
    )
}

function checkName(name: string) {
  if (name.endsWith('__')) throw misfit(`Names that end in two underscores are the service's own: ${name}.`)
}
