import { closedSets } from '../../contract/closed-sets.ts'
import { routeNames, routes } from '../../contract/index.ts'
import { isBuiltIn } from '../../contract/policies.ts'
import { problems } from '../../contract/problem-codes.ts'
import { camel, enumValue } from './names.ts'

/** Values that are written in capitals. The values of `MemoryOrder` are names of fields. */
const values = new Set([
  ...Object.keys(problems),
  ...Object.entries(closedSets).flatMap(([name, set]) =>
    name === 'MemoryOrder' ? [] : Object.keys(set.values),
  ),
])

const calls = new Map(routeNames.map(name => [`${routes[name].method} ${routes[name].path}`, name as string]))

/** A description of the contract with the names in backticks as GraphQL has them. `fields` are the names nearby. */
export const inGraphql = (text: string, fields: readonly string[] = []): string =>
  text.replaceAll(/`[^`]+`/g, span => {
    const call = calls.get(span.slice(1, -1).split('?')[0] as string)
    if (call !== undefined) return `\`${call}\``
    return span.replaceAll('=', ': ').replaceAll(/\w+/g, word => nameOf(word, fields))
  })

function nameOf(word: string, fields: readonly string[]): string {
  if (isBuiltIn(word)) return word
  return values.has(word) && !fields.includes(word) ? enumValue(word) : camel(word)
}
