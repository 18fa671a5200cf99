import type { Client } from '../../client.ts'
import { type Fields, fieldsOf } from '../../contract/fields.ts'
import { type Input, type Output, type RouteName, routes } from '../../contract/index.ts'
import { answering, type Command, given, type Option, UsageError, wordsOf } from '../shell/command.ts'
import { connectClient, connectionOptions } from '../shell/connect.ts'
import type { Terminal } from '../shell/terminal.ts'
import { type Differences, inputOptions, readText } from './options.ts'
import { type Columns, showFields, showNotes, showRows } from './show.ts'

/** A field that is given as a word, how the usage shows it, and what completes “Name …”. `[ID]` may be left out; `ID…` is one call for each. */
type Word = readonly [field: string, shown: string, means: string]

type Words = {
  /** Words after those for the names in the path of the operation. */
  readonly words?: readonly Word[]
  /** How the usage shows the name in the path. */
  readonly as?: string
  /** All that is typed is one text. Its word says all that is said if there is none. */
  readonly isText?: true
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
  const { only, fixed = {}, confirm, more, switches = {} } = definition
  const { aliases, examples, summary = routes[name].summary } = definition
  const { details = routes[name].description?.replaceAll('`', '') } = definition
  const fields = fieldsOf(routes[name].input)
  const words = wordsFor(routes[name].path, definition)
  const isMany = words.some(([, shown]) => shown.endsWith('…'))
  const positional = words.map(([field]) => field)
  const without = [...positional, ...Object.keys(fixed), ...(definition.without ?? [])]
  const input = inputOptions(fields, { ...definition, without })
  return answering({
    ...given({ aliases, details, examples }),
    summary,
    words: words.map(([, shown]) => shown).join(' '),
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
      if (isMany) return answers
      return only ? answers[0]?.[only] : answers[0]
    },
    show(answer, terminal, { values }) {
      const full = only ? { [only]: answer } : answer
      for (const one of (isMany ? full : [full]) as Output<Name>[]) present(definition, one, terminal, values)
    },
  })
}

const ask = <Name extends RouteName>(client: Client, name: Name) =>
  client[name] as unknown as (input: object, call: object) => Promise<Output<Name>>

/** A word for each name in a path such as `/memories/{id}` that no other word stands for, then the words of the command. */
function wordsFor(path: string, { words = [], as }: Words): Word[] {
  const inPath = Array.from(
    path.matchAll(/\b(\w+?)(ies|s)\/\{(\w+)\}/g),
    ([, stem, plural, field = '']): Word => {
      const one = `one ${stem}${plural === 'ies' ? 'y' : ''}`
      const shown = as ?? field.replace(/_id$/, '').toUpperCase()
      return [field, shown, field === 'id' ? `${one} by its id` : one]
    },
  )
  return [...inPath.filter(([field]) => !words.some(word => word[0] === field)), ...words]
}

/** What the words say, for each call. @throws UsageError */
function readWords(
  { words = [], isText }: Words,
  typed: readonly string[],
  fields: Fields,
): Record<string, unknown>[] {
  const [field = '', shown = '', means = ''] = words.at(-1) ?? []
  if (isText && typed.length > 0) return [{ [field]: typed.join(' ') }]
  if (isText && !shown.startsWith('[')) throw new UsageError(means)
  if (shown.endsWith('…') && typed.length > 0) return typed.map(word => ({ [field]: word }))
  const known = words.filter(([, each], at) => at < typed.length || !each.startsWith('['))
  const read = wordsOf(typed, ...known.map(([, , each]) => each))
  const values = known.map(([name, , each], at) => [
    name,
    readText(fields[name] ?? { type: 'string', isRequired: true, isNullable: false }, read[at] ?? '', each),
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
