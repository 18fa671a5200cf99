import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import { readTextFile } from '../../../integrations/reading/text.ts'
import { fieldsOf } from '../../contract/fields.ts'
import { type Input, routes } from '../../contract/index.ts'
import { creationDefaults } from '../../contract/memory.ts'
import { inputOptions } from '../operations/options.ts'
import { AN_ID, answering, given, numberOf, type Option, UsageError } from '../shell/command.ts'
import { connectClient, connectionOptions } from '../shell/connect.ts'

export const textFile = {
  value: 'FILE',
  short: 'f',
  describe: 'Read the text from a file; - is standard input',
} as const satisfies Option

export const waitOption = {
  wait: { value: 'SECONDS', describe: 'Wait until its connections are discovered, at most 30' },
} as const

/** The text of a file, or of standard input. */
export const textOf = (file: string, signal: AbortSignal): Promise<string> =>
  file === '-' ? text(addAbortSignal(signal, process.stdin)) : readTextFile(file)

const fields = inputOptions(fieldsOf(routes.createMemory.input), {
  without: ['content'],
  defaults: creationDefaults,
})

export const add = answering({
  words: '[TEXT]',
  summary: 'Store a memory',
  details:
    'The text is the words, a file, or what comes in on standard input. It prints the id of the memory.',
  examples: [
    'add "Checkout deploys need a green load test" --tags checkout,deployment',
    'add --file meeting.md --source meeting-2026-11-25',
    `add "The new office is in Ghent" --supersedes ${AN_ID}`,
  ],
  options: {
    file: textFile,
    ...fields.options,
    ...waitOption,
    ...connectionOptions,
  },
  async answer({ values, words }, { signal }) {
    if (words.length > 0 && values.file !== undefined) throw new UsageError('Give a text or --file, not both')
    const wait = numberOf(values.wait, '--wait')
    const typed = await fields.read(values)
    if (words.length === 0 && values.file === undefined && process.stdin.isTTY)
      throw new UsageError('Say what to remember, or use --file')
    const content = words.length > 0 ? words.join(' ') : (await textOf(values.file ?? '-', signal)).trim()
    const memory = { ...typed, content } as Input<'createMemory'>
    const client = await connectClient(values)
    return client.createMemory(memory, { signal, ...given({ wait }) })
  },
  show({ id, policy, expires_at, embedding, duplicate_of, not_stored = [] }, { say, note }) {
    say(id)
    if (duplicate_of !== undefined) {
      note('It is stored already.')
      if (not_stored.length > 0)
        note(`Not stored: ${not_stored.join(', ')}. To change it: mnemograph edit ${id}`)
      return
    }
    note(`Stored as ${policy}${expires_at ? `, until ${expires_at}` : ''}.`)
    if (embedding.status === 'pending') note('Search by meaning finds it in a moment.')
  },
})
