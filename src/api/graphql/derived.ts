import { parse, print } from 'graphql'
import type { z } from 'zod'
import { type Field, type Fields, fieldOf, fieldsOf } from '../../contract/fields.ts'
import { type GraphqlField, graphqlFields } from '../../contract/graphql.ts'
import { isStream, type RouteName, routeNames, routes } from '../../contract/index.ts'
import { controlsOf } from '../../contract/memory.ts'
import { isRead, type Route } from '../../contract/route.ts'
import { errorCodes } from './error-codes.ts'
import { block, type Derivation, fieldTypesOf, MEMORY, quoted, typeOf } from './json-types.ts'
import { inGraphql } from './mentions.ts'
import { lowerFirst, upperFirst } from './names.ts'
import { changedMemories } from './operations.ts'
import { relayFields, relayTypes } from './relay-types.ts'

/** The routes that GraphQL offers as operations. Streams are not among them: GraphQL returns whole values. */
const operationNames = routeNames.filter(name => routes[name].scope !== 'open' && !isStream(name))

const own = Object.entries(graphqlFields).flatMap(([type, fields]) =>
  Object.entries(fields).map(([name, field]) => ({ type, name, field: field as GraphqlField })),
)

const roots: Readonly<Record<string, string>> = {
  Query: `${quoted('Read and search memories, and walk the graph.')} type Query`,
  Mutation: `${quoted('Change memories, connections, policies, keys and jobs.')} type Mutation`,
  Subscription: `${quoted('Follow changes.')} type Subscription`,
  Memory: 'extend type Memory implements Node',
}

const common = `
"Includes archived memories at every depth of the query."
directive @includeArchived("Whether to include them." if: Boolean! = true) on QUERY | SUBSCRIPTION
"A time in RFC 3339 format. Responses use UTC with milliseconds."
scalar DateTime @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc3339")
"A number from 0 to 1, or \`auto\`."
scalar Relevance @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc8259")`

/** The definitions of all operations and of the types that they use, derived from the contract. */
export function deriveOperations(): string {
  const [inputs, outputs] = [derivation('input'), derivation('output')]
  const fields = new Map<string, string[]>(Object.keys(roots).map(type => [type, []]))
  for (const name of operationNames) {
    const route: Route = routes[name]
    const args = [route.input, controlsOf(route)].flatMap(each => argumentsOf(each, name, inputs))
    fields
      .get(isRead(route) ? 'Query' : 'Mutation')
      ?.push(`${quoted(describeOperation(name))} ${name}${listed(args)}: ${resultOf(name, outputs)}`)
  }
  for (const { type, name, field } of own) {
    const args = argumentsOf(field.input, `${type}.${name}`, inputs)
    const output = fieldOf(field.output, 'output')
    const result = `${typeOf(output, name, `${type}${upperFirst(name)}`, outputs)}${output.isNullable ? '' : '!'}`
    fields.get(type)?.push(`${quoted(inGraphql(field.description))} ${name}${listed(args)}: ${result}`)
  }
  fields.get('Query')?.push(...relayFields)
  const types = new Map([...inputs.types, ...outputs.types])
  for (const [name, named] of Object.entries(changedMemories)) {
    const payload = `${upperFirst(name)}Payload`
    const more = Object.keys(named ?? {}).map(field => `${quoted(CHANGED)} ${field}: Memory`)
    types.set(payload, (types.get(payload) ?? '').replace(/\}\s*$/, `${more.join('\n')}\n}`))
  }
  const definitions = [...fields].map(([type, lines]) => block(roots[type] as string, lines))
  return print(parse([common, relayTypes, errorCodes(), ...definitions, ...types.values()].join('\n')))
}

const derivation = (io: 'input' | 'output'): Derivation => ({ io, types: new Map() })

const argumentsOf = (schema: z.ZodType, name: string, inputs: Derivation) =>
  fieldTypesOf(fieldsOf(schema), upperFirst(name), inputs)

const listed = (args: readonly string[]) => (args.length === 0 ? '' : `(${args.join('\n')})`)

function describeOperation(name: RouteName): string {
  const { summary, description, scope, input, output }: Route = routes[name]
  const fields = [...Object.keys(fieldsOf(input)), ...Object.keys(fieldsOf(output, 'output'))]
  const text = inGraphql([`${summary}.`, description].filter(Boolean).join(' '), fields)
  return scope === 'read' ? text : `${text} Needs the scope \`${scope}\`.`
}

/** A mutation returns a payload, to which fields can be added. What has a name of its own is a field of it. */
function resultOf(name: RouteName, outputs: Derivation): string {
  const output = fieldOf(routes[name].output, 'output')
  const payload = `${upperFirst(name)}Payload`
  const type = typeOf(output, '', payload, outputs)
  const result = type === 'Memory' ? type : `${type}!`
  if (output.id === undefined || isRead(routes[name])) return result
  const field = `${quoted(type === 'Memory' ? MEMORY : `The ${lowerFirst(type)}.`)} ${lowerFirst(type)}: ${result}`
  const more =
    output.id === 'CreatedMemory' ? fieldTypesOf(duplicateIn(output.fields ?? {}), payload, outputs) : []
  outputs.types.set(
    payload,
    block(`${quoted(`The response of \`${name}\`.`)} type ${payload}`, [field, ...more]),
  )
  return `${payload}!`
}

/** What a create returns in addition to the memory. */
const duplicateIn = ({ duplicate_of: duplicate, not_stored: rest }: Fields): Fields => ({
  duplicate_of: { ...(duplicate as Field), isNullable: true, description: DUPLICATE },
  not_stored: { ...(rest as Field), isNullable: true, description: NOT_STORED },
})

const CHANGED = 'The memory as it is now, also if it is archived. Null if it was removed.'
const DUPLICATE =
  'The id of the memory, if it existed before with the same text, so that nothing was stored. Null if the memory is new.'
const NOT_STORED =
  'The fields of the request that the existing memory does not have. Null if the memory is new.'
