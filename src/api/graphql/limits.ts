import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  type InlineFragmentNode,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'
import { DEFAULT_LENGTH, isPaged, lengthBelow, lengthOf } from './lengths.ts'

/** What one request may ask. A request beyond a bound reads nothing, and the error names the bound. */
export const bounds = {
  tokens: 2000,
  depth: 16,
  rootFields: 10,
  aliases: 30,
  directives: 20,
  /** Objects in the response, estimated from the limits in the query. */
  cost: 20_000,
  /** Kilobytes of content and tags in the response, each estimated at its maximum length: 1,500 contents. */
  text: 150_000,
  /** Selection sets, counted again for each spread of a fragment. The database reads a part for each. */
  selections: 100,
  listSize: 200,
  offset: 10_000,
  /** Filters on related memories, in the query and its variables together, counted like selections. */
  relatedFilters: 10,
  filterDepth: 12,
  filterValues: 500,
  /**
   * In all filters and orderings, in the query and its variables together, counted like selections: the planner takes its
   * time for each.
   */
  conditions: 100,
} as const

/** Fields with long values, with their maximum length in kilobytes. */
const longTexts: Readonly<Record<string, number>> = { 'Memory.content': 100, 'Memory.tags': 20 }

type Asked = {
  schema: GraphQLSchema
  document: DocumentNode
  operation: OperationDefinitionNode
  variables: Readonly<Record<string, unknown>>
}
type Filters = { conditions: number; relatedFilters: number }
type Weight = Filters & { cost: number; text: number; depth: number; fields: number; selections: number }

/** What a request may cost at most, as its response says in `extensions.cost`, and what it may cost in all. */
export type Cost = {
  readonly objects: number
  readonly kilobytes: number
  readonly limits: { readonly objects: number; readonly kilobytes: number }
}

/** @throws GraphQLError if a valid query exceeds a bound. The time is linear in the length of the query, however its fragments nest. */
export function checkLimits(asked: Asked): Cost {
  checkText(asked.document)
  const root = asked.schema.getRootType(asked.operation.operation)
  if (!root) return costOf(nothing)
  const weight = new CostEstimate(asked).estimate(asked.operation.selectionSet, root, DEFAULT_LENGTH)
  enforce('rootFields', weight.fields, 'fields at the root')
  enforce('depth', weight.depth, 'levels of fields')
  enforce('cost', weight.cost, 'objects in its response, estimated from the limits in the query')
  enforce('text', weight.text, 'kB of content and tags in its response, estimated at their maximum length')
  enforce('selections', weight.selections, 'selection sets, counted again for each spread of a fragment')
  enforce('relatedFilters', weight.relatedFilters, 'filters on related memories')
  return costOf(weight)
}

const costOf = ({ cost, text }: Weight): Cost => ({
  objects: cost,
  kilobytes: text,
  limits: { objects: bounds.cost, kilobytes: bounds.text },
})

function checkText(document: DocumentNode) {
  let aliases = 0
  let directives = 0
  visit(document, {
    Field: ({ alias }) => void (alias && aliases++),
    Directive: () => void directives++,
  })
  enforce('aliases', aliases, 'aliases')
  enforce('directives', directives, 'directives')
}

/** Weighs each fragment once, however often it is spread. */
class CostEstimate {
  readonly #asked: Asked
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #estimated = new Map<string, Weight>()

  constructor(asked: Asked) {
    this.#asked = asked
    this.#fragments = fragmentsOf(asked.document)
  }

  estimate(set: SelectionSetNode, type: GraphQLCompositeType, length: number): Weight {
    const total = { ...nothing, selections: 1 }
    for (const selection of set.selections) {
      const weight =
        selection.kind === Kind.FIELD
          ? this.#estimateField(selection, type, length)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? this.#estimateInline(selection, type, length)
            : this.#estimateFragment(selection.name.value, type, length)
      total.cost += weight.cost
      total.text += weight.text
      total.depth = Math.max(total.depth, weight.depth)
      total.fields += weight.fields
      total.selections += weight.selections
      total.relatedFilters += weight.relatedFilters
      total.conditions += weight.conditions
      // Immediately, because each field with a long variable takes time.
      enforce('conditions', total.conditions, 'conditions in filters and orderings')
    }
    return total
  }

