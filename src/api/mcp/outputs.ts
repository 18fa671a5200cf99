import { z } from 'zod'
import { origin, relationshipType } from '../../contract/connections.ts'
import { type Field, type Fields, fieldOf, fieldsOf } from '../../contract/fields.ts'
import { type Output, routes } from '../../contract/index.ts'
import { createdMemory, fetchedMemory, state } from '../../contract/memory.ts'
import { type FoundPassage, partFrom, passageOf, shortMemory, shownRows } from './short.ts'
import { type ToolRoute, toolRoutes } from './tools.ts'

/** What no agent needs of an output, at any depth except in memories. */
const hidden: { readonly [Name in ToolRoute]?: readonly string[] } = {
  composeContext: ['source', 'score', 'relevance', 'beside_id', 'relationship_type', 'excerpt'],
  searchMemories: ['sources', 'highlight', 'explain', 'query', 'parts'],
  listTags: ['limit', 'offset'],
  createConnection: ['created_at', 'model', 'threshold'],
  listConflicts: ['next_cursor', 'rule'],
  planMaintenance: ['at', 'left_out', 'rule', 'before', 'after'],
  listMaintenanceRuns: ['undone_at'],
  getMaintenanceRun: ['undone_at', 'rule', 'before', 'after'],
  applyMaintenance: ['summary'],
  relatedMemories: ['created_at', 'model', 'threshold'],
  findPath: ['created_at', 'model', 'threshold'],
  listConnections: ['created_at', 'model', 'threshold', 'next_cursor', 'has_more'],
  runCypher: ['plan'],
  getStats: ['model', 'embeddings_failed'],
}
const hiddenInMemories = ['kind', 'community', 'embedding', 'not_stored']
const onlyOfWhole = [
  'ttl_seconds',
  'health',
  'recall_count',
  'last_recalled_at',
  'archived_at',
  'archived_reason',
]

const meanings: Readonly<Record<string, string>> = {
  owner: 'Whose private memory it is.',
  sensitive: 'The kinds of secrets in it.',
  joins: 'The two hits that a bridge joins.',
  parts: 'What was searched for, if the question is long.',
  newer: 'Newer results that say nearly the same.',
  around: 'Its turns, with around.',
}

const leftOutIfEmpty = ['metadata', 'sensitive']

/** The closed sets whose values a tool lists. */
const listedSets = [state, origin, relationshipType, routes.searchMemories.output.shape.search_type]

type Reading = {
  readonly without: readonly string[]
  /** What stands for schemas with these names. */
  readonly short?: Readonly<Record<string, z.ZodObject>>
}

/** A field without a value is omitted. */
const objectOf = (fields: Fields, reading: Reading): z.ZodObject =>
  z.object(
    Object.fromEntries(
      Object.entries(fields)
        .filter(([name]) => !reading.without.includes(name))
        .map(([name, field]) => [name, memberOf(name, field, reading)]),
    ),
  )

function memberOf(name: string, field: Field, reading: Reading): z.ZodType {
  const type = typeOf(name, field, reading)
  const isAlways = field.isRequired && !field.isNullable && !leftOutIfEmpty.includes(name)
  const shown = isAlways ? type : type.optional()
  const meaning = meanings[name]
  return meaning === undefined ? shown : shown.describe(meaning)
}

function typeOf(name: string, field: Field, reading: Reading): z.ZodType {
  const { id = '', type, fields, items, values } = field
  const short = reading.short?.[id]
  if (short) return short
  if (fields) return isCounts(fields) ? z.record(z.string(), z.int()) : objectOf(fields, reading)
  if (name === 'metadata') return z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  if (items && type === 'array') return z.array(typeOf(name, items, reading))
  if (items && type === 'map') return z.record(z.string(), typeOf(name, items, reading))
  return listedSets.find(({ options }) => options.join() === values?.join()) ?? plain[type]
}

const isCounts = (fields: Fields) => Object.values(fields).every(({ type }) => type === 'integer')

const plain: Readonly<Record<Field['type'], z.ZodType>> = {
  string: z.string(),
  number: z.number(),
  integer: z.int(),
  boolean: z.boolean(),
  array: z.array(z.unknown()),
  object: z.looseObject({}),
  map: z.record(z.string(), z.unknown()),
  any: z.unknown(),
}

