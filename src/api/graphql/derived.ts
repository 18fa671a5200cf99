import { parse, print } from 'graphql'
import { z } from 'zod'
import { type GraphqlField, graphqlFields } from '../../contract/graphql.ts'
import { isStream, type RouteName, routeNames, routes } from '../../contract/index.ts'
import { idempotencyKey, waitSeconds } from '../../contract/memory.ts'
import { isRead, type Route } from '../../contract/route.ts'
import { errorCodes } from './error-codes.ts'
import {
  block,
  type Derivation,
  fieldTypesOf,
  isNullable,
  type Json,
  MEMORY,
  quoted,
  resolved,
  typeOf,
} from './json-types.ts'
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

const ifVersion = `${quoted('The operation fails if the memory has another version.')} ifVersion: Int`

const wait = `${quoted(waitSeconds.description ?? '')} wait: Int`

const once = `${quoted(idempotencyKey.description ?? '')} idempotencyKey: String`

/** The definitions of all operations and of the types that they use, derived from the contract. */
export function deriveOperations(): string {
  const [inputs, outputs] = [derivation('input'), derivation('output')]
  const fields = new Map<string, string[]>(Object.keys(roots).map(type => [type, []]))
  for (const name of operationNames) {
    const [root, args] = [isRead(routes[name]) ? 'Query' : 'Mutation', argumentsOf(name, inputs)]
    if ((routes[name] as Route).precondition === 'If-Match') args.push(ifVersion)
    if ((routes[name] as Route).waits) args.push(wait)
    if ((routes[name] as Route).creates) args.push(once)
    fields
      .get(root)
      ?.push(
        `${quoted(describeOperation(name, inputs, outputs))} ${name}${listed(args)}: ${resultOf(name, outputs)}`,
      )
  }
  for (const { type, name, field } of own) {
    const key = `${type}.${name}`
    const [args, json] = [argumentsOf(key, inputs), propertyOf(key, outputs)]
    const result = `${typeOf(json, name, `${type}${upperFirst(name)}`, outputs)}${isNullable(json) ? '' : '!'}`
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

/** Derives from all schemas at once, so that each named schema appears once. */
function derivation(io: 'input' | 'output'): Derivation {
  const all = z.object({
    ...Object.fromEntries(operationNames.map(name => [name, routes[name][io]])),
    ...Object.fromEntries(own.map(({ type, name, field }) => [`${type}.${name}`, field[io]])),
  })
  const { $defs = {}, properties = {} } = z.toJSONSchema(all, { io, unrepresentable: 'any' }) as Json
  return { io, properties, definitions: $defs, types: new Map() }
}

const propertyOf = (name: string, { properties }: Derivation) => properties[name] as Json

const argumentsOf = (name: string, inputs: Derivation) =>
  fieldTypesOf(resolved(propertyOf(name, inputs), inputs), upperFirst(name), inputs)

const listed = (args: readonly string[]) => (args.length === 0 ? '' : `(${args.join('\n')})`)

function describeOperation(name: RouteName, ...derivations: Derivation[]): string {
  const { summary, description, scope }: Route = routes[name]
  const fields = derivations.flatMap(each =>
    Object.keys(resolved(propertyOf(name, each), each).properties ?? {}),
  )
  const text = inGraphql([`${summary}.`, description].filter(Boolean).join(' '), fields)
  return scope === 'read' ? text : `${text} Needs the scope \`${scope}\`.`
}

/** A mutation returns a payload, to which fields can be added. What has a name of its own is a field of it. */
function resultOf(name: RouteName, outputs: Derivation): string {
  const json = propertyOf(name, outputs)
  const payload = `${upperFirst(name)}Payload`
  const type = typeOf(json, '', payload, outputs)
  const result = type === 'Memory' ? type : `${type}!`
  if (json.$ref === undefined || isRead(routes[name])) return result
  const field = `${quoted(type === 'Memory' ? MEMORY : `The ${lowerFirst(type)}.`)} ${lowerFirst(type)}: ${result}`
  const more = json.$ref?.endsWith('/CreatedMemory')
    ? fieldTypesOf(duplicateIn(json, outputs), payload, outputs)
    : []
  outputs.types.set(
    payload,
    block(`${quoted(`The response of \`${name}\`.`)} type ${payload}`, [field, ...more]),
  )
  return `${payload}!`
}

/** What a create returns in addition to the memory. */
function duplicateIn(json: Json, outputs: Derivation): Json {
  const { duplicate_of: duplicate, not_stored: rest } = resolved(json, outputs).properties ?? {}
  return {
    properties: {
      duplicate_of: { ...duplicate, type: ['string', 'null'], description: DUPLICATE },
      not_stored: { ...rest, type: ['array', 'null'], description: NOT_STORED },
    },
  }
}

const CHANGED = 'The memory as it is now, also if it is archived. Null if it was removed.'
const DUPLICATE =
  'The id of the memory, if it existed before with the same text, so that nothing was stored. Null if the memory is new.'
const NOT_STORED =
  'The fields of the request that the existing memory does not have. Null if the memory is new.'
