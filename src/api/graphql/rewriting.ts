type Shown = {
  readonly includeArchived: boolean
  readonly showsNamed: boolean
  /** Whether `$jwt.tenants` are read, and not only `$jwt.tenant`. */
  readonly inBoth: boolean
}

/**
 * Optimises the Cypher of the library (seen in 7.6.3) for this graph. The results are the same, except that memories with
 * equal sort keys come in the order of their ids. A text of another form stays as it is. For a caller who reads in both its
 * tenants, the rule about the tenant becomes one about both.
 */
export function rewritten(text: string, shown: Shown): string {
  const simple = simplified(text, shown)
  return shown.inBoth ? withBoth(simple) : simple
}

function simplified(text: string, { includeArchived, showsNamed, inBoth }: Shown): string {
  const simple = text.replaceAll(convertedTime, '$1').replaceAll(alwaysSo, '')
  if (includeArchived) return simple
  if (showsNamed) return simple.replaceAll(shownBesides, (rule, of) => (of === NAMED ? rule : ''))
  return simple.replaceAll(shownBesides, '').replace(sortedPage, inBoth ? inOrderOfEach : inOrderOfIndex)
}

/** @throws if the library has written the rule in another way: one that is missed would hide memories */
function withBoth(text: string): string {
  const both = text.replaceAll(ofTenant, '$1 IN $jwt.tenants')
  if (/\$jwt\.tenant\b/.test(both)) throw new Error(`The rule about the tenant has another form: ${both}`)
  return both
}

const ofTenant = /\b(\w+\.tenant) = \$jwt\.tenant\b/g

/** The library formats times of connections and in aggregates with APOC. In UTC the text is the same without it. */
const convertedTime =
  /apoc\.date\.convertFormat\((toString\(.*?\)), 'iso_zoned_date_time', 'iso_offset_date_time'\)/g

/** Always true: the context of the library authenticates the caller and sets every value. */
const alwaysSo = /\$isAuthenticated = true AND |\$jwt\.\w+ IS NOT NULL AND /g

/** Always false without archived memories. With an OR, Neo4j reads a tenant's memories twice. */
const shownBesides = / OR \((\w+)\.state IN \$jwt\.alsoShown\)/g

/** The memories at the root of a query. */
const NAMED = 'this'

/** A page of memories in an order that an index has. */
const sortedPage =
  /^(CYPHER 5\nMATCH \(this:Memory\)\nWITH \*\nWHERE )(.*)\nWITH \*\nORDER BY this\.(createdAt|updatedAt|importance|health) (ASC|DESC)\n(?=LIMIT (.*))/

/** Neo4j reads an index in its order, and only as far as the page, if the query tests and names all of its properties. */
function inOrderOfIndex(_: string, start: string, rule: string, property: string, order: string): string {
  const [from, direction] = [lowestOf[property], order === 'DESC' ? ' DESC' : '']
  const names = ['tenant', 'state', property, 'id'].map(name => `this.${name}${direction}`)
  return `${start}${rule} AND this.${property} >= ${from} AND this.id IS NOT NULL
WITH *
ORDER BY ${names.join(', ')}
`
}

/** The page of each tenant in the order of the index, and of these the first ones. */
function inOrderOfEach(
  all: string,
  start: string,
  rule: string,
  property: string,
  order: string,
  limit: string,
): string {
  const ofEach = rule.replace(OF_NAMED, `${NAMED}.tenant = ${EACH}`)
  const read = inOrderOfIndex(all, start, ofEach, property, order).replace(VERSION, '')
  const direction = order === 'DESC' ? ' DESC' : ''
  return `${VERSION}UNWIND $jwt.tenants AS ${EACH}
CALL {
WITH ${EACH}
${read}LIMIT ${limit}
RETURN this
}
WITH this
ORDER BY this.${property}${direction}, this.id${direction}
`
}

const VERSION = 'CYPHER 5\n'
const EACH = 'eachTenant'
const OF_NAMED = `${NAMED}.tenant = $jwt.tenant`

/** Lower bounds of the properties. */
const lowestOf: Record<string, string> = {
  createdAt: "datetime({epochMillis: 0, timezone: 'Z'})",
  updatedAt: "datetime({epochMillis: 0, timezone: 'Z'})",
  importance: '0.0',
  health: '0',
}
