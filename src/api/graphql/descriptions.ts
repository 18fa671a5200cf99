import { type ASTNode, type DocumentNode, Kind, parse, visit } from 'graphql'

/** Gives what the library makes and leaves without words a description. */
export function describe(served: string): DocumentNode {
  return visit(parse(served), {
    enter(node: ASTNode, _key, _parent, _path, ancestors) {
      if ('description' in node && node.description) return undefined
      const owner = ancestors.findLast(each => !Array.isArray(each)) as ASTNode | undefined
      const value = wordsFor(node, owner)
      return value ? { ...node, description: { kind: Kind.STRING, value } } : undefined
    },
  })
}

function wordsFor(node: ASTNode, owner: ASTNode | undefined): string | undefined {
  switch (node.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
    case Kind.ENUM_TYPE_DEFINITION:
    case Kind.SCALAR_TYPE_DEFINITION:
      return ofType(node.name.value)
    case Kind.FIELD_DEFINITION:
    case Kind.INPUT_VALUE_DEFINITION:
    case Kind.ENUM_VALUE_DEFINITION:
      return ofField(node.name.value, owner && 'name' in owner ? (owner.name?.value ?? '') : '')
  }
  return undefined
}

const ofType = (name: string): string => find(types, name) ?? `The ${spaced(name)}.`

const ofField = (name: string, owner: string): string =>
  find(fields, `${owner}.${name}`) ?? `The ${spaced(name)}.`

const find = (rows: readonly (readonly [RegExp, string])[], name: string) => {
  const row = rows.find(([pattern]) => pattern.test(name))
  return row && name.replace(row[0], row[1])
}

const spaced = (name: string) => name.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`).trim()

/** The first that fits; `$1` is what the pattern caught. */
const types = [
  [/^Query$/, 'What can be read, searched and walked.'],
  [/^MemoryWhere$/, 'A filter on memories. Several fields in it must all hold.'],
  [/^.*ConnectionFilters$/, 'How many of the related memories and their connections must match.'],
  [
    /^.*RelationshipFilters$/,
    'How many of the related memories must match. Only memories that you may see count.',
  ],
  [/^.*ConnectionWhere$/, 'A filter on related memories (`node`) and their connections (`edge`).'],
  [/^ConnectionPropertiesWhere$/, 'A filter on connections.'],
  [/^(.*)EnumScalarFilters$/, 'A filter on a value of a closed set.'],
  [/^(.*?)(Scalar|List)Filters$/, 'A filter on a $1.'],
  [/^.*Sort$/, 'An ordering. Of several the first decides, then the next.'],
  [/^.*AggregateSelection$/, 'Figures over many values.'],
  [/^.*Aggregate(Node)?$/, 'Figures over many memories.'],
  [/^Count.*$/, 'How many there are.'],
  [/^.*Connection$/, 'A page of memories with cursors.'],
  [/^Memory(\w+)Relationship$/, 'A related memory with its connection.'],
  [/^.*Edge$/, 'A memory with its cursor.'],
] as const

const fields = [
  [
    /^Query\.memories$/,
    'Memories by filter, in an ordering. Without an ordering they come in no order that lasts.',
  ],
  [/^Query\.memoriesConnection$/, 'Memories page by page, with counts and figures.'],
  [/\.AND$/, 'All of these hold.'],
  [/\.OR$/, 'At least one of these holds.'],
  [/\.NOT$/, 'This does not hold.'],
  [/\.eq$/, 'Equal to this.'],
  [/\.in$/, 'One of these.'],
  [/\.lte$/, 'This or less.'],
  [/\.lt$/, 'Less than this.'],
  [/\.gte$/, 'This or more.'],
  [/\.gt$/, 'More than this.'],
  [/\.contains$/, 'Holds this text.'],
  [/\.startsWith$/, 'Begins with this text.'],
  [/\.endsWith$/, 'Ends with this text.'],
  [/\.includes$/, 'Has this one.'],
  [/\.node$/, 'The memory.'],
  [/\.edge$/, 'The connection.'],
  [/\.edges$/, 'The memories of this page.'],
  [/\.properties$/, 'What is known of the connection.'],
  [/\.cursor$/, 'Names this place: for `after`.'],
  [/\.pageInfo$/, 'Whether and where it goes on.'],
  [/\.totalCount$/, 'How many there are in all pages. Counts every one of them.'],
  [/\.aggregate$/, 'Figures over all of them, not over this page alone.'],
  [/\.count$/, 'How many there are.'],
  [/\.nodes$/, 'How many memories.'],
  [/\.max$/, 'The largest.'],
  [/\.min$/, 'The smallest.'],
  [/\.average$/, 'The mean.'],
  [/\.sum$/, 'The sum.'],
  [/\.limit$/, 'At most this many; 200 is the maximum.'],
  [/\.first$/, 'At most this many; 200 is the maximum.'],
  [/\.offset$/, 'Pass over this many; 10,000 is the maximum.'],
  [/\.after$/, '`endCursor` of the page before.'],
  [/\.sort$/, 'In this order.'],
  [/\.where$/, 'Only those that match.'],
  [/^Memory\.(\w+)Connection$/, 'The same as `$1`, page by page and with the connections.'],
  [/^MemoryWhere\.(\w+)Connection$/, 'By the memories of `$1` and their connections.'],
  [/^MemoryWhere\.(\w+)$/, 'By `$1`.'],
  [/^ConnectionPropertiesWhere\.(\w+)$/, 'By `$1`.'],
  [/^\w+Sort\.(\w+)$/, 'By `$1`.'],
  [/^\w+(?:Aggregate|Selection)\w*\.(\w+)$/, 'Figures over `$1`.'],
  [/^PageInfo\.(\w+)$/, 'Relay: `$1`.'],
] as const
