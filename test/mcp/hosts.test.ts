import { beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../support/mcp.ts'
import { withService } from '../support/service.ts'

type Schema = {
  type?: unknown
  properties?: Record<string, Schema>
  items?: Schema
  required?: string[]
  enum?: unknown[]
  description?: string
  [keyword: string]: unknown
}
type Tool = { name: string; description: string; inputSchema: Schema; outputSchema: Schema }

const service = withService()
let tools: Tool[]
beforeAll(async () => {
  tools = (await ask(service, 'tools/list', {})).result?.tools as Tool[]
})

/** A schema with all schemas inside it, and where they stand. */
function nodesOf(schema: Schema, place = ''): [string, Schema][] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    nodesOf(each, `${place}/${name}`),
  )
  return [[place, schema], ...inner, ...(schema.items ? nodesOf(schema.items, `${place}[]`) : [])]
}

/**
 * Function calling of the Gemini API takes a part of OpenAPI's schemas (ai.google.dev/api/caching#Schema) and refuses the
 * whole request for one keyword more: “Unknown name "propertyNames"” (router-for-me/CLIProxyAPI#4393), `const` and types
 * in a list (taylorwilsdon/google_workspace_mcp#1099), formats of strings except enum and date-time, anyOf beside other
 * fields, objects without properties (MarkusPfundstein/mcp-obsidian#21), lists without items (cline/cline#7339), empty
 * texts in enum (google-gemini/gemini-cli#3401).
 */
function gemini({ inputSchema }: Tool): string[] {
  const known = [
    'type',
    'format',
    'title',
    'description',
    'nullable',
    'enum',
    'maxItems',
    'minItems',
    'properties',
    'required',
    'minLength',
    'maxLength',
    'pattern',
    'items',
    'minimum',
    'maximum',
    'anyOf',
  ]
  return nodesOf(inputSchema).flatMap(([place, node]) => [
    ...Object.keys(node)
      .filter(name => !known.includes(name))
      .map(name => `${place}: unknown name ${name}`),
    ...(typeof node.type === 'string' ? [] : [`${place}: one type`]),
    ...(node.type === 'object' && Object.keys(node.properties ?? {}).length === 0
      ? [`${place}: no properties`]
      : []),
    ...(node.type === 'array' && !node.items ? [`${place}: no items`] : []),
    ...(node.type !== 'object' && (node.properties || node.required) ? [`${place}: only for objects`] : []),
    ...(node.type === 'string' && node.format && !['enum', 'date-time'].includes(String(node.format))
      ? [`${place}: format`]
      : []),
    ...(node.enum?.some(value => typeof value !== 'string' || value === '') ? [`${place}: enum`] : []),
    ...(node.anyOf && Object.keys(node).length > 1 ? [`${place}: anyOf beside others`] : []),
    ...(node.required ?? [])
      .filter(name => !(name in (node.properties ?? {})))
      .map(name => `${place}: ${name} is not a property`),
  ])
}

/**
 * Strict functions of OpenAI (platform.openai.com/docs/guides/structured-outputs, “Supported schemas”) want every property
 * required and every object closed. MCP tools are not strict by default in its Agents SDK and in the Responses API; a host
 * that makes them strict adds both, as `ensure_strict_json_schema` does, which fails on objects with other properties. So
 * the schemas are tested as such a host sends them. Every property required by ourselves would make every other host ask
 * its model for twenty filters.
 */
function openAiStrict({ name, inputSchema }: Tool): string[] {
  const known = [
    'type',
    'description',
    'enum',
    'properties',
    'required',
    'items',
    'anyOf',
    'additionalProperties',
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
    'pattern',
    'format',
  ]
  const all = nodesOf(strictly(inputSchema))
  const depth = Math.max(...all.map(([place]) => place.split('/').length))
  return [
    ...(/^[a-zA-Z0-9_-]{1,64}$/.test(name) ? [] : ['name']),
    ...(depth > 5 ? ['nested too deeply'] : []),
    ...(all.length > 100 ? ['more than 100 properties'] : []),
    ...all.flatMap(([place, node]) => [
      ...Object.keys(node)
        .filter(each => !known.includes(each))
        .map(each => `${place}: ${each} is not permitted`),
      ...(node.type === 'object' && !node.properties ? [`${place}: an object without properties`] : []),
      ...(node.anyOf && place === '' ? ['anyOf at the root'] : []),
    ]),
  ]
}

