import type { Output } from '../../contract/index.ts'
import { callCommand } from '../shell/call.ts'
import { AN_ID, wordsOf } from '../shell/command.ts'
import { oneLine, printable, shortTime } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'

export const show = callCommand({
  words: 'ID',
  aliases: ['get'],
  summary: 'Show a memory',
  examples: [`show ${AN_ID}`],
  options: { recall: { describe: 'Count it as a recall, which keeps the memory alive' } },
  call({ values, words }) {
    const [id] = wordsOf(words, 'one memory by its id')
    const input = { id, record_recall: values.recall ?? false, include_fades_at: true }
    return (client, options) => client.getMemory(input, options)
  },
  show: showAll,
})

function showAll(memory: Output<'getMemory'>, terminal: Terminal) {
  const { embedding } = memory
  const rows = [
    ['id', memory.id],
    ['state', `${memory.state}, version ${memory.version}`],
    ...(memory.archived_at ? [['archived', archivedOf(memory)]] : []),
    [
      'policy',
      `${memory.policy}, ${memory.expires_at ? `until ${shortTime(memory.expires_at)}` : 'no time limit'}`,
    ],
    ['tags', memory.tags.join(', ') || '–'],
    ['importance', String(memory.importance)],
    ['source', memory.source ?? '–'],
    ['session', memory.session_id ?? '–'],
    ['kind', memory.kind ?? '–'],
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
  terminal.say(printable(memory.content))
}

const archivedOf = ({ archived_at, archived_reason }: Output<'getMemory'>) =>
  [shortTime(archived_at), archived_reason].filter(Boolean).join(', ')

const pairs = (metadata: Record<string, unknown>) =>
  Object.entries(metadata)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ') || '–'
