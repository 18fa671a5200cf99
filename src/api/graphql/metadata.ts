import {
  type DocumentNode,
  Kind,
  type ObjectFieldNode,
  print,
  type ValueNode,
  valueFromASTUntyped,
  visit,
} from 'graphql'
import { z } from 'zod'
import { metadata } from '../../contract/values.ts'
import { check } from '../../service/index.ts'
import { metadataWords } from '../../service/memories/filters.ts'
import { noFilter } from './guard.ts'

type Query = { document: DocumentNode; variables: Readonly<Record<string, unknown>> }

/** The filter that is served, and the property that the library filters by: a word for each entry. */
const SERVED = 'metadata'
const KEPT = 'metadataKeys'

/** The filter of `MemoryWhere` that the library does not have. */
export const metadataFilter = `"""
Only memories whose metadata have the same value for each of these keys.
"""
${SERVED}: JSON`

/** Replaces the filters of metadata in a query and its variables by those that the library knows. */
export const filterMetadata = ({ document, variables }: Query): Query => ({
  document: visit(document, {
    ObjectValue(node) {
      const asked = node.fields.find(({ name }) => name.value === SERVED)
      if (!asked) return undefined
      const others = node.fields.filter(field => field !== asked)
      const all = others.find(({ name }) => name.value === 'AND')
      const given = all?.value.kind === Kind.LIST ? all.value.values : all ? [all.value] : []
      const values = [...given, ...wordsOf(valueFromASTUntyped(asked.value, variables)).map(asNode)]
      const and = fieldNode('AND', { kind: Kind.LIST, values })
      return { ...node, fields: [...others.filter(field => field !== all), and] }
    },
  }),
  variables: Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      isJson(document, name) ? value : filterMetadataIn(value),
    ]),
  ),
})

/** The same in the value of a filter. */
export function filterMetadataIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filterMetadataIn)
  if (typeof value !== 'object' || value === null) return value
  const { [SERVED]: asked, ...others } = value as Record<string, unknown>
  const rest = Object.fromEntries(
    Object.entries(others).map(([name, each]) => [name, filterMetadataIn(each)]),
  )
  if (asked === undefined) return rest
  const words = wordsOf(asked).map(word => ({ [KEPT]: { includes: word } }))
  return { ...rest, AND: [...[rest.AND ?? []].flat(), ...words] }
}

const filter = z.strictObject({ metadata })

/** @throws ServiceError if it is no filter: one that is ignored would show everything */
function wordsOf(asked: unknown): string[] {
  if (asked === null || asked === undefined) throw noFilter(SERVED)
  return metadataWords(check(filter, { [SERVED]: asked })[SERVED])
}

/** A variable that is a whole object of metadata stands in the text, where it is read. */
const isJson = ({ definitions }: DocumentNode, name: string) =>
  definitions.some(
    each =>
      each.kind === Kind.OPERATION_DEFINITION &&
      each.variableDefinitions?.some(
        ({ variable, type }) => variable.name.value === name && print(type).startsWith('JSON'),
      ),
  )

const named = (value: string) => ({ kind: Kind.NAME, value }) as const
const fieldNode = (name: string, value: ValueNode): ObjectFieldNode => ({
  kind: Kind.OBJECT_FIELD,
  name: named(name),
  value,
})
const object = (field: ObjectFieldNode): ValueNode => ({ kind: Kind.OBJECT, fields: [field] })
const asNode = (word: string) =>
  object(fieldNode(KEPT, object(fieldNode('includes', { kind: Kind.STRING, value: word }))))
