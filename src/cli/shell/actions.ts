import { type Command, command, type Invocation, type Option, UsageError } from './command.ts'
import type { Terminal } from './terminal.ts'

/** What one action does; `operand` is the word behind it, empty where none was given. */
type Act<Options extends Record<string, Option>> = (
  values: Invocation<Options>['values'],
  terminal: Terminal,
  operand: string,
) => Promise<void>

type Definition<Options extends Record<string, Option>> = Pick<Command, 'summary' | 'details'> & {
  readonly name: string
  readonly options: Options
  /** By how it is typed: `list`, `revoke ID`, or `retry [ID]` where the word may be left out. */
  readonly actions: Readonly<Record<string, Act<Options>>>
}

/** A command whose first word selects one of its actions. */
export function commandOfActions<const Options extends Record<string, Option>>({
  name,
  actions,
  ...rest
}: Definition<Options>): Command {
  const forms = Object.keys(actions)
  return command({
    ...rest,
    usage: forms.map(form => `${name} ${form}`).join(' | '),
    async run({ values, words: [word, ...operands] }, terminal) {
      const form = forms.find(each => each.split(' ')[0] === word)
      if (!form) throw new UsageError(`Say what to do: ${forms.join(', ')}`)
      if (!fits(form, operands.length)) throw new UsageError(`It is: ${name} ${form}`)
      await actions[form]?.(values, terminal, operands[0] ?? '')
      return undefined
    },
  })
}

function fits(form: string, operands: number): boolean {
  const [, operand] = form.split(' ')
  if (operand === undefined) return operands === 0
  return operands === 1 || (operands === 0 && operand.startsWith('['))
}
