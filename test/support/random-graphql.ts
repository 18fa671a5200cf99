import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { seededRandom } from '../../tools/seeded-random.ts'

export type RandomOperation = { query: string; variables: Record<string, unknown> }

/** A value of an argument as JSON and as GraphQL writes it. */
type Value = { json: unknown; literal: string }

const DEEPEST_SELECTION = 4
const DEEPEST_INPUT = 4
const ALIASES = ['constructor', 'toString', '__proto', 'id', 'a']
const TEXTS = ['cat', '', ' ', '"\\', '\u0000', 'a\u0301\u0316', '\ud83e\udd9b', 'x'.repeat(300), 'NaN', '*']
const NUMBERS = [0, 1, -1, 3, 0.5, 200, 201, 2 ** 31 - 1, -(2 ** 31)]
const TIMES = ['2026-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', 'tomorrow']

/** Makes valid and nearly valid operations of a schema, the same ones for a seed. `ids` are of what is there. */
export function randomOperations(schema: GraphQLSchema, ids: readonly string[], seed: number) {
  const random = seededRandom(seed)
  const chance = (share: number) => random() < share
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T

  function next(): RandomOperation {
    const kind = chance(0.75) ? 'query' : 'mutation'
    const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType()
    const variables: Record<string, unknown> = {}
    const declared: string[] = []
    const fields = Array.from({ length: chance(0.8) ? 1 : 3 }, () =>
      field(pick(Object.values(root?.getFields() ?? {})), 0),
    )
    const declarations = declared.length > 0 ? `(${declared.join(', ')})` : ''
    return { query: `${kind} ${declarations} { ${fields.join(' ')} }`, variables }

    function field({ name, args, type }: GraphQLField<unknown, unknown>, depth: number): string {
      const given = args.filter(arg => isNonNullType(arg.type) || chance(0.35)).map(argument)
      const alias = chance(0.1) ? `${pick(ALIASES)}${chance(0.5) ? depth : ''}: ` : ''
      return `${alias}${name}${given.length > 0 ? `(${given.join(', ')})` : ''}${chance(0.03) ? ' @skip(if: false)' : ''} ${selection(type, depth)}`
    }

    function argument({ name, type }: GraphQLArgument): string {
      const { json, literal } = inputValue(type, 0)
      if (chance(0.5)) return `${name}: ${literal}`
      const variable = `v${declared.length}`
      declared.push(`$${variable}: ${type}`)
      variables[variable] = json
      return `${name}: $${variable}`
    }

    function selection(type: GraphQLOutputType, depth: number): string {
      const named = getNamedType(type)
      if (!isObjectType(named) && !isInterfaceType(named)) return ''
      const fits = (each: GraphQLField<unknown, unknown>) =>
        depth < DEEPEST_SELECTION || !isObjectType(getNamedType(each.type))
      const shown = Object.values(named.getFields()).filter(each => fits(each) && chance(0.3))
      return `{ __typename ${shown.map(each => field(each, depth + 1)).join(' ')} }`
    }
  }

  function inputValue(type: GraphQLInputType, depth: number): Value {
    if (isNonNullType(type)) return inputValue(type.ofType, depth)
    if (chance(0.05)) return { json: null, literal: 'null' }
    if (isListType(type)) {
      const items = Array.from({ length: Math.floor(random() * 3) }, () => inputValue(type.ofType, depth + 1))
      return {
        json: items.map(({ json }) => json),
        literal: `[${items.map(({ literal }) => literal).join(', ')}]`,
      }
    }
    if (isEnumType(type)) {
      const { name } = pick(type.getValues())
      return { json: name, literal: name }
    }
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        each => isNonNullType(each.type) || (depth < DEEPEST_INPUT && chance(2 / (8 + depth * 8))),
      )
      const values = fields.map(each => [each.name, inputValue(each.type, depth + 1)] as const)
      return {
        json: Object.fromEntries(values.map(([name, { json }]) => [name, json])),
        literal: `{ ${values.map(([name, { literal }]) => `${name}: ${literal}`).join(', ')} }`,
      }
    }
    return scalar(type.name)
  }

  function scalar(name: string): Value {
    const json = chance(0.05) ? pick<unknown>([[], {}, true, 'x', 1]) : plausible(name)
    return { json, literal: JSON.stringify(json) }
  }

  function plausible(name: string): unknown {
    if (name === 'Int') return Math.trunc(pick(NUMBERS))
    if (name === 'Float') return pick(NUMBERS)
    if (name === 'Boolean') return chance(0.5)
    if (name === 'ID') return chance(0.7) ? pick(ids) : pick(TEXTS)
    if (name === 'DateTime') return pick(TIMES)
    return pick(TEXTS)
  }

  return { next }
}
