import type { Client } from '../../client.ts'
import { type Command, command, type Invocation, type Option } from './command.ts'
import { connectClient, connectionOptions } from './connect.ts'
import type { Terminal } from './terminal.ts'

type Call<Answer> = (client: Client, options: { signal: AbortSignal }) => Promise<Answer>

type Calling<Options extends Record<string, Option>, Answer> = Omit<Command, 'options' | 'run'> & {
  readonly options: Options
  /** Reads what was typed, and returns what to ask the service. @throws UsageError */
  readonly call: (
    invocation: Invocation<Options & typeof connectionOptions>,
    signal: AbortSignal,
  ) => Call<Answer> | Promise<Call<Answer>>
  readonly show: (
    answer: Answer,
    terminal: Terminal,
    values: Invocation<Options & typeof connectionOptions>['values'],
  ) => void
}

/** A command that asks the service, and shows its answer or prints it as JSON. */
export const callCommand = <const Options extends Record<string, Option>, Answer>({
  options,
  call,
  show,
  ...rest
}: Calling<Options, Answer>): Command =>
  command({
    ...rest,
    options: { ...options, ...connectionOptions },
    async run(invocation, terminal) {
      const typed = invocation as unknown as Invocation<Options & typeof connectionOptions>
      const ask = await call(typed, terminal.signal)
      const { values } = invocation as Invocation<typeof connectionOptions>
      const answer = await ask(await connectClient(values), { signal: terminal.signal })
      if (values.json) terminal.json(answer)
      else show(answer, terminal, typed.values)
      return undefined
    },
  })
