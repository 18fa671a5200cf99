import { administrationExamples } from './examples/administration.ts'
import { graphExamples } from './examples/graph.ts'
import { lifecycleExamples } from './examples/lifecycle.ts'
import { memoryExamples } from './examples/memories.ts'
import { wholes } from './examples/world.ts'
import { type Field, type Fields, fieldOf, fieldsOf } from './fields.ts'
import { type Input, isStream, type Output, type RouteName, routes } from './index.ts'
import type { TextStream } from './route.ts'

/** Of each field of a value as much as its schema does not say. */
type Given<Value> = Value extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]?: Given<Value[Key]> }
    : Value

/** A request of an operation and its response; of a stream, the text in each media type. */
type GivenExample<Name extends RouteName> = {
  readonly input?: Given<Input<Name>>
  readonly output?: Output<Name> extends TextStream ? Readonly<Record<string, string>> : Given<Output<Name>>
}

const given: { readonly [Name in RouteName]?: GivenExample<Name> } = {
  ...memoryExamples,
  ...graphExamples,
  ...lifecycleExamples,
  ...administrationExamples,
}

type Values = Readonly<Record<string, unknown>>
type Example = { readonly input: Values; readonly output: Values }

const known = new Map<RouteName, Example>()

/** An example of an operation. A test validates each response, and sends each request to a service. */
export function exampleOf(name: RouteName): Example {
  const example = known.get(name) ?? compose(name)
  // A time that must lie ahead is not kept.
  if (name !== 'pauseQueue') known.set(name, example)
  return example
}

function compose(name: RouteName): Example {
  const { input: sent, output: returned } = (given[name] ?? {}) as { input?: Values; output?: Values }
  const { input: asked, output } = routes[name]
  const input = filled(fieldOf(asked), sent ?? {}) as Values
  if (isStream(name)) return { input, output: returned ?? {} }
  return {
    input,
    output: filled(fieldOf(output, 'output'), returned, { ...defaultsOf(asked), ...input }) as Values,
  }
}

const defaultsOf = (schema: Parameters<typeof fieldsOf>[0]): Values =>
  Object.fromEntries(Object.entries(fieldsOf(schema)).map(([name, field]) => [name, field.default]))

/** What is given of a value, and for the rest what its field says. `asked` are the values of the request. */
function filled(field: Field, own: unknown, asked: Values = {}): unknown {
  const value = own ?? (field.isNullable ? null : wholes[field.id ?? ''])
  if (value === null) return null
  const { items, fields } = field
  if (Array.isArray(value)) return items ? value.map(each => filled(items, each)) : value
  if (fields) return objectOf(fields, (value ?? {}) as Values, asked)
  return value ?? field.default ?? field.examples?.[0] ?? field.values?.[0] ?? empty[field.type]
}

const objectOf = (fields: Fields, own: Values, asked: Values): Values =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name, { isRequired }]) => isRequired || name in own)
      .map(([name, field]) => [name, filled(field, own[name] ?? sameAs(field, asked[name]))]),
  )

/** A response repeats values of its request under the same name. */
const sameAs = ({ type, isNullable }: Field, value: unknown) =>
  !isNullable && (typeof value === type || (type === 'integer' && typeof value === 'number'))
    ? value
    : undefined

const empty: { readonly [Type in Field['type']]?: unknown } = {
  boolean: false,
  integer: 0,
  number: 0,
  array: [],
  map: {},
}