const passage = {
  content: z.string().optional().describe('The whole text, if it is short.'),
  passage: z.string().optional().describe('A part of a longer text; get_memory returns all of it.'),
  characters: z.int().optional().describe('The length of the whole text, if a passage is shown.'),
}

const created = objectOf(fieldsOf(createdMemory, 'output'), {
  without: [...hiddenInMemories, ...onlyOfWhole],
}).extend(passage)
const memory = created.omit({ duplicate_of: true })
const inTurn = ['id', 'speaker', 'valid_from', 'valid_until', 'created_at', ...Object.keys(passage)]
const turn = memory.pick(Object.fromEntries(inTurn.map(name => [name, true])))

const short = {
  Memory: memory,
  CreatedMemory: created,
  TurnAround: z.object({ offset: z.int(), memory: turn }),
}

const notShown = z.int().optional().describe('How many more changes the plan has.')

/** What is not the output of the contract with short memories. */
const others: { readonly [Name in ToolRoute]?: (output: z.ZodObject) => z.ZodObject } = {
  createMemories: () => z.object({ memories: z.array(created.pick({ id: true, duplicate_of: true })) }),
  getMemory: () =>
    objectOf(fieldsOf(fetchedMemory, 'output'), { without: hiddenInMemories }).extend({
      next_start: z.int().optional().describe('Where the next part of a long text starts.'),
      characters: z.int().optional(),
    }),
  getMemoryHistory: output => {
    const { element } = output.shape.versions as z.ZodArray<z.ZodObject>
    return output.extend({ versions: z.array(element.omit({ memory: true }).extend(passage)) })
  },
  planMaintenance: output => output.extend({ not_shown: notShown }),
  getMaintenanceRun: output => output.extend({ not_shown: notShown }),
  runCypher: output => output.extend({ truncated: z.boolean().describe('Whether rows are missing.') }),
  getStats: output => output.partial(),
}

export const outputs = Object.fromEntries(
  toolRoutes.map(name => {
    const field = fieldOf(routes[name].output, 'output')
    const output = typeOf('', field, { without: hidden[name] ?? [], short }) as z.ZodObject
    return [name, others[name]?.(output) ?? output]
  }),
) as Record<ToolRoute, z.ZodObject>

/** Longer plans are shown by their beginning and their counts. */
export const SHOWN_CHANGES = 50

/** An answer of the service as its tool gives it: memories by a passage, and without what no agent needs. */
export function shorten(name: ToolRoute, answer: unknown, start: number): Record<string, unknown> {
  if (name === 'getMemory') {
    const memory = answer as Output<'getMemory'>
    return outputs[name].parse(walk({ ...memory, ...partFrom(memory.content, start) }, each => each))
  }
  if (name === 'getMemoryHistory') {
    const { versions, ...rest } = answer as Output<'getMemoryHistory'>
    const shortened = versions.map(({ memory, ...version }) => ({ ...version, ...passageOf(memory) }))
    return outputs[name].parse(walk({ ...rest, versions: shortened }, each => each))
  }
  if (name === 'runCypher') {
    const { columns, rows, truncated } = answer as Output<'runCypher'>
    const shown = shownRows(rows)
    return { columns, rows: shown, truncated: truncated || shown.length < rows.length }
  }
  if (name === 'planMaintenance' || name === 'getMaintenanceRun') {
    const { changes: all, ...rest } = answer as Output<typeof name>
    const hidden = all.length - SHOWN_CHANGES
    const cut = {
      ...rest,
      changes: all.slice(0, SHOWN_CHANGES),
      ...(hidden > 0 && { not_shown: hidden }),
    }
    return outputs[name].parse(walk(cut, shortMemory))
  }
  return outputs[name].parse(walk(answer, shortMemory))
}

/** Without nulls, and with each memory as `show` makes it. */
function walk(value: unknown, show: (memory: FoundPassage) => object): unknown {
  if (Array.isArray(value)) return value.map(each => walk(each, show))
  if (typeof value !== 'object' || value === null) return value
  const { memory, highlight } = value as { memory?: FoundPassage; highlight?: FoundPassage['highlight'] }
  if (memory && highlight) return walk({ ...value, memory: { ...memory, highlight }, highlight: null }, show)
  const kept = 'embedding' in value && 'content' in value ? show(value as FoundPassage) : value
  return Object.fromEntries(
    Object.entries(kept).flatMap(([name, each]) =>
      each === null || each === undefined || name === 'highlight' ? [] : [[name, walk(each, show)]],
    ),
  )
}
