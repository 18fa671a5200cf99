import { readFile } from 'node:fs/promises'
import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Output } from '../../contract/index.ts'
import { creationDefaults } from '../../contract/memory.ts'
import { callCommand } from '../shell/call.ts'
import { AN_ID, given, listOf, numberOf, type Option, oneOf, pairsOf, UsageError } from '../shell/command.ts'
import type { Terminal } from '../shell/terminal.ts'

/** What a caller gives of a memory. */
export const fieldOptions = {
  file: { value: 'FILE', short: 'f', describe: 'Read the text from a file; - is standard input' },
  policy: { value: 'NAME', short: 'p', describe: 'The lifecycle policy' },
  ttl: { value: 'SECONDS', describe: 'The time limit; 0 is none' },
  tags: { value: 'A,B', short: 't', describe: 'The tags' },
  importance: { value: 'X', short: 'i', describe: 'How much it matters, 0 to 1' },
  source: { value: 'NAME', describe: 'Where it comes from: an address, a path or a name' },
  session: { value: 'NAME', describe: 'The conversation or document that it belongs to' },
  kind: { value: 'NAME', short: 'k', describe: 'What sort of memory it is, for example decision' },
  meta: { value: 'NAME=VALUE', many: true, describe: 'Metadata; may be repeated' },
  'valid-from': { value: 'TIME', describe: 'From when on it holds' },
  'valid-until': { value: 'TIME', describe: 'Until when it holds' },
} as const satisfies Record<string, Option>

type Fields = {
  [Name in keyof typeof fieldOptions]?: (typeof fieldOptions)[Name] extends { many: true } ? string[] : string
}

/** The fields that were typed, without the text. @throws UsageError */
export const fieldsOf = (values: Fields) =>
  given({
    policy: values.policy,
    ttl_seconds: numberOf(values.ttl, '--ttl'),
    tags: values.tags === undefined ? undefined : listOf(values.tags),
    importance: numberOf(values.importance, '--importance'),
    source: values.source,
    session_id: values.session,
    kind: values.kind,
    metadata: pairsOf(values.meta, '--meta'),
    valid_from: values['valid-from'],
    valid_until: values['valid-until'],
  })

/** The text of a file, or of standard input. */
export const textOf = (file: string, signal: AbortSignal): Promise<string> =>
  file === '-' ? text(addAbortSignal(signal, process.stdin)) : readFile(file, 'utf8')

const DUPLICATES = ['store', 'return'] as const

export const add = callCommand({
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
    ...fieldOptions,
    'on-duplicate': {
      value: 'WHAT',
      describe: 'If the same text is stored already: store it again, or return that memory (default: store)',
    },
    supersedes: {
      value: 'ID',
      many: true,
      describe: 'Archive this memory, which the new one replaces; may be repeated',
    },
    wait: { value: 'SECONDS', describe: 'Wait until its connections are discovered, at most 30' },
  },
  async call({ values, words }, signal) {
    if (words.length > 0 && values.file !== undefined) throw new UsageError('Give a text or --file, not both')
    const onDuplicate = oneOf(DUPLICATES, values['on-duplicate'], '--on-duplicate')
    const wait = numberOf(values.wait, '--wait')
    const fields = fieldsOf(values)
    if (words.length === 0 && values.file === undefined && process.stdin.isTTY)
      throw new UsageError('Say what to remember, or use --file')
    const content = words.length > 0 ? words.join(' ') : (await textOf(values.file ?? '-', signal)).trim()
    const memory = {
      ...creationDefaults,
      content,
      ...fields,
      ...given({ on_duplicate: onDuplicate, supersedes: values.supersedes }),
    }
    return (client, options) => client.createMemory(memory, { ...options, ...given({ wait }) })
  },
  show: (memory, terminal) => showStored(memory, terminal),
})

function showStored(memory: Output<'createMemory'>, { say, note }: Terminal) {
  const { id, policy, expires_at, embedding, duplicate_of, not_stored = [] } = memory
  say(id)
  if (duplicate_of !== undefined) {
    note('It is stored already.')
    if (not_stored.length > 0)
      note(`Not stored: ${not_stored.join(', ')}. To change it: mnemograph edit ${id}`)
    return
  }
  note(`Stored as ${policy}${expires_at ? `, until ${expires_at}` : ''}.`)
  if (embedding.status === 'pending') note('Search by meaning finds it in a moment.')
}
