import { bounds } from '../src/api/graphql/limits.ts'

const nested = (depth: number, field = 'causedBy') => `${`${field} { `.repeat(depth)}id${' }'.repeat(depth)}`
const times = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join(' ')
const directions = [
  ...['relatedTo', 'relatedFrom', 'causedBy', 'causes', 'partOf', 'parts', 'references', 'referencedBy'],
  ...['contradicts', 'contradictedBy', 'supports', 'supportedBy', 'similarTo', 'similarFrom'],
  ...['derivedFrom', 'derivations'],
]
const filter = (depth: number): string =>
  depth === 0 ? '{}' : `{ causedBy: { some: ${filter(depth - 1)} } }`

/** A read in a fragment, which others spread 16 ways, three levels deep: 4,096 reads by some 700 tokens. */
const spreading = (filters: string) => {
  const level = (name: string, below: string) =>
    `fragment ${name} on Memory { ${directions.map(field => `${field}(limit: 1) { ...${below} }`).join(' ')} }`
  return `{ memories(limit: 1) { ...D } } ${level('D', 'C')} ${level('C', 'B')} ${level('B', 'L')}
    fragment L on Memory { relatedTo(limit: 1${filters}) { id } }`
}

/** Queries that must be refused before the database is asked, by what is wrong with them. */
export const attacks: Record<string, string> = {
  'as deep as the text allows': `{ memories(limit: 1) { ${nested(40)} } }`,
  'wide at each level': `{ memories(limit: 200) { causedBy(limit: 200) { causes(limit: 200) { id } } } }`,
  'wide by the default lengths': `{ memories { ${nested(5)} } }`,
  'many aliases': `{ ${times(bounds.aliases + 1, at => `a${at}: __typename`)} }`,
  'many root fields': `{ ${times(bounds.rootFields + 1, () => 'memories { id }')} }`,
  'root fields in fragments': `{ ...A ...A } fragment A on Query { ${times(6, () => 'memories { id }')} }`,
  'a bomb of fragments': `{ memories { ...F0 } } ${times(20, at => `fragment F${at} on Memory { causedBy { ...F${at + 1} } causes { ...F${at + 1} } }`)} fragment F20 on Memory { id }`,
  'a bomb without lists': `{ ...F0 } ${times(40, at => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`)} fragment F40 on Query { getStats { queue { depth } } }`,
  'a bomb of fragments without fields': `{ memories(limit: 1) { ...F0 } } ${times(40, at => `fragment F${at} on Memory { ...F${at + 1} ...F${at + 1} }`)} fragment F40 on Memory { id }`,
  'many reads in fragments': spreading(''),
  'many filters on related memories in fragments': spreading(
    `, where: { AND: [${times(bounds.relatedFilters, () => '{ causes: { some: {} } }')}] }`,
  ),
  'a filter on related memories, spread often': `{ memories(limit: 1) { ${times(bounds.relatedFilters + 1, at => `${directions[at]}(limit: 1) { ...L }`)} } } fragment L on Memory { causes(limit: 1, where: { causedBy: { some: {} } }) { id } }`,
  'fragments in a circle':
    '{ memories { ...A } } fragment A on Memory { causedBy { ...B } } fragment B on Memory { causes { ...A } }',
  'many directives': `{ memories { ${times(bounds.directives + 1, () => 'id @include(if: true)')} } }`,
  'a flood of __typename': `{ ${times(700, () => '__typename')} }`,
  'a huge limit': '{ memories(limit: 1000000000) { id } }',
  'a negative limit': '{ memories(limit: -1) { id } }',
  'no limit at all': '{ memories(limit: 0) { id } }',
  'a limit beyond what is an integer': '{ memories(limit: 9007199254740993) { id } }',
  'a huge first': '{ memoriesConnection(first: 201) { totalCount } }',
  'a nested negative first': '{ memories { causesConnection(first: -5) { totalCount } } }',
  'a huge offset': '{ memories(offset: 10001) { id } }',
  'a cursor that is none': '{ memoriesConnection(after: "junk") { totalCount } }',
  'a cursor far away': `{ memoriesConnection(after: "${Buffer.from('arrayconnection:999999999').toString('base64')}") { totalCount } }`,
  'a search for too many':
    '{ searchMemories(query: "x", searchType: KEYWORD, limit: 100000) { results { score } } }',
  'nested filters without end': `{ memories(where: ${filter(100)}) { id } }`,
  'many filters on related memories': `{ memories(where: { AND: [${times(bounds.relatedFilters + 1, () => '{ causedBy: { some: {} } }')}] }) { id } }`,
  'a filter with a long list': `{ memories(where: { id: { in: [${times(bounds.filterValues + 1, () => '"x"')}] } }) { id } }`,
  'a fragment that spreads itself': '{ ...A } fragment A on Query { ...A }',
  'a directive that is none, many times': `{ memories ${times(500, () => '@boom')} { id } }`,
  'the same directive twice on each field': `{ memories { ${times(15, () => 'id @include(if: true) @skip(if: false)')} } }`,
  'inline fragments without end': `{ memories { ${'... on Memory { '.repeat(300)}id${' }'.repeat(300)} } }`,
  'a huge float where an integer belongs': '{ memories(limit: 1e308) { id } }',
  'many operations in one text': `${times(300, at => `query Q${at} { getStats { queue { depth } } }`)}`,
  'a name that nearly is one': '{ memories { contnt } }',
  introspection: '{ __schema { types { name } } }',
  'introspection of one type': '{ __type(name: "Memory") { fields { name } } }',
  '100,000 tokens': `{ ${times(100_000, () => 'a')} }`,
  'a field that is none': '{ memorys { id } }',
  'a filter on the tenant': '{ memories(where: { tenant: { eq: "default" } }) { id } }',
  nothing: '',
}
