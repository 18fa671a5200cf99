/**
 * Writes the generated parts of the Python client: `npm run python-client`. They are the types (`models.py`, by
 * datamodel-code-generator) and one method for each operation, async and sync (by unasync). Needs Python 3.11 or newer.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type RouteName, routeNames, routes } from '../src/contract/index.ts'
import { hasBody, type Route } from '../src/contract/route.ts'
import { python } from '../tools/python.ts'

type Json = Record<string, unknown>

const tools = ['datamodel-code-generator==0.89.0', 'unasync==0.6.0', 'ruff==0.17.6']

const project = fileURLToPath(new URL('../clients/python', import.meta.url))
const folder = join(project, 'src', 'mnemograph_client')

/** Words that Python keeps for itself: the parameter has an underscore at its end there. */
const reserved = new Set(['from'])

const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
const snake = (name: string) => name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** The inputs and outputs of all operations as one JSON Schema. */
function schemaOfContract(): Json {
  const $defs: Json = {}
  for (const name of routeNames) {
    const { input, output, mediaTypes } = routes[name]
    $defs[`${pascal(name)}Input`] = hoisted(input, 'input', $defs)
    if (!mediaTypes) $defs[`${pascal(name)}Output`] = hoisted(output, 'output', $defs)
  }
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs }
}

function hoisted(schema: z.ZodType, io: 'input' | 'output', all: Json): unknown {
  const json = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: forPython })
  const { $defs = {}, $schema: _dialect, id, ...rest } = json as Json
  for (const [name, definition] of Object.entries($defs as Json)) all[name] ??= definition
  if (typeof id !== 'string') return rest
  all[id] ??= rest
  return { $ref: `#/$defs/${id}` }
}

function forPython({ jsonSchema }: { jsonSchema: Json }) {
  delete jsonSchema.additionalProperties
  delete jsonSchema.examples
  delete jsonSchema.id
  const properties = jsonSchema.properties as Json | undefined
  for (const name of reserved)
    if (properties?.[name]) {
      properties[`${name}_`] = properties[name]
      delete properties[name]
    }
}

/** The class of all operations, whose `_call` and `_stream` are written by hand. */
function operationsOf(): string {
  return [
    'from collections.abc import AsyncIterator',
    'from typing import Any, Unpack, cast',
    '',
    'from .. import models',
    'from .._shared import Operation',
    '',
    '',
    'class AsyncOperations:',
    '    """One method for each operation of the service."""',
    '',
    '    async def _call(self, operation: Operation, fields: Any, **options: Any) -> Any:',
    '        raise NotImplementedError',
    '',
    '    def _stream(self, operation: Operation, fields: Any) -> AsyncIterator[str]:',
    '        raise NotImplementedError',
    ...routeNames.filter(name => name !== 'followChanges').flatMap(name => ['', ...methodOf(name)]),
    '',
  ].join('\n')
}

function methodOf(name: RouteName): string[] {
  const route: Route = routes[name]
  const options = [
    ...(route.creates ? ['idempotency_key: str | None = None'] : []),
    ...(route.precondition === 'If-Match' ? ['if_version: int | None = None'] : []),
    ...(route.waits ? ['wait: float | None = None'] : []),
  ]
  const keywords = options.length > 0 ? [`*, ${options.join(', ')}`] : []
  const parameters = ['self', ...keywords, `**fields: Unpack[models.${pascal(name)}Input]`].join(', ')
  const operation = `Operation("${name}", "${route.method}", "${route.path}", in_body=${truth(hasBody(route))}, creates=${truth(route.creates)}, reads=${truth(route.scope === 'read' || route.scope === 'cypher' || route.scope === 'open')})`
  const passed = options.map(option => option.split(':')[0]).map(option => `, ${option}=${option}`)
  const documentation = [`        """${sentence(route.summary)}`, ...paragraphs(route), '        """']
  if (route.mediaTypes)
    return [
      `    def ${snake(name)}(${parameters}) -> AsyncIterator[str]:`,
      ...documentation,
      `        return self._stream(${operation}, fields)`,
    ]
  const output = `models.${pascal(name)}Output`
  return [
    `    async def ${snake(name)}(${parameters}) -> ${output}:`,
    ...documentation,
    `        return cast(${output}, await self._call(${operation}, fields${passed.join('')}))`,
  ]
}

const truth = (value: unknown) => (value ? 'True' : 'False')
const sentence = (text: string) => (text.endsWith('.') ? text : `${text}.`)

function paragraphs({ description }: Route): string[] {
  if (!description) return []
  const lines = description.split('\n').flatMap(line => wrapped(line))
  return ['', ...lines.map(line => `        ${line}`.trimEnd())]
}

const WIDTH = 100

/** A paragraph in lines of at most WIDTH characters. */
function wrapped(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trimStart()
    if (line.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = line
  }
  return lines
}

/** Of all that the generated files are made from. */
export const fingerprint = (): string =>
  createHash('sha256').update(JSON.stringify(schemaOfContract())).update(operationsOf()).digest('hex')

function generate() {
  const program = python(tools)
  const run = (...words: string[]) => execFileSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  const header = `# Generated from the contract by \`npm run python-client\`. Do not edit.\n# ${fingerprint()}\n\n`
  const schema = join(folder, 'schema.json')
  writeFileSync(schema, JSON.stringify(schemaOfContract()))
  const models = join(folder, 'models.py')
  const options = [
    '--input-file-type=jsonschema',
    '--output-model-type=typing.TypedDict',
    '--target-python-version=3.11',
    '--enum-field-as-literal=all',
    '--use-schema-description',
    '--use-field-description',
    '--disable-timestamp',
    '--formatters=builtin',
    '--strict-nullable',
  ]
  run('-m', 'datamodel_code_generator', `--input=${schema}`, `--output=${models}`, ...options)
  rmSync(schema)
  writeFileSync(models, header + readFileSync(models, 'utf8'))
  writeFileSync(join(folder, '_async', 'operations.py'), header + operationsOf())
  run(fileURLToPath(new URL('python-sync.py', import.meta.url)), project)
  run('-m', 'ruff', 'check', '--quiet', '--fix', '--select=I,F401', project)
  run('-m', 'ruff', 'format', '--quiet', project)
}

if (import.meta.main) generate()
