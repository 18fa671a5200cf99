import { z } from 'zod'

type Json = { [name: string]: unknown }

/**
 * The schema of a tool in the one form that every host passes on to its model. Each drops or refuses other keywords:
 * `test/mcp/hosts.test.ts` has the rules. Nothing is lost by it: the service reads and checks arguments by the contract.
 */
export const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json & { type: 'object' } => {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return simplify(root, io, $defs as Record<string, Json>) as Json & { type: 'object' }
}

const keywords = ['type', 'description', 'enum', 'minItems', 'maxItems', 'required'] as const

function simplify(given: Json, io: 'input' | 'output', definitions: Readonly<Record<string, Json>>): Json {
  const node = resolved(given, definitions)
  const inner = (each: unknown) => simplify(each as Json, io, definitions)
  const { properties, items, minimum, maximum, description, default: fallback } = node
  const isMap = node.type === 'object' && properties === undefined
  if (isMap && io === 'input') return { type: 'string', description: `${description} ${AS_TEXT}` }
  if (io === 'input' && String((items as Json | undefined)?.$ref).endsWith('/MemoryFilter'))
    return { type: 'string', description: `${description} ${FILTERS_AS_TEXT}` }
  const texts = [
    description,
    io === 'input' && node.format === 'date-time' && A_TIME,
    io === 'input' && toldDefault(fallback, description),
  ].filter(Boolean)
  return {
    ...Object.fromEntries(keywords.filter(name => name in node).map(name => [name, node[name]])),
    ...(texts.length > 0 && { description: texts.join(' ') }),
    ...(isBound(minimum) && { minimum }),
    ...(isBound(maximum) && { maximum }),
    ...(items !== undefined && { items: inner(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Json)
          .filter(([name]) => io === 'output' || !SELDOM.has(name))
          .map(([name, each]) => [name, inner(io === 'input' ? briefly(name, each as Json) : each)]),
      ),
    }),
  }
}

/** Hosts follow no references, and one type at a place is all that Gemini has. */
function resolved(given: Json, definitions: Readonly<Record<string, Json>>): Json {
  const { $ref, anyOf, ...rest } = given
  if (typeof $ref === 'string')
    return resolved({ ...definitions[$ref.split('/').at(-1) as string], ...rest }, definitions)
  if (!Array.isArray(anyOf)) return given
  const [first, ...others] = (anyOf as Json[]).filter(({ type }) => type !== 'null')
  if (others.length === 0) return resolved({ ...first, ...rest }, definitions)
  // The default is a word.
  const { default: _, ...described } = rest
  return first?.type === 'number' ? { ...first, ...described } : { type: 'string', ...rest }
}

/** Filters that agents hardly need: a call may use them, but a list that names them costs every request. */
const SELDOM: ReadonlySet<string> = new Set(['community', 'max_importance', 'updated_before'])

/** What a model needs to know of arguments that stand at many tools. The contract says all of it. */
const BRIEF: Readonly<Record<string, string>> = {
  as_of: 'What was recorded by this time.',
  if_version: 'Fails if the memory has another version.',
  idempotency_key: 'Repeats with this key create nothing.',
  wait: 'Seconds to wait for the embedding and discovery, at most 30.',
  tags_match: 'How many of `tags`: all, any or none.',
  cursor: 'The `next_cursor` of the previous page.',
  speaker: 'Who said it, for example a name or user.',
  session_id: 'The conversation, document or run.',
  ttl_seconds: 'Seconds until it expires; 0 is never.',
  valid_at: 'Only what holds at this time; `now` is the present, and `any` includes all.',
  visibility:
    '`private` for the owner of the key alone, `shared` for everybody. A key with an owner stores privately by default.',
  on_duplicate:
    '`return` stores no text twice: it returns the memory that has it, with its id in `duplicate_of`.',
  supersedes: 'The ids of memories that the new one replaces: they are archived as `superseded`.',
}

const briefly = (name: string, schema: Json): Json =>
  name in BRIEF ? { ...schema, description: BRIEF[name] } : schema

const A_TIME = 'A day or time, UTC by default.'

/** A map has no form that all hosts take. Text of JSON has one, and models write it well. */
const AS_TEXT = 'Write it as JSON text, such as {"user_id": "ada"}.'

/** The same filters stand at each tool already: written out once more in a list they would double what the tools cost. */
const FILTERS_AS_TEXT = 'Write a list of filters as JSON text, such as [{"tags": ["draft"]}].'

const toldDefault = (value: unknown, description: unknown) =>
  value !== undefined && typeof value !== 'object' && !/\bdefault\b/i.test(String(description))
    ? `Default: ${value}.`
    : undefined

/** The bounds of all integers carry no information. */
const isBound = (bound: unknown) => typeof bound === 'number' && Math.abs(bound) !== Number.MAX_SAFE_INTEGER
