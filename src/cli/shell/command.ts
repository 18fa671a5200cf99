import { parseArgs } from 'node:util'
import type { Terminal } from './terminal.ts'

/** An option: a switch, or one that takes the value named in the help, once or many times. */
export type Option = { describe: string; value?: string; many?: true }

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

/** One command of the program. `run` answers the exit code; nothing is 0. */
export type Command<Options extends Record<string, Option> = Record<string, Option>> = {
  readonly usage: string
  readonly summary: string
  readonly details?: string
  readonly options: Options
  readonly run: (invocation: Invocation<Options>, terminal: Terminal) => Promise<number | undefined>
}

/** Keeps the exact types of the options while the commands are in one list. */
export const command = <const Options extends Record<string, Option>>(
  definition: Command<Options>,
): Command => definition as unknown as Command

/** What was typed cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** @throws UsageError that names what is wrong */
export function readArguments(
  { options }: Command,
  words: readonly string[],
): Invocation & { help: boolean } {
  const types = Object.entries({ ...options, help: { describe: '' } as Option }).map(
    ([name, { value, many = false }]) =>
      [name, { type: value === undefined ? 'boolean' : 'string', multiple: many }] as const,
  )
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: Object.fromEntries(types),
      allowPositionals: true,
    })
    const { help = false, ...rest } = values
    return { values: rest as Invocation['values'], words: positionals, help: help === true }
  } catch (error) {
    throw new UsageError((error as Error).message.split('. To specify')[0] ?? '', { cause: error })
  }
}

/** A number as typed; the service judges its range. @throws UsageError */
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

/** The fields that were given; the contract knows no undefined. */
export const given = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]: Exclude<Fields[Name], undefined>
  }