function strictly(schema: Schema): Schema {
  const properties =
    schema.properties &&
    Object.fromEntries(Object.entries(schema.properties).map(([name, each]) => [name, strictly(each)]))
  return {
    ...schema,
    ...(schema.items && { items: strictly(schema.items) }),
    ...(properties && { properties, required: Object.keys(properties), additionalProperties: false }),
  }
}

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object']

/**
 * Claude wants JSON Schema 2020-12 with an object at the root, no oneOf, allOf or anyOf there, and names of properties
 * of `[a-zA-Z0-9_.-]{1,64}` (docs.claude.com, “Tool use”).
 */
function claude({ name, inputSchema }: Tool): string[] {
  return [
    ...(/^[a-zA-Z0-9_-]{1,64}$/.test(name) ? [] : ['name']),
    ...(inputSchema.type === 'object' ? [] : ['no object at the root']),
    ...['oneOf', 'allOf', 'anyOf'].filter(each => each in inputSchema),
    ...nodesOf(inputSchema).flatMap(([, node]) =>
      Object.keys(node.properties ?? {}).filter(each => !/^[a-zA-Z0-9_.-]{1,64}$/.test(each)),
    ),
    ...nodesOf(inputSchema).flatMap(([place, node]) =>
      types.includes(String(node.type)) ? [] : [`${place}: type`],
    ),
  ]
}

/**
 * Cursor counts the names of the server and of the tool together, at most 60 characters, and VS Code and Cursor refuse
 * lists without items; both hand the schema on to any model, so a type and a description at every place count.
 */
function editors({ name, description, inputSchema }: Tool): string[] {
  return [
    ...(`mnemograph:${name}`.length <= 60 ? [] : ['name']),
    ...(description.length <= 1_024 ? [] : ['description']),
    ...nodesOf(inputSchema).flatMap(([place, node]) => [
      ...(node.type === 'array' && !node.items
        ? [`${place}: tool parameters array type must have items`]
        : []),
      ...(/[\]]$|^$/.test(place) || node.description ? [] : [`${place}: no description`]),
      ...(typeof node.$ref === 'string' ? [`${place}: a reference`] : []),
    ]),
  ]
}

describe.each(Object.entries({ gemini, openAiStrict, claude, editors }))('the rules of %s', (_, faults) => {
  test('refuse no tool', () => {
    expect(tools.flatMap(tool => faults(tool).map(fault => `${tool.name} ${fault}`))).toEqual([])
  })
})

test('the rules find what the first form of the schemas had', () => {
  const bad = (schema: Schema): Tool => ({
    name: 'bad',
    description: '',
    inputSchema: { type: 'object', properties: { bad: schema } },
    outputSchema: {},
  })
  const map = bad({ type: 'object', propertyNames: {}, additionalProperties: { type: 'string' } })
  expect(gemini(map)).not.toEqual([])
  expect(openAiStrict(map)).not.toEqual([])
  for (const schema of [
    { const: 'any' },
    { anyOf: [], description: 'x' },
    { type: 'string', format: 'uuid' },
    { type: ['string', 'null'] },
  ])
    expect(gemini(bad(schema)), JSON.stringify(schema)).not.toEqual([])
  expect(openAiStrict(bad({ type: 'string', default: 'x' }))).not.toEqual([])
  expect(editors(bad({ type: 'array' }))).not.toEqual([])
})

test('the list of tools costs a model at most 9,000 tokens', () => {
  const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  expect(JSON.stringify(shown).length / 4).toBeLessThan(9_000)
})
