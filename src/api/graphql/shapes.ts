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
import { numberFault } from '../../contract/json.ts'
import { misfit } from './errors.ts'
import { argumentsOf, fragmentsOf } from './limits.ts'

type Asked = {
  schema: GraphQLSchema
  document: DocumentNode
  variables: Readonly<Record<string, unknown>>
}

/**
 * Refuses queries that the library answers wrongly (seen in 7.6.3), and names that the service reserves.
 * @throws GraphQLError with the correct way to write the query
 */
export function checkShapes({ schema, document, variables }: Asked) {
  const info = new TypeInfo(schema)
  const fieldsOf = reader(document)
  visit(
    document,
    visitWithTypeInfo(info, {
      Name: ({ value }) => checkName(value),
      IntValue: checkNumber,
      FloatValue: checkNumber,
      Field(node) {
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

/** Types that the library returns in addition to memories. A test checks that no type is missed. */
export const isPart = (type: string) =>
  isFigure(type) || /^(Memory\w*(Edge|Relationship)|ConnectionProperties|PageInfo)$/.test(type)

/** The library reads each field of these types once. */
const isFigure = (type: string) =>
  /^(MemoriesConnection|Memory[A-Z]\w+Connection|Memory\w*Aggregate\w*|\w+AggregateSelection|Count(Connection)?)$/.test(
    type,
  )

/** For these types the library returns nothing, or fails, if the query selects none of their fields. */
const needsField = /(Edge|Relationship|Properties|AggregateNode)$/

const isRelated = (type: string) => /^Memory[A-Z]\w+Connection$/.test(type)

/** The fields of a selection, including those of its fragments. */
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
    throw misfit(`Ask for a field of ${type} in addition to __typename.`, fields)
  if (!isFigure(type)) return
  for (const [name, same] of Map.groupBy(fields, each => each.name.value))
    if (new Set(same.map(({ alias }) => alias?.value ?? name)).size > 1)
      throw misfit(`Ask for ${name} of ${type} once, not under two names.`, same)
}

function checkFigures(node: FieldNode, where: unknown) {
  const outside = ['AND', 'OR', 'NOT'].filter(name => Object.hasOwn(Object(where), name))
  if (outside.length > 0)
    throw misfit(
      `With aggregate ${outside.join(', ')} must be inside node or edge: where: { node: { ${outside[0]}: … } }.`,
      [node],
    )
}

/** A number in the text of a query is kept as it is written, as in JSON. */
function checkNumber({ value }: { value: string }) {
  const rule = numberFault(value)
  if (rule) throw misfit(`The number ${value} ${rule}.`)
}

function checkName(name: string) {
  if (name in Object.prototype) throw misfit(`This name cannot be used: ${name}.`)
  if (name.endsWith('__')) throw misfit(`Names that end in two underscores are reserved: ${name}.`)
}
