/**
 * What the library writes (seen in 7.6.3), as one writes it who knows this graph: the answers are the same, but for
 * memories that sort alike, which now come in the order of their ids. A text of another shape stays as it is.
 */
export function rewritten(text: string, includeArchived: boolean): string {
  const simple = text.replaceAll(convertedTime, '$1').replaceAll(alwaysSo, '')
  return includeArchived ? simple : simple.replaceAll(shownBesides, '').replace(sortedPage, inOrderOfIndex)
}

/** Times at connections and in aggregates it would have APOC write; the text of a time in UTC is the same without. */
const convertedTime =
  /apoc\.date\.convertFormat\((toString\(.*?\)), 'iso_zoned_date_time', 'iso_offset_date_time'\)/g

/** The context of the library says who asks and gives every value. */
const alwaysSo = /\$isAuthenticated = true AND |\$jwt\.\w+ IS NOT NULL AND /g

/** Without archived memories no state is shown besides. With a second way to be shown, Neo4j seeks a tenant's memories twice. */
const shownBesides = / OR \(\w+\.state IN \$jwt\.alsoShown\)/g

/** A page of memories in an order that an index has. */
const sortedPage =
  /^(CYPHER 5\nMATCH \(this:Memory\)\nWITH \*\nWHERE )(.*)\nWITH \*\nORDER BY this\.(createdAt|updatedAt|importance|health) (ASC|DESC)\n(?=LIMIT )/

/** An index is read in its order, and no further than the page, when each of its properties is tested and named. */
function inOrderOfIndex(_: string, start: string, rule: string, property: string, order: string): string {
  const [from, direction] = [leastOf[property], order === 'DESC' ? ' DESC' : '']
  const names = ['tenant', 'state', property, 'id'].map(name => `this.${name}${direction}`)
  return `${start}${rule} AND this.${property} >= ${from} AND this.id IS NOT NULL
WITH *
ORDER BY ${names.join(', ')}
`
}

/** No value of the property lies below. */
const leastOf: Record<string, string> = {
  createdAt: "datetime({epochMillis: 0, timezone: 'Z'})",
  updatedAt: "datetime({epochMillis: 0, timezone: 'Z'})",
  importance: '0.0',
  health: '0',
}
