import { command, type Invocation, UsageError } from '../shell/command.ts'
import { connectClient, connectionOptions } from '../shell/connect.ts'
import { oneLine, shortTime } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'

const options = {
  recall: { describe: 'Count it as a recall, which keeps the memory alive' },
  ...connectionOptions,
}

export const show = command({
  words: 'ID',
  aliases: ['get'],
  summary: 'Show a memory',
  examples: ['show 01a20fd7-9383-7200-98b6-dec6ba2db832'],
  options,
  run,
})

async function run({ values, words }: Invocation<typeof options>, terminal: Terminal) {
  const [id] = words
  if (!id || words.length > 1) throw new UsageError('Name one memory by its id')
  const client = await connectClient(values)
  const memory = await client.getMemory(
    { id, record_recall: values.recall ?? false, include_fades_at: true },
    { signal: terminal.signal },
  )
  if (values.json) {
    terminal.json(memory)
    return undefined
  }
  const { embedding } = memory
  const rows = [
    ['id', memory.id],
    ['state', `${memory.state}, version ${memory.version}`],
    [
      'policy',
      `${memory.policy}, ${memory.expires_at ? `until ${shortTime(memory.expires_at)}` : 'no time limit'}`,
    ],
    ['tags', memory.tags.join(', ') || '–'],
    ['importance', String(memory.importance)],
    ['source', memory.source ?? '–'],
    ['session', memory.session_id ?? '–'],
    ['metadata', pairs(memory.metadata)],
    [
      'health',
      `${Math.round(memory.health)}${memory.fades_at ? `, fades on ${shortTime(memory.fades_at)} if nobody recalls it` : ''}`,
    ],
    ['recalls', `${memory.recall_count}, last ${shortTime(memory.last_recalled_at)}`],
    ['created', shortTime(memory.created_at)],
    ['updated', shortTime(memory.updated_at)],
    [
      'embedding',
      `${embedding.status}, ${embedding.model}${embedding.truncated ? ', of the beginning' : ''}`,
    ],
  ]
  for (const [name = '', value = ''] of rows)
    terminal.say(`${terminal.paint('bold', name.padEnd(10))}  ${oneLine(value)}`)
  terminal.say()
  terminal.say(memory.content.split('\n').map(printable).join('\n'))
  return undefined
}

const pairs = (metadata: Record<string, unknown>) =>
  Object.entries(metadata)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ') || '–'

/** A stored text must not steer the terminal. */
const printable = (line: string) =>
  line.replaceAll(/[\p{Cc}]/gu, character => (character === '\t' ? '\t' : ' '))
