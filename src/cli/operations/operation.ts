import type { Client } from '../../client.ts'
import { fieldsOf } from '../../contract/fields.ts'
import { type Input, type Output, type RouteName, routes } from '../../contract/index.ts'
import { callCommand } from '../shell/call.ts'
import { type Command, given, type Option, UsageError } from '../shell/command.ts'
import type { Terminal } from '../shell/terminal.ts'
import { type Differences, describeOptions, inputOfOptions, optionsFor, readText } from './options.ts'
import { type Columns, showFields, showNotes, showRows } from './show.ts'

/** A field that is given as a word, under the name that the usage shows. `means` completes “Name …”. */
type Word = {
  readonly field: string
  readonly as: string
  readonly means: string
  readonly isOptional?: true
}

type Rows<Answer> = {
  [List in keyof Answer]: Answer[List] extends readonly (infer Row)[] | undefined
    ? { readonly of: List; readonly columns: Columns<Row>; readonly none: string }
    : never
}[keyof Answer]

type Typed = Readonly<Record<string, unknown>>

type Words = {
  readonly words?: readonly Word[]
  /** The field that the words are: as one text, as one call each, or as a word that may be left out. */
  readonly text?: Word
  readonly each?: Word
  readonly optional?: Word
}

type Definition<Name extends RouteName> = Differences &
  Words & {
    readonly aliases?: readonly string[]
    readonly summary?: string
    readonly details?: string
    readonly examples: readonly string[]
    /** It cannot be undone: what to say if `--yes` is missing. A dry run needs none. */
    readonly confirm?: string
    /** What is always sent. */
    readonly fixed?: Partial<Input<Name>>
    readonly rows?: Rows<Output<Name>>
    /** With --json, this list alone. */
    readonly only?: keyof Output<Name>
    readonly show?: (answer: Output<Name>, terminal: Terminal, typed: Typed) => void
    /** What to say after the rows. */
    readonly also?: (answer: Output<Name>, terminal: Terminal) => void
    /** Options of the command alone. */
    readonly more?: Readonly<Record<string, Option>>
    /** Switches for values of fields that have other options. */
    readonly switches?: Readonly<Record<string, Option & { sets: Partial<Input<Name>> }>>
    /** Looks at what was typed before the service is asked. @throws UsageError */
    readonly check?: (typed: Typed) => void
  }

export const memoryId: Word = { field: 'id', as: 'ID', means: 'one memory by its id' }

/** The command for an operation: its options, defaults and JSON are those of the contract. */
export function operation<const Name extends RouteName>(name: Name, definition: Definition<Name>): Command {
  const { summary = routes[name].summary, details = plain(routes[name].description), aliases } = definition
  return {
    words: usageOf(definition),
    ...given({ aliases, details }),
    summary,
    examples: definition.examples,
    // Read when the command is used: the schemas of all commands would delay each of them.
    get options() {
      return commandOf(name, definition, summary).options
    },
    run: (invocation, terminal) => commandOf(name, definition, summary).run(invocation, terminal),
  }
}

const plain = (text: string | undefined) => text?.replaceAll('`', '')

const usageOf = ({ words = [], text, each, optional }: Words) =>
  [
    ...words.map(({ as }) => as),
    ...(text ? [text.isOptional ? `[${text.as}]` : text.as] : []),
    ...(each ? [`${each.as}…`] : []),
    ...(optional ? [`[${optional.as}]`] : []),
  ].join(' ')

function commandOf<Name extends RouteName>(
  name: Name,
  definition: Definition<Name>,
  summary: string,
): Command {
  const { words = [], text, each, optional, fixed = {}, confirm, more, switches = {} } = definition
  const positional = [...words, text, each, optional].flatMap(word => word?.field ?? [])
  const without = [...positional, ...Object.keys(fixed), ...(definition.without ?? [])]
  const fields = fieldsOf(routes[name].input)
  const differences = { ...definition, without }
  const options = optionsFor(fields, differences)
  const yes: Record<string, Option> = confirm ? { yes: { short: 'y', describe: 'Really do it' } } : {}
  return callCommand({
    summary,
    examples: definition.examples,
    options: { ...describeOptions(options, differences), ...switches, ...more, ...yes },
    async call({ values, words: typed }) {
      const named = readWords(definition, typed, fields)
      const given = values as Typed
      if (confirm && given.yes !== true && given['dry-run'] !== true) throw new UsageError(confirm)
      definition.check?.(given)
      const set = Object.entries(switches).map(([option, { sets }]) => (given[option] ? sets : {}))
      const read = Object.assign(
        await inputOfOptions(options, given as never, definition.defaults),
        ...set,
        fixed,
      )
      const inputs = named.map(fields => ({ ...read, ...fields }) as Input<Name>)
      return async (client, call) => {
        const answers: Output<Name>[] = []
        // One after the other: what was done before a refusal is done.
        for (const input of inputs) answers.push(await ask(client, name)(input, call))
        if (each) return answers
        return definition.only ? answers[0]?.[definition.only] : answers[0]
      }
    },
    show(answer, terminal, values) {
      const full = definition.only ? { [definition.only]: answer } : answer
      for (const one of (each ? full : [full]) as Output<Name>[]) present(definition, one, terminal, values)
    },
  })
}

const ask = <Name extends RouteName>(client: Client, name: Name) =>
  client[name] as unknown as (input: Input<Name>, call: object) => Promise<Output<Name>>

/** What the words say, for each call. @throws UsageError */
function readWords(
  { words = [], text, each, optional }: Words,
  typed: readonly string[],
  fields: ReturnType<typeof fieldsOf>,
): Record<string, unknown>[] {
  if (text?.isOptional && typed.length === 0) return [{}]
  if (text ?? each) {
    if (typed.length === 0) throw new UsageError((text ?? each)?.means ?? '')
    return text ? [{ [text.field]: typed.join(' ') }] : typed.map(word => ({ [each?.field ?? '']: word }))
  }
  const known = [...words, ...(optional && typed.length > words.length ? [optional] : [])]
  if (typed.length !== known.length)
    throw new UsageError(
      known.length === 0 ? 'It takes options only' : `Name ${known.map(({ means }) => means).join(' and ')}`,
    )
  return [
    Object.fromEntries(
      known.map(({ field, means }, at) => [
        field,
        readText(
          fields[field] ?? { type: 'string', isRequired: true, isNullable: false },
          typed[at] ?? '',
          means,
        ),
      ]),
    ),
  ]
}

function present<Name extends RouteName>(
  { rows, show, also }: Definition<Name>,
  answer: Output<Name>,
  terminal: Terminal,
  typed: Typed,
) {
  if (show) return show(answer, terminal, typed)
  if (rows) showRows(answer[rows.of] as never, rows.columns as Columns<unknown>, rows.none, terminal)
  else showFields(answer as Typed, terminal)
  also?.(answer, terminal)
  showNotes(answer as Typed, terminal)
}
