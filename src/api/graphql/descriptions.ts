import { type ASTNode, type DocumentNode, Kind, parse, visit } from 'graphql'
import { spaced } from './names.ts'

/** Adds descriptions to the definitions that the library generates without any. */
export function describe(served: string): DocumentNode {
  return visit(parse(served), {
    enter(node: ASTNode, _key, _parent, _path, ancestors) {
      if ('description' in node && node.description) return undefined
      const owner = ancestors.findLast(each => !Array.isArray(each)) as ASTNode | undefined
      const value = descriptionOf(node, owner)
      return value ? { ...node, description: { kind: Kind.STRING, value } } : undefined
    },
  })
}

function descriptionOf(node: ASTNode, owner: ASTNode | undefined): string | undefined {
  switch (node.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
    case Kind.ENUM_TYPE_DEFINITION:
    case Kind.SCALAR_TYPE_DEFINITION:
      return byEnding(types, node.name.value) ?? `The ${spaced(node.name.value)}.`
    case Kind.FIELD_DEFINITION:
    case Kind.INPUT_VALUE_DEFINITION:
    case Kind.ENUM_VALUE_DEFINITION:
      return ofField(node.name.value, owner && 'name' in owner ? (owner.name?.value ?? '') : '')
  }
  return undefined
}

function ofField(name: string, owner: string): string {
  const known = fields[`${owner}.${name}`] ?? fields[name]
  if (known !== undefined) return known
  const [list, isList] = [name.slice(0, -'Connection'.length), name.endsWith('Connection')]
  if (owner === 'Memory') return `The same memories as \`${list}\`, in pages and with the connections.`
  if (isList) return `Filters by the memories of \`${list}\` and their connections.`
  return `${byEnding(owners, owner) ?? 'The value of'} \`${name}\`.`
}

const byEnding = (table: Readonly<Record<string, string>>, name: string): string | undefined =>
  table[Object.keys(table).find(ending => name.endsWith(ending)) ?? '']

/** By the ending of the type's name. The first one that fits is used. */
const types = {
  Query: 'Read and search memories, and walk the graph.',
  MemoryWhere: 'A filter on memories. A memory must match all of its fields.',
  ConnectionFilters: 'How many of the related memories and their connections must match.',
  RelationshipFilters: 'How many of the related memories must match. Only memories that you may see count.',
  ConnectionPropertiesWhere: 'A filter on connections.',
  ConnectionWhere: 'A filter on related memories (`node`) and their connections (`edge`).',
  EnumScalarFilters: 'A filter on an enum.',
  Filters: 'A filter on a value.',
  Sort: 'A sort order. The first one decides, then the next.',
  AggregateSelection: 'Statistics of many values.',
  Aggregate: 'Statistics of many memories.',
  AggregateNode: 'Statistics of many memories.',
  CountConnection: 'Counts.',
  Count: 'A count.',
  Connection: 'A page of memories with cursors.',
  Relationship: 'A related memory with its connection.',
  Edge: 'A memory with its cursor.',
}

/** What a field of such a type does, before the name of the field. */
const owners = {
  Where: 'Filters by',
  Sort: 'Sorts by',
  Selection: 'Statistics of',
  Node: 'Statistics of',
  Aggregate: 'Statistics of',
  PageInfo: 'As in Relay:',
}

/** By the name of the field, or by the names of the type and the field. */
const fields: Readonly<Record<string, string>> = {
  'Query.memories': 'The memories that match a filter. Without `sort` the order is not defined.',
  'Query.memoriesConnection': 'The memories that match a filter, in pages, with counts and statistics.',
  AND: 'All of these must match.',
  OR: 'At least one of these must match.',
  NOT: 'This must not match.',
  all: 'All of them match. At least one must exist.',
  none: 'None of them matches.',
  single: 'Exactly one of them matches.',
  some: 'At least one of them matches.',
  eq: 'Equal to this value.',
  in: 'Equal to one of these values.',
  lt: 'Less than this value.',
  lte: 'Less than or equal to this value.',
  gt: 'Greater than this value.',
  gte: 'Greater than or equal to this value.',
  contains: 'Contains this text.',
  startsWith: 'Starts with this text.',
  endsWith: 'Ends with this text.',
  includes: 'Contains this value.',
  node: 'The memory.',
  edge: 'The connection.',
  edges: 'The memories of this page.',
  properties: 'The properties of the connection.',
  cursor: 'The position of the memory. Pass it as `after`.',
  pageInfo: 'Whether there are more pages, and where they start.',
  totalCount: 'The number of memories on all pages. Counts each of them.',
  aggregate: 'Statistics of all memories, not only of this page.',
  count: 'Counts.',
  nodes: 'The number of memories.',
  max: 'The largest value.',
  min: 'The smallest value.',
  average: 'The mean.',
  sum: 'The sum.',
  longest: 'The longest text.',
  shortest: 'The shortest text.',
  limit: 'At most this many; 200 is the maximum.',
  first: 'At most this many; 200 is the maximum.',
  offset: 'Skips this many; 10,000 is the maximum.',
  after: 'The `endCursor` of the page before.',
  sort: 'The sort order.',
  where: 'Only memories that match.',
  ASC: 'Ascending.',
  DESC: 'Descending.',
}
