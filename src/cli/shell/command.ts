import { numberFault } from '../../contract/json.ts'
import type { Terminal } from './terminal.ts'

/** An option: a switch, or one that takes the value named in the help, once or many times. */
export type Option = { describe: string; short?: string; value?: string; many?: true }

type Values<Options extends Record<string, Option>> = {
  [Name in keyof Options]?: Options[Name] extends { many: true }
    ? string[]
    : Options[Name] extends { value: string }
      ? string
      : boolean
}

export type Invocation<Options extends Record<string, Option> = Record<string, Option>> = {
  values: Values<Options>
  words: string[]
}

/** One command of the program. `run` returns the exit code; nothing is 0. */
export type Command<Options extends Record<string, Option> = Record<string, Option>> = {
  /** What follows the name, for instance `ID` or `[TEXT]`; the command checks its words itself. */
  readonly words?: string
  readonly aliases?: readonly string[]
  readonly summary: string
  readonly details?: string
  /** Complete lines without the name of the program; without them, its name with an id for each word. */
  readonly examples?: readonly string[]
  readonly options: Options
  readonly run: (invocation: Invocation<Options>, terminal: Terminal) => Promise<number | undefined>
}

/** A command whose first word selects one of its actions. */
export type CommandGroup = {
  readonly summary: string
  readonly details?: string
  readonly actions: Readonly<Record<string, Command>>
}

type Definition<Options extends Record<string, Option>> = Omit<Command<Options>, 'run'> & {
  /** The only word that it takes: how the usage shows it, and what completes “Name …”. With `words` it checks them itself. */
  readonly word?: readonly [shown: string, means: string]
}

type Run<Options extends Record<string, Option>, Answer> = (
  typed: Invocation<Options> & { word: string },
  terminal: Terminal,
) => Promise<Answer>

/** Keeps the exact types of the options while the commands are in one list. */
export const command = <const Options extends Record<string, Option>>({
  word,
  words,
  run,
  ...rest
}: Definition<Options> & { readonly run: Run<Options, number | undefined> }): Command => ({
  ...rest,
  ...given({ words: words ?? word?.[0] }),
  async run(typed, terminal) {
    const [first = ''] = typed.words
    if (words === undefined) wordsOf(word && first === '' ? [] : typed.words, ...(word ? [word[1]] : []))
    const { values } = typed as Invocation<Options>
    return run({ values, words: typed.words, word: first }, terminal)
  },
})

/** A command with an answer, which it shows, or prints as JSON. */
export const answering = <const Options extends Record<string, Option>, Answer>({
  answer,
  show,
  code,
  ...rest
}: Definition<Options> & {
  readonly answer: Run<Options, Answer>
  readonly show: (answer: Answer, terminal: Terminal, typed: Invocation<Options>) => void
  /** The exit code; without it 0. */
  readonly code?: (answer: Answer) => number
}): Command =>
  command<Options>({
    ...rest,
    async run(typed, terminal) {
      const found = await answer(typed, terminal)
      if ('json' in typed.values) terminal.json(found)
      else show(found, terminal, typed)
      return code?.(found)
    },
  })

export const jsonOption = { json: { describe: 'Answer in JSON, for programs' } } as const

/** Ids in the examples of the help. */
export const [AN_ID, ANOTHER_ID] = [
  '01a20fd7-9383-7200-98b6-dec6ba2db832',
  '01a20fd7-9383-7200-98b6-dec6ba2db833',
] as const

/** What was typed cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Exactly as many words as there are names. @throws UsageError */
export function wordsOf<const Names extends readonly string[]>(
  words: readonly string[],
  ...names: Names
): { [At in keyof Names]: string } {
  if (words.length !== names.length)
    throw new UsageError(names.length === 0 ? 'It takes options only' : `Name ${names.join(' and ')}`)
  return words as unknown as { [At in keyof Names]: string }
}

/** What a text is in JSON, and something else if it is not JSON. */
export function jsonIn(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}

/** A number as typed; the service checks its range. @throws UsageError */
export function numberOf(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new UsageError(`${option} must be a number, not “${text}”`)
  return Number(text)
}

/** One of a few names, or none. @throws UsageError that lists them */
export function oneOf<const Name extends string>(
  names: readonly Name[],
  text: string | undefined,
  option: string,
): Name | undefined {
  const name = names.find(each => each === text)
  if (text !== undefined && name === undefined)
    throw new UsageError(`${option} is one of ${names.join(', ')}`)
  return name
}

export const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')

/** Values typed as NAME=VALUE: numbers that JSON can keep, true and false as such, all else as text. @throws UsageError */
export function pairsOf(
  texts: readonly string[] | undefined,
  option: string,
): Record<string, string | number | boolean> | undefined {
  if (texts === undefined) return undefined
  return Object.fromEntries(
    texts.map(text => {
      const at = text.indexOf('=')
      if (at < 1) throw new UsageError(`${option} is NAME=VALUE, not “${text}”`)
      return [text.slice(0, at), typedValue(text.slice(at + 1))]
    }),
  )
}

function typedValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && !numberFault(text) ? Number(text) : text
}

/** The fields that were given; the contract knows no undefined. */
export const given = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]: Exclude<Fields[Name], undefined>
  }
