import type { Client } from '../../client.ts'
import { type Fields, fieldsOf } from '../../contract/fields.ts'
import { type Input, type Output, type RouteName, routes } from '../../contract/index.ts'
import { answering, type Command, given, type Option, UsageError, wordsOf } from '../shell/command.ts'
import { connectClient, connectionOptions } from '../shell/connect.ts'
import type { Terminal } from '../shell/terminal.ts'
import { type Differences, inputOptions, readText } from './options.ts'
import { type Columns, showFields, showNotes, showRows } from './show.ts'

/** A field that is given as a word, how the usage shows it, and what completes “Name …”. */
type Word = readonly [field: string, shown: string, means: string]

type Words = {
  /** Words after those for the names in the path of the operation. */
  readonly words?: readonly Word[]
  /** How the usage shows the name in the path. */
  readonly as?: string
  /** The field that the words are: as one text, as one call each, or as a word that may be left out. */
  readonly text?: Word
  readonly each?: Word
  readonly optional?: Word
}

/** What an answer lists. */
type RowOf<Answer> = {
  [List in keyof Answer]: Answer[List] extends readonly (infer Row extends object)[] | undefined ? Row : never
}[keyof Answer]

type Typed = Readonly<Record<string, unknown>>

type Definition<Name extends RouteName> = Differences &
  Words &
  Pick<Command, 'aliases' | 'details' | 'examples'> & {
    readonly summary?: string
    /** It cannot be undone: what to say if `--yes` is missing. A dry run needs none. */
    readonly confirm?: string
    /** What is always sent. */
    readonly fixed?: Partial<Input<Name>>
    /** Of the first list in the answer, and what to say if it is empty. Without columns each field has a line. */
    readonly columns?: Columns<RowOf<Output<Name>>>
    readonly none?: string
    /** With --json, this list alone. */
    readonly only?: keyof Output<Name>
    /** What was done, as a note. */
    readonly done?: (answer: Output<Name>) => string
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

/** The command for an operation: its options, defaults and JSON are those of the contract. */
export function operation<const Name extends RouteName>(name: Name, definition: Definition<Name>): Command {
  const { text, each, optional, only, fixed = {}, confirm, more, switches = {} } = definition
  const { aliases, examples, summary = routes[name].summary } = definition
  const { details = routes[name].description?.replaceAll('`', '') } = definition
  const fields = fieldsOf(routes[name].input)
  const words = wordsFor(routes[name].path, definition)
  const positional = [...words, text, each, optional].flatMap(word => word?.[0] ?? [])
  const without = [...positional, ...Object.keys(fixed), ...(definition.without ?? [])]
  const input = inputOptions(fields, { ...definition, without })
  return answering({
    ...given({ aliases, details, examples }),
    summary,
    words: usageOf({ ...definition, words }),
    options: {
      ...input.options,
      ...switches,
      ...more,
      ...(confirm ? { yes: { short: 'y', describe: 'Really do it' } } : {}),
      ...connectionOptions,
    },
    async answer({ values, words: typed }, { signal }) {
      const chosen: Typed = values
      const named = readWords({ ...definition, words }, typed, fields)
      if (confirm && !chosen.yes && !chosen['dry-run']) throw new UsageError(confirm)
      definition.check?.(chosen)
      const set = Object.entries(switches).map(([option, { sets }]) => (chosen[option] ? sets : {}))
      const read = Object.assign(await input.read(values), ...set, fixed)
      const client = await connectClient(values)
      const answers: Output<Name>[] = []
      // One after the other: what was done before a refusal is done.
      for (const words of named) answers.push(await ask(client, name)({ ...read, ...words }, { signal }))
      if (each) return answers
      return only ? answers[0]?.[only] : answers[0]
    },
    show(answer, terminal, { values }) {
      const full = only ? { [only]: answer } : answer
      for (const one of (each ? full : [full]) as Output<Name>[]) present(definition, one, terminal, values)
    },
  })
}

const ask = <Name extends RouteName>(client: Client, name: Name) =>
  client[name] as unknown as (input: object, call: object) => Promise<Output<Name>>

/** A word for each name in a path such as `/memories/{id}` that no other word stands for, then the words of the command. */
function wordsFor(path: string, { words = [], each, as }: Words): Word[] {
  const others = [...words, each].map(word => word?.[0])
  const inPath = Array.from(
    path.matchAll(/(\w+?)(ies|s)\/\{(\w+)\}/g),
    ([, stem, plural, field = '']): Word => {
      const one = `one ${stem}${plural === 'ies' ? 'y' : ''}`
      const shown = as ?? field.replace(/_id$/, '').toUpperCase()
      return [field, shown, field === 'id' ? `${one} by its id` : one]
    },
  )
  return [...inPath.filter(([field]) => !others.includes(field)), ...words]
}

const usageOf = ({ words = [], text, each, optional }: Words) =>
  [
    ...words.map(([, shown]) => shown),
    ...(text ? [text[1]] : []),
    ...(each ? [`${each[1]}…`] : []),
    ...(optional ? [`[${optional[1]}]`] : []),
  ].join(' ')

/** What the words say, for each call. @throws UsageError */
function readWords(
  { words = [], text, each, optional }: Words,
  typed: readonly string[],
  fields: Fields,
): Typed[] {
  const open = text ?? each
  if (open) {
    const [field, shown, means] = open
    if (typed.length === 0 && !shown.startsWith('[')) throw new UsageError(means)
    if (each) return typed.map(word => ({ [field]: word }))
    return [typed.length === 0 ? {} : { [field]: typed.join(' ') }]
  }
  const known = [...words, ...(optional && typed.length > words.length ? [optional] : [])]
  const read = wordsOf(typed, ...known.map(([, , means]) => means))
  const values = known.map(([field, , means], at) => [
    field,
    readText(fields[field] ?? { type: 'string', isRequired: true, isNullable: false }, read[at] ?? '', means),
  ])
  return [Object.fromEntries(values)]
}

function present<Name extends RouteName>(
  { columns, none, done, show, also }: Definition<Name>,
  answer: Output<Name>,
  terminal: Terminal,
  typed: Typed,
) {
  if (done) return terminal.note(done(answer))
  if (show) return show(answer, terminal, typed)
  const rows = Object.values(answer as Typed).find(Array.isArray) ?? []
  if (!columns) showFields(answer as Typed, terminal)
  else if (rows.length > 0) showRows(rows, columns as Columns<Typed>, terminal)
  else if (none) terminal.note(none)
  also?.(answer, terminal)
  showNotes(answer as Typed, terminal)
}
