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

/** What one request may ask. Beyond it nothing is read, and the answer names the bound. */
export const bounds = {
  tokens: 2000,
  depth: 16,
  rootFields: 10,
  aliases: 30,
  directives: 20,
  /** Memories and other things that the answer may hold, reckoned from the limits in the query. */
  cost: 20_000,
  /** Selections in braces, those of a fragment as often as it is spread: the database has a part to read for each. */
  selections: 100,
  listSize: 200,
  offset: 10_000,
  /** Filters on related memories, in the query and its variables together, counted like selections. */
  relatedFilters: 10,
  filterDepth: 12,
  filterValues: 500,
} as const

/** How long a list is reckoned that has no limit of its own. */
const USUAL_LENGTH = 20

type Asked = {
  schema: GraphQLSchema
  document: DocumentNode
  operation: OperationDefinitionNode
  variables: Readonly<Record<string, unknown>>
}
type Weight = { cost: number; depth: number; fields: number; selections: number; relatedFilters: number }

/** @throws GraphQLError when a valid query asks too much. Takes time by its length, however its fragments nest. */
export function checkLimits(asked: Asked) {
  checkText(asked.document)
  const root = asked.schema.getRootType(asked.operation.operation)
  if (!root) return
  const weight = new Scales(asked).weigh(asked.operation.selectionSet, root, USUAL_LENGTH)
  hold('rootFields', weight.fields, 'fields at the root')
  hold('depth', weight.depth, 'levels of fields')
  hold('cost', weight.cost, 'things that the answer may hold, reckoned from the limits in the query')
  hold('selections', weight.selections, 'selections in braces, those of a fragment as often as it is spread')
  hold('relatedFilters', weight.relatedFilters, 'filters on related memories')
}

function checkText(document: DocumentNode) {
  let aliases = 0
  let directives = 0
  visit(document, {
    Field: ({ alias }) => void (alias && aliases++),
    Directive: () => void directives++,
  })
  hold('aliases', aliases, 'aliases')
  hold('directives', directives, 'directives')
}

/** Fragments are weighed once each: one that is spread a thousand times costs no more time than one that is spread once. */
class Scales {
  readonly #asked: Asked
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #weighed = new Map<string, Weight>()

  constructor(asked: Asked) {
    this.#asked = asked
    this.#fragments = fragmentsOf(asked.document)
  }

  weigh(set: SelectionSetNode, type: GraphQLCompositeType, length: number): Weight {
    const total = { ...nothing, selections: 1 }
    for (const selection of set.selections) {
      const weight =
        selection.kind === Kind.FIELD
          ? this.#weighField(selection, type, length)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? this.#weighInline(selection, type, length)
            : this.#weighFragment(selection.name.value, type, length)
      total.cost += weight.cost
      total.depth = Math.max(total.depth, weight.depth)
      total.fields += weight.fields
      total.selections += weight.selections
      total.relatedFilters += weight.relatedFilters
    }
    return total
  }

  /** A level of its own: else they would nest as deep as the text allows. */
  #weighInline(
    { typeCondition, selectionSet }: InlineFragmentNode,
    type: GraphQLCompositeType,
    length: number,
  ) {
    const weight = this.weigh(selectionSet, this.#typeOf(typeCondition?.name.value, type), length)
    return { ...weight, depth: weight.depth + 1 }
  }

  #weighFragment(name: string, type: GraphQLCompositeType, length: number): Weight {
    const key = `${name} ${length}`
    const known = this.#weighed.get(key)
    if (known) return known
    const fragment = this.#fragments.get(name)
    const weight = fragment
      ? this.weigh(fragment.selectionSet, this.#typeOf(fragment.typeCondition.name.value, type), length)
      : nothing
    this.#weighed.set(key, weight)
    return weight
  }

  /** The limit of a field is the length of its list, or of the lists right below it where it answers an object. */
  #weighField(node: FieldNode, parent: GraphQLCompositeType, inherited: number): Weight {
    const field = fieldOf(parent, node.name.value)
    if (!field) return leaf
    const args = argumentsOf(field, node, this.#asked.variables)
    if (isPaged(field)) checkPage(args)
    measure(args.where, 1)
    const relatedFilters = countRelated(args.where)
    const type = getNamedType(field.type)
    if (!node.selectionSet || !isCompositeType(type)) return { ...leaf, relatedFilters }
    const given = lengthOf(field, args)
    const isList = isListType(getNullableType(field.type))
    const inner = this.weigh(node.selectionSet, type, isList ? USUAL_LENGTH : (given ?? inherited))
    const times = isList ? (given ?? inherited) : 1
    return {
      cost: times * (1 + inner.cost),
      depth: inner.depth + 1,
      fields: 1,
      selections: inner.selections,
      relatedFilters: relatedFilters + inner.relatedFilters,
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

/** What is given to a field. What cannot be read as its type is refused later, in words of its own. */
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

const nothing: Weight = { cost: 0, depth: 0, fields: 0, selections: 0, relatedFilters: 0 }
const leaf: Weight = { ...nothing, depth: 1, fields: 1 }

const fieldOf = (type: GraphQLCompositeType, name: string) =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined

/** Fields that the library answers; operations have bounds of their own, which the contract keeps. */
const isPaged = ({ args }: GraphQLField<unknown, unknown>) => args.some(({ name }) => name === 'where')

function checkPage({ limit, first, offset, after }: Record<string, unknown>) {
  for (const [name, value] of Object.entries({ limit, first })) checkSize(name, value)
  checkPlace(offset, after)
}

function lengthOf(field: GraphQLField<unknown, unknown>, args: Record<string, unknown>): number | undefined {
  const length = args.limit ?? args.first
  if (typeof length === 'number') return length
  if (isPaged(field)) return USUAL_LENGTH
  const lists = Object.values(args).flatMap(value => (Array.isArray(value) ? [value.length] : []))
  return lists.length > 0 ? Math.max(...lists) : undefined
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

function measure(value: unknown, depth: number) {
  if (typeof value !== 'object' || value === null) return
  hold('filterDepth', depth, 'levels in a filter')
  const items = Array.isArray(value) ? value : Object.values(value)
  hold('filterValues', items.length, 'values in a list of a filter')
  for (const item of items) measure(item, depth + 1)
}

/** Each asks the database about the neighbours of every candidate. */
function countRelated(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const fields = Array.isArray(value) ? value.map(item => ['', item]) : Object.entries(value)
  return fields.reduce((sum, [name, inner]) => sum + Number(quantifiers.has(name)) + countRelated(inner), 0)
}

const quantifiers = new Set(['all', 'some', 'none', 'single'])

function hold(bound: keyof typeof bounds, value: number, what: string) {
  if (value > bounds[bound])
    throw refused(bound, `The query has ${value} ${what}; ${bounds[bound]} is the maximum.`)
}

const refused = (bound: keyof typeof bounds, message: string) =>
  new GraphQLError(message, { extensions: { code: 'QUERY_TOO_LARGE', bound, http: { status: 400 } } })