  /** Counts as a level. Otherwise inline fragments could nest without a limit. */
  #estimateInline(
    { typeCondition, selectionSet }: InlineFragmentNode,
    type: GraphQLCompositeType,
    length: number,
  ) {
    const weight = this.estimate(selectionSet, this.#typeOf(typeCondition?.name.value, type), length)
    return { ...weight, depth: weight.depth + 1 }
  }

  #estimateFragment(name: string, type: GraphQLCompositeType, length: number): Weight {
    const key = `${name} ${length}`
    const known = this.#estimated.get(key)
    if (known) return known
    const fragment = this.#fragments.get(name)
    const weight = fragment
      ? this.estimate(fragment.selectionSet, this.#typeOf(fragment.typeCondition.name.value, type), length)
      : nothing
    this.#estimated.set(key, weight)
    return weight
  }

  /** The limit of a field is the length of its list, or of the lists right below it where it answers an object. */
  #estimateField(node: FieldNode, parent: GraphQLCompositeType, inherited: number): Weight {
    const field = fieldOf(parent, node.name.value)
    if (!field) return leaf
    const args = argumentsOf(field, node, this.#asked.variables)
    if (isPaged(field)) checkPage(args)
    const filters = added(measure(args.where), measure(args.sort))
    const type = getNamedType(field.type)
    if (!node.selectionSet || !isCompositeType(type))
      return { ...leaf, ...filters, text: longTexts[`${parent.name}.${field.name}`] ?? 0 }
    const given = lengthOf(field, args)
    const isList = isListType(getNullableType(field.type))
    const inner = this.estimate(node.selectionSet, type, isList ? DEFAULT_LENGTH : (given ?? inherited))
    const times = isList ? (given ?? lengthBelow(parent, field, inherited)) : 1
    return {
      ...added(filters, inner),
      cost: times * (1 + inner.cost),
      text: times * inner.text,
      depth: inner.depth + 1,
      fields: 1,
      selections: inner.selections,
    }
  }

  #typeOf(name: string | undefined, fallback: GraphQLCompositeType): GraphQLCompositeType {
    const type = name === undefined ? undefined : this.#asked.schema.getType(name)
    return type && isCompositeType(type) ? type : fallback
  }
}

/** The fragments of a document by their names. */
export const fragmentsOf = (document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> =>
  new Map(
    document.definitions.flatMap(each =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [],
    ),
  )

/** The arguments of a field. Values of a wrong type are refused later. */
export function argumentsOf(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variables: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  try {
    return getArgumentValues(field, node, variables)
  } catch {
    return {}
  }
}

const noFilters: Filters = { conditions: 0, relatedFilters: 0 }
const nothing: Weight = { ...noFilters, cost: 0, text: 0, depth: 0, fields: 0, selections: 0 }
const leaf: Weight = { ...nothing, depth: 1, fields: 1 }

const fieldOf = (type: GraphQLCompositeType, name: string) =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined

function checkPage({ limit, first, offset, after }: Record<string, unknown>) {
  for (const [name, value] of Object.entries({ limit, first })) checkSize(name, value)
  checkPlace(offset, after)
}

function checkSize(name: string, value: unknown) {
  if (typeof value !== 'number') return
  if (value < 1) throw refused('listSize', `${name} must be at least 1`)
  if (value > bounds.listSize) throw refused('listSize', `${name} must be at most ${bounds.listSize}`)
}

function checkPlace(offset: unknown, after: unknown) {
  if (typeof offset === 'number' && (offset < 0 || offset > bounds.offset))
    throw refused('offset', `offset must be 0 to ${bounds.offset}`)
  if (typeof after !== 'string') return
  const place = /^arrayconnection:(\d{1,9})$/.exec(Buffer.from(after, 'base64').toString('latin1'))?.[1]
  if (place === undefined || Number(place) > bounds.offset)
    throw refused('offset', `after must be a cursor of this list, at most ${bounds.offset} places in`)
}

/** A list of plain values is one condition. An empty object counts as well, because a list can have many of them. */
function measure(value: unknown, depth = 1): Filters {
  if (value === undefined) return noFilters
  if (typeof value !== 'object' || value === null) return { ...noFilters, conditions: 1 }
  enforce('filterDepth', depth, 'levels in a filter or an ordering')
  const items = Object.entries(value)
  const isPlain = Array.isArray(value) && value.every(item => typeof item !== 'object')
  enforce('filterValues', items.length, 'values in a list of a filter or an ordering')
  const total = items.reduce((sum, [, item]) => added(sum, measure(item, depth + 1)), noFilters)
  return {
    conditions: isPlain ? 1 : Math.max(1, total.conditions),
    relatedFilters: total.relatedFilters + items.filter(([name]) => quantifiers.has(name)).length,
  }
}

const added = (one: Filters, other: Filters): Filters => ({
  conditions: one.conditions + other.conditions,
  relatedFilters: one.relatedFilters + other.relatedFilters,
})

/** Each asks the database about the neighbours of every candidate. */
const quantifiers = new Set(['all', 'some', 'none', 'single'])

function enforce(bound: keyof typeof bounds, value: number, what: string) {
  if (value > bounds[bound])
    throw refused(bound, `The query has ${value} ${what}; ${bounds[bound]} is the maximum.`)
}

const refused = (bound: keyof typeof bounds, message: string) =>
  new GraphQLError(message, { extensions: { code: 'QUERY_TOO_LARGE', bound, http: { status: 400 } } })
